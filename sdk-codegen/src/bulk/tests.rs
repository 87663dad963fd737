use super::*;
use crate::document::validate;
use crate::source::Source;

const SCHEMA: &str = r"
schema { query: QueryRoot mutation: Mutation }
interface Node { id: ID! }
enum Sort { ID TITLE }
input Range { min: Int max: Int sort: Sort }
type QueryRoot {
  node(id: ID!): Node
  shop: Shop!
  products(first: Int, after: String, last: Int, before: String, query: String, sortKey: Sort = ID, range: Range): ProductConnection!
  orders(first: Int): ProductConnection!
}
type Mutation { productUpdate(id: ID!, title: String): Payload  other: Payload bulkOperationCancel: Payload }
type Payload { product: Product products(first: Int): ProductConnection! }
type Shop { name: String! products(first: Int): ProductConnection! }
type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
type ProductConnection { edges: [ProductEdge!]! nodes: [Product!]! pageInfo: PageInfo! count: Int! }
type ProductEdge { cursor: String! node: Product! }
type Product implements Node {
  id: ID! title(upper: Boolean): String! options: [Option!]! gallery: Gallery!
  variants(first: Int): VariantConnection!
}
type Option { name: String! values(first: Int): ProductConnection! }
type Gallery { media(first: Int): MediaConnection! }
union Media = Image | Video
type Image { alt: String products(first: Int): ProductConnection! }
type Video { alt: String }
type MediaConnection { edges: [MediaEdge!]! nodes: [Media!]! pageInfo: PageInfo! }
type MediaEdge { node: Media! }
type VariantConnection { edges: [VariantEdge!]! nodes: [Variant!]! pageInfo: PageInfo! }
type VariantEdge { node: Variant! }
type Variant implements Node { id: ID! sku: String fields(first: Int): FieldConnection! }
type FieldConnection { edges: [FieldEdge!]! nodes: [Field!]! pageInfo: PageInfo! }
type FieldEdge { node: Field! }
type Field { key: String! note: Note! }
type Note { products(first: Int): ProductConnection! }
";

fn run(text: &str) -> Result<Bulk, Vec<String>> {
    let schema = Schema::from_sdl(Source::new("s", SCHEMA)).unwrap_or_else(|e| panic!("{e}"));
    let document =
        validate(&schema, vec![Source::new("q", text)]).unwrap_or_else(|e| panic!("{e}"));
    let operation = &document.operations[0];
    bulk(&schema, &document, operation).map_err(|problems| {
        problems
            .into_iter()
            .map(|problem| problem.message)
            .collect()
    })
}

fn query(text: &str) -> BulkQuery {
    match run(text) {
        Ok(Bulk::Query(query)) => query,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_document_of_pages_becomes_one_of_bulk() {
    let query = query(
        r#"query Export($first: Int! = 50, $after: String, $q: String, $sort: Sort = TITLE) @bulk {
          products(first: $first, after: $after, query: $q, sortKey: $sort) @paginate {
            pageInfo { hasNextPage endCursor }
            nodes { ...Card variants(first: 20) { __typename pageInfo { more: hasNextPage } edges { node { sku } } } }
          }
        }
        fragment Card on Product { title(upper: true) gallery { media(first: 3) { list: nodes { ... on Image { alt } } } } }"#,
    );
    assert_eq!(
        query.template.outline(),
        "query Export{products(query:$q sortKey:$sort){edges{node{_0:__typename id ...on Product\
         {title(upper:true) gallery{media{edges{node{_1:__typename __typename ...on Image{alt}}}}}} \
         variants{edges{node{_2:__typename sku}}}}}}}"
    );
    let [root, media, variants] = &query.connections[..] else {
        panic!("{:?}", query.connections);
    };
    assert_eq!(root.parent, None);
    assert_eq!(
        (media.parent, &media.path[..]),
        (Some(0), &["gallery".to_owned()][..])
    );
    assert_eq!(media.types, ["Image", "Video"]);
    assert_eq!(media.open, r#""media":{"list":["#);
    assert_eq!(
        (media.open_node.as_str(), media.close_node.as_str()),
        ("", "")
    );
    assert_eq!(
        variants.open,
        r#""variants":{"__typename":"VariantConnection","pageInfo":{"more":false},"edges":["#
    );
    assert_eq!(
        (variants.open_node.as_str(), variants.close_node.as_str()),
        (r#"{"node":"#, "}")
    );
    let sort = &query.template.variables[3];
    assert_eq!(
        (sort.default.as_deref(), &sort.value),
        (Some("TITLE"), &Value::Enum)
    );
}

#[test]
fn variables_inside_inputs_and_lists_keep_their_place() {
    let query = query(
        "query Q($min: Int, $s: Sort, $with: Boolean!) { products(range: {max: 5, min: $min, sort: $s}) {
           nodes { id title @include(if: $with) } } }",
    );
    assert_eq!(
        query.template.outline(),
        "query Q{products(range:{max:5 min:$min sort:$s}){edges{node{_0:__typename id title@include(if:$with)}}}}"
    );
}

#[test]
fn two_selections_of_one_connection_are_one() {
    let query = query(
        "{ products { nodes { variants { nodes { sku } } ...F } } }
         fragment F on Product { variants { nodes { id fields { nodes { key } } } } }",
    );
    assert_eq!(query.connections.len(), 3);
    assert_eq!(query.connections[2].parent, Some(1));
}

#[test]
fn a_marker_is_never_an_alias_of_the_document() {
    let query = query("{ products { nodes { _0: title } } }");
    assert_eq!(query.connections[0].marker, "_c0");
}

#[test]
fn what_the_service_refuses_is_refused_with_its_place() {
    let deep =
        "variants { nodes { id fields { nodes { note { products { nodes { title } } } } } } }";
    let wide = "{ products { nodes { id a: variants { nodes { sku } } b: variants { nodes { sku } } \
                c: variants { nodes { sku } } d: variants { nodes { sku } } e: variants { nodes { sku } } } } }";
    let cases = [
        ("{ node(id: 1) { id } }".to_owned(), "cannot select `node`"),
        ("{ shop { name } }".to_owned(), "`shop` is not a connection"),
        (
            "{ shop { products { nodes { id } } } }".to_owned(),
            "`shop` is not a connection",
        ),
        (
            "{ products { nodes { id } } orders { nodes { id } } }".to_owned(),
            "`orders` is a second root",
        ),
        (
            "{ products { pageInfo { hasNextPage } } }".to_owned(),
            "selects no nodes",
        ),
        (
            "{ products { edges { cursor } } }".to_owned(),
            "`cursor` of an edge",
        ),
        (
            "{ products { count nodes { id } } }".to_owned(),
            "`count` of a connection",
        ),
        (
            "{ products { nodes { id } edges { node { id } } } }".to_owned(),
            "selected by `nodes` already",
        ),
        (
            "{ products { nodes { id options { values { nodes { id } } } } } }".to_owned(),
            "inside a list",
        ),
        (
            format!("{{ products {{ nodes {{ {deep} }} }} }}"),
            "nested in 3 connections",
        ),
        (
            format!("{{ products {{ nodes {{ {deep} }} }} }}"),
            "`Field` has no `id`",
        ),
        (
            "{ products { nodes { id: title variants { nodes { sku } } } } }".to_owned(),
            "`id` stands for `title`",
        ),
        (wide.to_owned(), "6 connections"),
        (
            format!(
                "{{ products {{ nodes {{ {} }} }} }}",
                (0..6000)
                    .map(|n| format!("alias{n}: title "))
                    .collect::<String>()
            ),
            "bytes long",
        ),
    ];
    for (text, expected) in cases {
        let problems = run(&text).expect_err(expected);
        assert!(
            problems.iter().any(|problem| problem.contains(expected)),
            "{expected}: {problems:?}"
        );
    }
}

#[test]
fn mutations_have_one_root_and_one_connection() {
    assert_eq!(
        run("mutation M($id: ID!) @bulk { productUpdate(id: $id) { product { id } } }"),
        Ok(Bulk::Mutation)
    );
    for (text, expected) in [
        (
            "mutation { productUpdate(id: 1) { product { id } } other { product { id } } }",
            "second mutation",
        ),
        (
            "mutation { bulkOperationCancel { product { id } } }",
            "cannot itself",
        ),
        (
            "mutation { other { products { nodes { id variants { nodes { id } } } } } }",
            "second connection",
        ),
    ] {
        let problems = run(text).expect_err(expected);
        assert!(problems[0].contains(expected), "{problems:?}");
    }
}

#[test]
fn fragments_under_a_condition_say_that_they_are_there() {
    let query = query(
        "query Q($x: Boolean!) @bulk {
           products { ...On @include(if: $x) edges { ...Edge node { id ...In @skip(if: $x) ...Plain } } }
         }
         fragment On on ProductConnection { pageInfo { hasNextPage } }
         fragment Edge on ProductEdge { node { id } }
         fragment In on Product { title }
         fragment Plain on Product { title }",
    );
    let text = format!("{:?}", query.template);
    assert!(text.contains("{__in_In:__typename title}"), "{text}");
    assert!(text.contains("...on Product{title}"), "{text}");
    let root = &query.connections[0];
    assert!(root.open.contains(r#""__in_On":"","#), "{}", root.open);
    assert_eq!(root.open_node, r#"{"__in_Edge":"","node":"#);
}
