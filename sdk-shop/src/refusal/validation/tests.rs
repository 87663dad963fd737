use serde_json::{Value, json};
use tollgate_codegen::document::validate;
use tollgate_codegen::schema::Schema;
use tollgate_codegen::source::Source;

use super::*;

const SCHEMA: &str = "
    type Query { shop: Shop! products(first: Int, sort: Sort): [Product!]! product(id: ID!, by: By): Product }
    type Shop { name: String! }
    type Product { title: String! }
    input By { id: ID! }
    enum Sort { TITLE }
";

fn refused(document: &str) -> Value {
    let schema = Schema::from_sdl(Source::new("schema", SCHEMA)).unwrap();
    let problems = match validate(&schema, vec![Source::new("", document)]) {
        Ok(document) => return serde_json::to_value(client_directives(&document)).unwrap(),
        Err(problems) => problems,
    };
    serde_json::to_value(refusals(&schema, &problems)).unwrap()
}

#[test]
fn an_unknown_field_names_its_type_and_path() {
    assert_eq!(
        refused("query Q {\n  shop { nam }\n}"),
        json!([{
            "message": "Field 'nam' doesn't exist on type 'Shop'",
            "locations": [{"line": 2, "column": 10}],
            "path": ["query Q", "shop", "nam"],
            "extensions": {"code": "undefinedField", "typeName": "Shop", "fieldName": "nam"},
        }])
    );
}

#[test]
fn each_kind_of_problem_has_the_code_of_the_server() {
    let cases = [
        ("{ product { title } }", "missingRequiredArguments"),
        ("{ shop(x: 1) { name } }", "argumentNotAccepted"),
        (
            "{ product(id: 1, by: {nope: 1, id: 1}) { title } }",
            "argumentNotAccepted",
        ),
        (
            "{ product(id: 1, by: {}) { title } }",
            "missingRequiredArguments",
        ),
        ("{ shop { name @nope } }", "undefinedDirective"),
        ("{ shop }", "selectionMismatch"),
        ("{ shop { name { x } } }", "selectionMismatch"),
        ("{ shop { ... on Nope { name } } }", "undefinedType"),
        ("{ shop { ...F } }", "useAndDefineFragment"),
        ("query($x: Int) { shop { name } }", "variableNotUsed"),
        ("{ product(id: $x) { title } }", "variableNotDefined"),
        (
            "query($x: String) { products(first: $x) { title } }",
            "variableMismatch",
        ),
        (
            "{ products(first: \"one\") { title } }",
            "argumentLiteralsIncompatible",
        ),
        (
            "{ products(sort: PRICE) { title } }",
            "argumentLiteralsIncompatible",
        ),
        ("{ shop { name }", "PARSE_ERROR"),
        ("", "PARSE_ERROR"),
        (
            "query Q @cost(max: 9) { shop { name } }",
            "undefinedDirective",
        ),
        (
            "query Q($n: Int @max(value: 5)) { products(first: $n) { title } }",
            "undefinedDirective",
        ),
    ];
    for (document, code) in cases {
        let errors = refused(document);
        assert_eq!(
            errors[0]["extensions"]["code"], code,
            "{document}: {errors}"
        );
    }
}

#[test]
fn paths_leave_arguments_strings_and_comments_out() {
    for string in [r#""}{""#, r#""\"){""#, r#""\\""#, r#""""a "word" ){ """"#] {
        let text = format!(
            "query Q($a: Int) {{ # {{ comment\n one(x: {string}, y: {{z: 1}}) {{ two {{ three }} }} }}"
        );
        let at = text.find("three").unwrap();
        let path = path_at(&text, at);
        assert_eq!(path, ["query Q", "one", "two", "three"], "{text}");
    }
}
