use super::{Impact, changes, prices};
use crate::document::{trust, validate};
use crate::pricing::{Bounds, Rules};
use crate::schema::Schema;
use crate::source::Source;
use crate::usage::Usage;
use tollgate_cost::Points;

fn schema(text: &str) -> Schema {
    let text = match text {
        text if text.contains("type Query") => text.to_owned(),
        text => format!("type Query {{ a: Int }} {text}"),
    };
    Schema::from_sdl(Source::new("schema.graphql", text)).unwrap()
}

fn lines(old: &str, new: &str) -> Vec<String> {
    let changes = changes(&schema(old), &schema(new));
    let line = |change: &super::Change| {
        let advice = change.advice.as_ref();
        let advice = advice.map_or_else(String::new, |advice| format!(" [{advice}]"));
        let (impact, coordinate) = (change.impact, &change.coordinate);
        format!("{impact:?}: {coordinate} {}{advice}", change.message)
    };
    changes.iter().map(line).collect()
}

#[track_caller]
fn says(old: &str, new: &str, expected: &[&str]) {
    assert_eq!(lines(old, new), expected, "{old} → {new}");
}

#[test]
fn equal_schemas_and_what_is_merely_new_say_nothing() {
    let old = "type A { a(x: Int = 1): Int! } enum E { X } input I { a: Int } union U = A";
    says(old, old, &[]);
    let new = "type A { a(x: Int = 1, y: Int, z: Int! = 2): Int! b: B } type B { b: Int } \
               enum E { X } input I { a: Int b: [Int!] c: Int! = 3 } union U = A";
    says(old, new, &[]);
}

#[test]
fn fields() {
    says(
        "type A { a: Int @deprecated(reason: \"Use\\n`b`.\") b: Int }",
        "type A { b: Int }",
        &["Breaking: A.a is gone [Use `b`.]"],
    );
    says(
        "type A { a: Int! }",
        "type A { a: Int }",
        &["Breaking: A.a was `Int!`, is `Int`: it can be null now"],
    );
    says(
        "type A { a: [Int] }",
        "type A { a: [Int!]! }",
        &["Notable: A.a was `[Int]`, is `[Int!]!`: it is never null now"],
    );
    says(
        "type A { a: [Int!] }",
        "type A { a: [Int]! }",
        &["Breaking: A.a was `[Int!]`, is `[Int]!`"],
    );
    says(
        "type A { a: Int }",
        "type A { a: [Int] }",
        &["Breaking: A.a was `Int`, is `[Int]`"],
    );
    says(
        "type A { a: Int }",
        "type A { a: Int @deprecated(reason: \"Use `b`.\") }",
        &["Deprecated: A.a is deprecated [Use `b`.]"],
    );
}

#[test]
fn arguments() {
    says(
        "type A { a(x: Int): Int }",
        "type A { a: Int }",
        &["Breaking: A.a(x:) is gone"],
    );
    says(
        "type A { a: Int }",
        "type A { a(x: Int!): Int }",
        &["Breaking: A.a(x:) is new and required, a `Int!`"],
    );
    says(
        "type A { a(x: Int): Int }",
        "type A { a(x: Int!): Int }",
        &["Breaking: A.a(x:) was `Int`, is `Int!`: it is required now"],
    );
    says(
        "type A { a(x: Int!): Int }",
        "type A { a(x: Int): Int }",
        &["Notable: A.a(x:) was `Int!`, is `Int`: null is taken now"],
    );
    says(
        "type A { a(x: [Int]): Int }",
        "type A { a(x: [Int!]): Int }",
        &["Breaking: A.a(x:) was `[Int]`, is `[Int!]`: null is refused now"],
    );
    says(
        "type A { a(x: Int = 10): Int }",
        "type A { a(x: Int = 50): Int }",
        &["Notable: A.a(x:) had the default `10`, has the default `50`"],
    );
    says(
        "type A { a(x: Int = 10): Int }",
        "type A { a(x: Int): Int }",
        &["Notable: A.a(x:) had the default `10`, has no default"],
    );
}

#[test]
fn inputs_and_the_prices_in_their_descriptions() {
    says(
        "input I { a: Int }",
        "input I { b: Int! }",
        &[
            "Breaking: I.a is gone",
            "Breaking: I.b is new and required, a `Int!`",
        ],
    );
    says(
        "input I { a: Int b: Int }",
        "input I @oneOf { a: Int b: Int }",
        &["Breaking: I takes exactly one of its fields now (`@oneOf`)"],
    );
    let priced = |price: &str| {
        format!("input I {{ \"Files. Complexity cost: {price} per variant file.\" a: Int }}")
    };
    says(
        &priced("0.2"),
        &priced("0.6"),
        &["Dearer: I.a cost 0.2, costs 0.6 points per variant file"],
    );
    says(
        &priced("0.2"),
        "input I { a: Int }",
        &["Notable: I.a cost 0.2, costs 0 points per variant file"],
    );
}

#[test]
fn types_and_members() {
    says(
        "type A { a: Int } union U = A",
        "union U = B type B { a: Int }",
        &[
            "Breaking: A is gone",
            "Breaking: U cannot be a `A` any more",
            "Notable: U can be a `B` now",
        ],
    );
    says(
        "type A { a: Int }",
        "interface A { a: Int }",
        &["Breaking: A was an object, is an interface"],
    );
    says(
        "interface N { a: Int } type A implements N { a: Int }",
        "interface N { a: Int } type A { a: Int }",
        &["Breaking: A is no `N` any more"],
    );
    says(
        "enum E { X Y }",
        "enum E { X Z }",
        &["Breaking: E.Y is gone", "Notable: E.Z is a new value"],
    );
}

const OLD: &str = r"
type Query { products(first: Int): ProductConnection! shop: Shop! }
type ProductConnection { nodes: [Product!]! }
type Product { id: ID! title: String! kind: Kind! price: Money }
type Shop { name: String }
scalar Money
enum Kind { A }
input Unused { a: Int }
";

const NEW: &str = r"
type Query { products(first: Int): ProductConnection! }
type ProductConnection { nodes: [Product!]! }
type Product { id: ID! kind: Kind! price: MoneyPair }
type MoneyPair { amount: String }
enum Kind { A B }
";

fn used(document: &str) -> Vec<String> {
    let (old, new) = (schema(OLD), schema(NEW));
    let document = validate(&old, vec![Source::new("q.graphql", document)]).unwrap();
    let usage = Usage::of(&old, &document, &document.operations[0]);
    let changes = changes(&old, &new);
    let concerned = changes.iter().filter(|change| change.concerns(&usage));
    concerned
        .map(|change| change.coordinate.to_string())
        .collect()
}

#[test]
fn only_what_an_operation_reaches_concerns_it() {
    let ids = "query A { products(first: 1) { nodes { id } } }";
    assert!(used(ids).is_empty());
    let kinds = "query A { products(first: 1) { nodes { kind } } }";
    assert_eq!(used(kinds), ["Kind.B"]);
    let titles = "query A { products(first: 1) { nodes { title } } }";
    assert_eq!(used(titles), ["Product.title"]);
    assert_eq!(used("{ shop { name } }"), ["Query.shop", "Shop"]);
}

#[test]
fn the_price_of_an_operation_under_both_schemas() {
    let shop = |owner: &str, name: &str| {
        schema(&format!(
            "type Query {{ shop: Shop }} type Shop {{ price: {owner} {name}: Int id: Int }} \
             type {owner} {{ amount: Int }}"
        ))
    };
    let (old, new) = (shop("MoneyV2", "name"), shop("Price", "title"));
    let source = || {
        let text = "query A { shop { price { amount } } } query B { shop { name } } \
                    query C { shop { id } }";
        vec![Source::new("q.graphql", text)]
    };
    let before = validate(&old, source()).unwrap();
    let after = trust(&new, source()).unwrap();
    let changes = prices(
        (&old, &before),
        (&new, &after),
        Rules::newest(),
        Bounds::default(),
    );
    let said: Vec<_> = changes
        .iter()
        .map(|change| (&*change.operation, change.before, change.after))
        .collect();
    // Money is free and another object is not; what the new schema refuses has no price.
    let expected = [("A", Points(1), Some(Points(2))), ("B", Points(1), None)];
    assert_eq!(said, expected);
    assert!(changes[0].is_dearer() && !changes[1].is_dearer());
}

#[test]
fn the_gravest_comes_first() {
    let old = "type A { a: Int z: Int } enum E { X }";
    let new = "type A { a: Int @deprecated } enum E { X Y }";
    let impacts: Vec<_> = changes(&schema(old), &schema(new))
        .iter()
        .map(|change| change.impact)
        .collect();
    assert_eq!(
        impacts,
        [Impact::Breaking, Impact::Deprecated, Impact::Notable]
    );
}
