use super::*;
use crate::diagnostic::Severity;
use crate::document::validate;
use crate::source::Source;

const SCHEMA: &str = r"
schema { query: QueryRoot }
type QueryRoot {
  products(first: Int, after: String, last: Int, before: String): ProductConnection!
  product(id: ID!): Product
  tags: [Product!]!
}
type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
type ProductConnection { edges: [ProductEdge!]! nodes: [Product!]! pageInfo: PageInfo! }
type ProductEdge { cursor: String! node: Product! }
type Product { id: ID! variants(first: Int, after: String): ProductConnection! }
";

fn find(text: &str) -> Paging {
    let schema = Schema::from_sdl(Source::new("s", SCHEMA)).unwrap_or_else(|e| panic!("{e}"));
    let document =
        validate(&schema, vec![Source::new("q", text)]).unwrap_or_else(|e| panic!("{e}"));
    paging(&schema, &document, &document.operations[0])
}

fn only(text: &str) -> Paged {
    let paging = find(text);
    assert_eq!(paging.problems, [], "{text}");
    paging
        .paged
        .unwrap_or_else(|| panic!("no connection in {text}"))
}

#[test]
fn the_connection_with_a_cursor_variable_is_meant() {
    let paged = only(
        "query A($n: Int! @max(value: 100), $c: String, $id: ID!) {
           product(id: $id) { id all: variants(first: $n, after: $c) {
             info: pageInfo { more: hasNextPage end: endCursor } edges { it: node { id } } } } }",
    );
    assert_eq!(paged.path, ["product", "all"]);
    assert_eq!(paged.direction, Direction::Forward);
    assert_eq!(
        (paged.cursor.as_str(), paged.size.as_deref(), paged.largest),
        ("c", Some("n"), 100)
    );
    assert_eq!(
        (
            paged.page_info.as_str(),
            paged.has_more.as_str(),
            paged.end.as_str()
        ),
        ("info", "more", "end")
    );
    let form = Form::Edges {
        edges: "edges".into(),
        node: "it".into(),
    };
    assert_eq!(paged.form, form);
}

#[test]
fn backward_and_with_a_fixed_size() {
    let paged = only(
        "query A($c: String) { products(last: 20, before: $c) {
           pageInfo { hasPreviousPage startCursor } nodes { id } } }",
    );
    assert_eq!(paged.direction, Direction::Backward);
    assert_eq!((paged.size, paged.largest), (None, 20));
}

#[test]
fn several_need_paginate() {
    let two = |mark: &str| {
        format!(
            "query A($a: String, $b: String) {{
               a: products(first: 5, after: $a) {mark} {{ pageInfo {{ hasNextPage endCursor }} nodes {{ id }} }}
               b: products(first: 5, after: $b) {{ pageInfo {{ hasNextPage endCursor }} nodes {{ id }} }} }}"
        )
    };
    assert_eq!(find(&two("")), Paging::default());
    assert_eq!(only(&two("@paginate")).cursor, "a");
}

#[test]
fn what_cannot_be_paged_is_said_with_the_next_step() {
    let cases = [
        (
            "query A($c: String) { products(first: 5, after: $c) @paginate { nodes { id } } }",
            Severity::Error,
            "pageInfo",
        ),
        (
            "query A($c: String) { products(first: 5, after: $c) { pageInfo { hasNextPage } nodes { id } } }",
            Severity::Warning,
            "endCursor",
        ),
        (
            "query A($c: String) { products(after: $c) @paginate { pageInfo { hasNextPage endCursor } nodes { id } } }",
            Severity::Error,
            "needs `first`",
        ),
        (
            "query A($c: String!) { products(first: 5, after: $c) { pageInfo { hasNextPage endCursor } nodes { id } } }",
            Severity::Warning,
            "no cursor",
        ),
        (
            "query A { products(first: 5) @paginate { pageInfo { hasNextPage endCursor } nodes { id } } }",
            Severity::Error,
            "not a variable",
        ),
        (
            "query A($c: String) { products(first: 5, after: $c) @paginate { pageInfo { hasNextPage endCursor } } }",
            Severity::Error,
            "no nodes",
        ),
        (
            "query A { tags @paginate { id } }",
            Severity::Error,
            "not a connection",
        ),
        (
            "query A($c: String) { tags { variants(first: 5, after: $c) @paginate { pageInfo { hasNextPage } nodes { id } } } }",
            Severity::Error,
            "in the many of `tags`",
        ),
    ];
    for (text, severity, expected) in cases {
        let problems = find(text).problems;
        let [problem] = &problems[..] else {
            panic!("{text}: {problems:?}");
        };
        assert_eq!(problem.severity, severity, "{text}");
        assert!(
            problem.message.contains(expected),
            "{text}: {}",
            problem.message
        );
        assert!(severity == Severity::Error || !problem.help.is_empty());
    }
}
