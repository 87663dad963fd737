//! What the derives of a project find: its own imports, in every list, for every kind of type.

use crate::scratch::Scratch;

const MAIN: &str = r##"
mod every {
    use serde::{Deserialize, Serialize};
    use serde as renamed;

    tollgate::operations! {
        schema: "schema.graphql",
        document: "query Kinds($kind: Kind, $in: Filter) { kind(of: $kind, in: $in) any { ... on A { kind } ... on B { b } } }",
        derives: [Serialize, Deserialize, PartialOrd, Eq, Hash],
        input_derives: [renamed::Serialize, Clone],
        graphql_client: true,
    }
}

mod derived {
    use serde::Serialize;
    use tollgate::GraphQLQuery;

    #[derive(GraphQLQuery)]
    #[graphql(
        schema_path = "schema.graphql",
        query_path = "kinds.graphql",
        response_derives = "Debug, Clone, PartialOrd, Serialize, serde::Deserialize",
        variables_derives = "Debug, Serialize, Default"
    )]
    pub struct kindsOf;
}

mod normalized {
    use tollgate::GraphQLQuery;

    #[derive(GraphQLQuery)]
    #[graphql(schema_path = "schema.graphql", query_path = "kinds.graphql", normalization = "rust")]
    pub struct KindsOf;
}

fn main() {
    use every::{kinds::Data, Kind};
    let text = r#"{"kind":"IN_USE","any":{"__typename":"A","kind":"NEW"}}"#;
    let data: Data = serde_json::from_str(text).unwrap();
    assert_eq!(data.kind, Some(Kind::InUse));
    assert!(data <= data.clone());
    let unknown = Kind::from("NEW");
    assert!(Kind::InUse < unknown);
    assert_eq!(serde_json::to_string(&[Kind::InUse, unknown]).unwrap(), r#"["IN_USE","NEW"]"#);
    assert_eq!(serde_json::from_str::<Kind>(r#""NEW""#).unwrap(), unknown);
    assert!(serde_json::to_string(&data).unwrap().contains("IN_USE"));
    let variables = derived::kinds_of::Variables { kind: Some(derived::kinds_of::Kind::IN_USE) };
    assert_eq!(serde_json::to_string(&variables).unwrap(), r#"{"kind":"IN_USE"}"#);
    let data: derived::kinds_of::ResponseData = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&data).unwrap(), r#"{"kind":"IN_USE"}"#);
    assert_eq!(derived::kinds_of::OPERATION_NAME, "kindsOf");
    assert_eq!(derived::kinds_of::QUERY, <derived::kindsOf as tollgate::Operation>::DOCUMENT);
    assert_eq!(<normalized::KindsOf as tollgate::Operation>::NAME, "kindsOf");
}
"##;

const SCHEMA: &str = "type Query { kind(of: Kind, in: Filter): Kind any: Any }
enum Kind { IN_USE OLD } input Filter { kind: Kind } union Any = A | B | C
type A { kind: Kind } type B { b: Int } type C { c: Int }";

#[test]
fn derives_are_found_where_the_caller_is_and_fit_all_types() {
    let scratch = Scratch::new("derives");
    scratch.depend("serde = { version = \"1\", features = [\"derive\"] }\nserde_json = \"1\"");
    scratch.write("schema.graphql", SCHEMA);
    scratch.write(
        "kinds.graphql",
        "query kindsOf($kind: Kind) { kind(of: $kind) }",
    );
    scratch.write("src/main.rs", MAIN);
    let output = scratch.cargo(&["run"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}
