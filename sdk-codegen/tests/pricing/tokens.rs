use quote::quote;
use tollgate_codegen::pricing;
use tollgate_cost::Plan;

use super::{golden, priced};

/// Every kind of term once.
const TEXT: &str = r#"
query Everything(
  $first: Int = 20 @max(value: 50), $last: Int, $with: Boolean!, $without: Boolean = false
) {
  products(first: $first, last: $last) { nodes { variants(first: 10) { nodes { id } } } }
  node(id: 1) {
    ... on Order { lineItems(first: $first) { nodes { id } } }
    ... on Product { variants(last: $last) { nodes { product { id } } } }
  }
  shop @include(if: $with) @skip(if: $without) { id }
  shop @skip(if: $with) { id billingAddress { city } }
}
"#;

const INPUT: &str = r#"
mutation Input(
  $set: ProductSetInput! = {title: "x", files: [], variants: null}, $more: [MetafieldsSetInput!]!
) {
  productSet(input: $set) { product { id } }
  a: metafieldsSet(metafields: $more) { userErrors { message } }
  b: metafieldsSet(metafields: [{ownerId: "gid://shopify/Order/1", key: "", value: ""}]) {
    userErrors { message }
  }
}
"#;

/// What `tollgate::generated::plan` has.
mod terms {
    pub(super) use std::borrow::Cow::Borrowed as B;
    pub(super) use tollgate_cost::{
        Condition as W, Literal as L, MilliPoints as P, Node as N, Owner as O, Parameter, Plan,
        Size as S,
    };
}

/// The tokens as they were last reviewed: compiled here, so that they are known to be constant.
const EVERYTHING: Plan = include!("everything.rs");
const WITH_INPUT: Plan = include!("input.rs");

#[test]
fn tokens_compile_to_the_plan_they_were_made_from() {
    assert_eq!(priced(TEXT).plan, EVERYTHING);
    assert_eq!(priced(INPUT).plan, WITH_INPUT);
}

#[test]
fn tokens_are_those_that_were_reviewed() {
    for (text, name) in [(TEXT, "everything.rs"), (INPUT, "input.rs")] {
        let made = pricing::tokens(&priced(text).plan, &quote!(crate::tokens::terms));
        golden(name, &format!("{made}\n"));
    }
}
