use tollgate_codegen::diagnostic::Diagnostics;
use tollgate_codegen::pricing::{self, Bounds, Rules};

use super::{document, golden, schema};

/// All problems of a text, as a build prints them.
fn problems(text: &str, bounds: Bounds) -> String {
    let schema = schema();
    let document = document(&schema, text);
    let mut problems = Vec::new();
    for operation in &document.operations {
        let priced = pricing::price(&schema, &document, operation, Rules::newest(), bounds);
        problems.extend(pricing::check(&document, operation, &priced));
    }
    Diagnostics::new(document.sources.clone(), problems).to_string()
}

#[test]
fn too_dear_operations_are_all_reported_with_true_numbers() {
    let text = include_str!("too_dear.graphql");
    golden("too_dear.txt", &problems(text, Bounds::default()));
}

#[test]
fn a_smaller_page_size_of_the_project_is_what_is_assumed() {
    let text = "query Orders($n: Int!) { orders(first: $n) { nodes { lineItems(first: $n) { nodes { id } } } } }";
    let bounds = |page_size| Bounds { page_size };
    assert_eq!(problems(text, bounds(None)), "");
    let dear = text.replace(
        "nodes { id }",
        "nodes { product { variants(first: 250) { nodes { id } } } }",
    );
    let made = problems(&dear, bounds(Some(100)));
    assert!(
        made.contains("taken as 100, the project's page size"),
        "{made}"
    );
    assert_eq!(problems(&dear, bounds(Some(10))), "");
}

#[test]
fn bulk_operations_are_exempt_and_need_no_sizes() {
    let text =
        "query All @bulk { orders { edges { node { lineItems { edges { node { id } } } } } } }";
    assert_eq!(problems(text, Bounds::default()), "");
    let sized = "query All @bulk { orders(first: 250) { nodes { lineItems(first: 250) { nodes {
        product { variants(first: 250) { nodes { id } } } } } } } }";
    assert_eq!(problems(sized, Bounds::default()), "");
}

#[test]
fn declarations_that_bound_nothing_are_refused() {
    let text = r#"
query Misused(
  $id: ID! @max(value: 3)
  $first: Int! @max(value: -1)
  $below: Int = 50 @max(value: 10)
  $ids: [ID!]! = ["a", "b"] @max(value: 1)
  $above: Int! @max(value: 251)
  $default: Int = 300
  $variants: Int! @max(value: 2048)
) @cost(max: 0) {
  order(id: $id) { id }
  orders(first: $first) { nodes { id } }
  products(last: -5) { nodes { id } }
  more: products { nodes { id } }
  below: products(first: $below) { nodes { id } }
  nodes(ids: $ids) { id }
  above: products(first: $above) { nodes { id } }
  again: orders(last: $above) { nodes { id } }
  default: products(first: $default) { nodes { id variants(first: $variants) { nodes { id } } } }
  literal: products(first: 1000) { nodes { id } }
}
"#;
    golden("declarations.txt", &problems(text, Bounds::default()));
}
