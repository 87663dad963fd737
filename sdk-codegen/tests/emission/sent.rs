//! The document as it is sent.

use tollgate_codegen::emit::Settings;

const SCHEMA: &str = "
    type Query { things(first: Int, tags: [String!], filter: Filter): [Thing!]! thing: Thing }
    input Filter { text: String flag: Boolean nested: Filter size: Float }
    interface Thing { id: ID! }
    type A implements Thing { id: ID! a: Int }
    type B implements Thing { id: ID! b: Int }
";

fn sent(text: &str) -> String {
    let code = super::emitted(&super::schema(SCHEMA), text, &Settings::default()).text;
    let (_, rest) = code.split_once("document: \"").unwrap();
    let (document, _) = rest.split_once("\",\n").unwrap();
    document.replace("\\\"", "\"").replace("\\\\", "\\")
}

#[test]
fn is_minified_without_comments_and_client_directives() {
    let text = "
        # A page.
        query Page($n: Int! = 5 @max(value: 9), $tags: [String!]) @cost(max: 900) {
          # Things.
          all: things(first: $n, tags: $tags) @include(if: true) { id } ,
          thing { id }
        }";
    assert_eq!(
        sent(text),
        "query Page($n:Int!=5,$tags:[String!]){all:things(first:$n,tags:$tags)@include(if:true){id}thing{id}}"
    );
}

#[test]
fn keeps_the_meaning_of_values() {
    let text = r#"query A {
        things(tags: ["é \"quoted\" # no comment", """ block
          text"""], filter: { text: null, flag: true, size: 1.5, nested: {} }) { id }
    }"#;
    assert_eq!(
        sent(text),
        r#"query A{things(tags:["é \"quoted\" # no comment"," block\ntext"],filter:{text:null,flag:true,size:1.5,nested:{}}){id}}"#
    );
}

#[test]
fn has_only_the_fragments_that_are_reached() {
    let text = "
        query A { thing { ...F } }
        query B { thing { ...G } }
        fragment F on Thing { id ...H }
        fragment G on Thing { id }
        fragment H on Thing { id }";
    assert_eq!(
        sent(text),
        "query A{thing{...F}}fragment F on Thing{id...H}fragment H on Thing{id}"
    );
}

#[test]
fn asks_for_the_type_first_where_it_decides() {
    let text =
        "query A { thing { id ... on A { a } __typename } plain: thing { id } things { ...F } }
        fragment F on Thing { ... on B { b } }";
    assert_eq!(
        sent(text),
        "query A{thing{__typename id...on A{a}}plain:thing{id}things{...F}}fragment F on Thing{__typename...on B{b}}"
    );
}
