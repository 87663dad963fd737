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

    // As `use anyhow::Result` and the like: of no concern to what is generated here.
    pub type Result<T> = core::result::Result<T, ()>;
    pub type Option = Result<u8>;
    pub struct String;
    pub struct Vec;

    #[derive(GraphQLQuery)]
    #[graphql(
        schema_path = "schema.graphql",
        query_path = "kinds.graphql",
        response_derives = "Debug, Clone, PartialOrd, Serialize, serde::Deserialize",
        variables_derives = "Debug, Serialize, Default"
    )]
    pub struct kindsOf;
}

mod written {
    tollgate::operations! {
        schema: "schema.graphql",
        document: r#"
            query Written($long: Boolean!) {
                a { id ...Named longName @include(if: $long) ...Long @include(if: $long) }
                listed: all { __typename ... on B { b } ... on A { ...Named } }
                either: all { ... on Name { id } ... on C { c } }
                when: day
            }
            fragment Named on A { id inner { longName } other: inner { id } }
            fragment Long on A { inner { id } }
        "#,
        derives: [Serialize],
        scalars: { Day: crate::Day },
    }
}

#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Day(u8);

/// An answer is written as it came: by the names of the document, fragments in their place.
fn written_as_read() {
    let texts = [
        r#"{"a":{"id":"1","inner":{"longName":"x","id":"2"},"other":{"id":"2"},"longName":null,"__in_Long":true},
            "listed":[{"__typename":"B","b":1},{"__typename":"A","id":"3","inner":null,"other":null},{"__typename":"C"}],
            "either":[{"__typename":"A","id":"1"},{"__typename":"C","c":4},{"__typename":"D"}],"when":7}"#,
        r#"{"a":{"id":"1","inner":null,"other":null},"listed":[],"either":[],"when":null}"#,
    ];
    for text in texts {
        let data = <written::Written as tollgate::Operation>::decode(text).unwrap();
        let again = serde_json::to_value(&data).unwrap();
        let mut came: serde_json::Value = serde_json::from_str(text).unwrap();
        // Left out and null are one to a field that may be left out.
        if came["a"]["longName"].is_null() {
            came["a"].as_object_mut().unwrap().remove("longName");
        }
        assert_eq!(again, came);
        assert_eq!(<written::Written as tollgate::Operation>::decode(&again.to_string()).unwrap(), data);
    }
}

mod normalized {
    use tollgate::GraphQLQuery;

    #[derive(GraphQLQuery)]
    #[graphql(schema_path = "schema.graphql", query_path = "kinds.graphql", normalization = "rust")]
    pub struct KindsOf;
}

mod least {
    tollgate::operations! {
        schema: "schema.graphql",
        document: "query Least($one: One) { any(one: $one) { ... on A { __typename } ... on B { b } } }",
        derives: [Default, PartialOrd],
        input_derives: [Default, PartialOrd],
        keep_variants: true,
    }
}

/// What has no field, no default and no ordinary name is compared and made like everything else.
fn least_of_all() {
    use least::{Kind, Least, One, least::Variables};
    let read = |text: &str| <Least as tollgate::Operation>::decode(text).unwrap();
    let data = read(r#"{"any":{"__typename":"A"}}"#);
    assert_eq!(data, data.clone());
    assert_ne!(data, read(r#"{"any":{"__typename":"C"}}"#));
    assert_eq!(least::least::Data::default(), read(r#"{"any":null}"#));
    let variables = Variables { one: One::Kind(Kind::__).into() };
    assert!(Variables::default() < variables);
    assert_eq!(Kind::__.as_str(), "_");
}

fn main() {
    written_as_read();
    least_of_all();
    use every::{kinds::Data, Kind};
    let text = r#"{"kind":"IN_USE","any":{"__typename":"A","kind":"NEW"}}"#;
    let data: Data = serde_json::from_str(text).unwrap();
    assert_eq!(data.kind, Some(Kind::InUse));
    assert!(data <= data.clone());
    let unknown = Kind::from("NEW");
    assert!(Kind::InUse < unknown);
    assert_eq!(serde_json::to_string(&[Kind::InUse, unknown]).unwrap(), r#"["IN_USE","NEW"]"#);
    assert_eq!(serde_json::from_str::<Kind>(r#""NEW""#).unwrap(), unknown);
    assert_eq!(serde_json::to_value(&data).unwrap(), serde_json::from_str::<serde_json::Value>(text).unwrap());
    let variables = derived::kinds_of::Variables { kind: Some(derived::kinds_of::Kind::IN_USE) };
    assert_eq!(serde_json::to_string(&variables).unwrap(), r#"{"kind":"IN_USE"}"#);
    let data: derived::kinds_of::ResponseData = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&data).unwrap(), r#"{"kind":"IN_USE"}"#);
    assert_eq!(derived::kinds_of::OPERATION_NAME, "kindsOf");
    assert_eq!(derived::kinds_of::QUERY, <derived::kindsOf as tollgate::Operation>::DOCUMENT);
    assert_eq!(<normalized::KindsOf as tollgate::Operation>::NAME, "kindsOf");
}
"##;

const SCHEMA: &str =
    "type Query { kind(of: Kind, in: Filter): Kind any(one: One): Any a: A all: [Any!]! day: Day }
enum Kind { IN_USE OLD _ } input Filter { kind: Kind } input One @oneOf { id: ID kind: Kind }
directive @oneOf on INPUT_OBJECT union Any = A | B | C scalar Day
interface Name { id: ID! }
type A implements Name { id: ID! kind: Kind longName: String inner: A }
type B implements Name { id: ID! b: Int } type C { c: Int }";

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
