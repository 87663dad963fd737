use super::{Coordinate, Usage};
use crate::document::{Document, Valid, validate};
use crate::schema::Schema;
use crate::source::Source;

const SCHEMA: &str = r#"
type Query {
  products(first: Int, sort: Sort, filter: Filter): ProductConnection!
  old(id: ID @deprecated(reason: "Use `key`."), key: ID): Product @deprecated(reason: "Use `products`.")
}
type ProductConnection { nodes: [Product!]! }
type Product { id: ID! title: String status: Status! secret: String }
enum Status { ACTIVE DRAFT @deprecated(reason: "Use `ACTIVE`.") }
enum Sort { ID TITLE @deprecated(reason: "Use `ID`.") }
input Filter { title: String tags: [String!] sort: Sort nested: Filter }
"#;

fn documents(text: &str) -> (Schema, Valid<Document>) {
    let schema = Schema::from_sdl(Source::new("schema.graphql", SCHEMA)).unwrap();
    let document = validate(&schema, vec![Source::new("q.graphql", text)]).unwrap();
    (schema, document)
}

fn reached(text: &str) -> Vec<String> {
    let (schema, document) = documents(text);
    let usage = Usage::of(&schema, &document, &document.operations[0]);
    usage.coordinates().map(ToString::to_string).collect()
}

#[test]
fn a_written_value_counts_as_far_as_it_is_written() {
    let reached = reached("query A { products(filter: { sort: ID }) { nodes { id } } }");
    for coordinate in ["Filter.sort", "Sort.ID", "Query.products(filter:)"] {
        assert!(reached.iter().any(|r| r == coordinate), "{coordinate}");
    }
    for coordinate in ["Filter.title", "Sort.TITLE", "Query.products(first:)"] {
        assert!(!reached.iter().any(|r| r == coordinate), "{coordinate}");
    }
}

#[test]
fn a_variable_counts_with_everything_it_could_carry() {
    let reached = reached("query A($f: Filter) { products(filter: $f) { nodes { id } } }");
    for coordinate in ["Filter.title", "Filter.nested", "Sort.TITLE"] {
        assert!(reached.iter().any(|r| r == coordinate), "{coordinate}");
    }
}

#[test]
fn fragments_count_and_an_enum_answers_with_any_value() {
    let reached = reached(
        "query A { products { nodes { ...Card } } } fragment Card on Product { status __typename }",
    );
    for coordinate in ["Product.status", "Status.ACTIVE", "Status.DRAFT"] {
        assert!(reached.iter().any(|r| r == coordinate), "{coordinate}");
    }
    assert!(!reached.iter().any(|r| r == "Product.secret"));
    assert!(!reached.iter().any(|r| r.contains("__typename")));
}

#[test]
fn deprecations_are_what_the_document_names() {
    let (schema, document) = documents(
        "query A($s: Sort) {\n  old(id: 1) { id }\n  products(sort: $s) { nodes { status } }\n}",
    );
    let found = Usage::of(&schema, &document, &document.operations[0]).deprecations(&schema);
    let found: Vec<_> = found
        .iter()
        .map(|d| (d.coordinate.as_str(), d.reason.as_str()))
        .collect();
    assert_eq!(
        found,
        [
            ("Query.old", "Use `products`."),
            ("Query.old(id:)", "Use `key`.")
        ]
    );
}

#[test]
fn the_place_is_where_it_is_reached_first() {
    let (schema, document) = documents("query A {\n  products {\n    nodes { id }\n  }\n}");
    let usage = Usage::of(&schema, &document, &document.operations[0]);
    let span = usage.place(&Coordinate::member("Product", "id")).unwrap();
    assert_eq!(document.sources[0].line_column(span.range.start), (3, 13));
}

#[test]
fn thousands_of_fields_of_one_type_are_found_in_time() {
    let aliases: String = (0..20_000).map(|n| format!("a{n}: status ")).collect();
    let (schema, document) = documents(&format!("{{ products {{ nodes {{ {aliases} }} }} }}"));
    let start = std::time::Instant::now();
    let usage = Usage::of(&schema, &document, &document.operations[0]);
    // To compare each with all before it takes minutes.
    let took = start.elapsed();
    assert!(took < std::time::Duration::from_secs(15), "{took:?}");
    assert_eq!(usage.places.len(), 9, "{:?}", usage.places.keys());
}
