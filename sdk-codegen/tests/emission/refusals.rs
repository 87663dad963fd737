use tollgate_codegen::emit::{self, Settings};

const SCHEMA: &str = "
    type Query {
      shop: Shop
      # Old and new.
      old: Int @deprecated(reason: \"Use `shop`.\\nReally.\")
      list(first: Int, size: Int @deprecated, by: By, sort: Sort @deprecated): [Int]
    }
    input By { old: Int @deprecated(reason: \"new\") sort: Sort }
    enum Sort { OLD @deprecated NEW }
    type Shop { name: String }
";

fn problems(text: &str) -> String {
    let schema = super::schema(SCHEMA);
    let document = super::document(&schema, text);
    let plans = super::plans(&schema, &document);
    emit::operations(&schema, &document, &plans, &Settings::default())
        .unwrap_err()
        .to_string()
}

#[test]
fn an_operation_without_a_name() {
    let problems = problems("{ shop { name } }");
    assert!(
        problems.contains("error: an operation needs a name"),
        "{problems}"
    );
    assert!(problems.contains("document.graphql:1:1"), "{problems}");
}

#[test]
fn two_operations_of_one_rust_name_with_both_places() {
    let problems = problems("query ShopName { shop { name } }\nquery Shop_name { shop { name } }");
    assert!(
        problems.contains("operations `ShopName` and `Shop_name` would both be called `shop_name`"),
        "{problems}"
    );
    assert!(problems.contains("document.graphql:2:7"), "{problems}");
    assert!(problems.contains("document.graphql:1:7"), "{problems}");
}

#[test]
fn a_module_that_would_hide_the_crate() {
    for name in ["tollgate", "Tollgate"] {
        let problems = problems(&format!("query {name} {{ shop {{ name }} }}"));
        let message = format!("operation `{name}` would be called `tollgate`, as this crate is");
        assert!(problems.contains(&message), "{problems}");
        assert!(problems.contains("document.graphql:1:7"), "{problems}");
    }
}

#[test]
fn thousands_of_aliases_are_written_in_time() {
    let schema = super::schema(SCHEMA);
    let fields: String = (0..20_000).map(|n| format!("a{n}: name ")).collect();
    let begun = std::time::Instant::now();
    let text = format!("query Wide {{ shop {{ {fields} }} }}");
    let code = super::emitted(&schema, &text, &Settings::default());
    assert!(code.text.contains("a19999"));
    // Each looked for among all of the others it takes most of a minute.
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
}

#[test]
fn an_alias_that_hides_the_type_name() {
    let problems = problems("query A { shop { __typename: name } }");
    assert!(
        problems.contains("the alias `__typename` of `name`"),
        "{problems}"
    );
}

#[test]
fn what_is_deprecated_is_warned_of_once_and_kept() {
    let schema = super::schema(SCHEMA);
    let text = "query A { old ...F }\nquery B { ...F list(size: 1) }\nfragment F on Query { old }";
    let code = super::emitted(&schema, text, &Settings::default());
    let warnings = code.warnings.to_string();
    assert_eq!(
        warnings
            .matches("warning: the field `old` is deprecated: Use `shop`. Really.")
            .count(),
        2,
        "{warnings}"
    );
    assert!(warnings.contains("document.graphql:1:11"), "{warnings}");
    assert!(warnings.contains("document.graphql:3:23"), "{warnings}");
    assert!(
        warnings.contains("the argument `size` of `list` is deprecated"),
        "{warnings}"
    );
    assert!(
        code.text.contains("/// **Deprecated:** Use `shop`."),
        "{}",
        code.text
    );
    assert!(code.text.contains("pub old: Option<i32>,"));
}

#[test]
fn all_that_is_deprecated_at_a_place_is_told() {
    let schema = super::schema(SCHEMA);
    let text = "query A($s: Sort = OLD) { list(size: 1, sort: $s, by: { old: 1, sort: OLD }) }";
    let warnings = super::emitted(&schema, text, &Settings::default()).warnings;
    let told: Vec<_> = warnings.list.iter().map(|it| it.message.as_str()).collect();
    for what in [
        "the argument `size` of `list`",
        "the argument `sort` of `list`",
        "the field `old` of the input `By`",
        "the value `OLD` of `Sort`",
    ] {
        assert!(
            told.iter().any(|it| it.starts_with(what)),
            "{what}: {told:?}"
        );
    }
    // The value at the variable too.
    assert_eq!(told.len(), 5, "{told:?}");
}

#[test]
fn settings_reach_the_code() {
    let schema = super::schema(
        "type Query { at: DateTime! many: [DateTime] kind: Kind } scalar DateTime enum Kind { IN_USE }",
    );
    let settings = Settings {
        krate: "::renamed".to_owned(),
        visibility: "pub(crate)".to_owned(),
        derives: emit::Derives(vec!["Eq".to_owned(), "std::fmt::Debug".to_owned()]),
        scalars: [("DateTime".to_owned(), "my::Time".to_owned())].into(),
        keep_variants: true,
        ..Settings::default()
    };
    let code = super::emitted(&schema, "query A { at many kind }", &settings).text;
    assert!(code.contains("use ::renamed::generated as t;"), "{code}");
    assert!(code.contains("pub(crate) use __tollgate_a::*;"), "{code}");
    assert!(
        code.contains("#[derive(Eq)]\n        pub struct A__Data"),
        "{code}"
    );
    assert!(code.contains("pub type __DateTime = my::Time;"), "{code}");
    assert!(
        code.contains("pub many: Option<Vec<Option<DateTime>>>"),
        "{code}"
    );
    assert!(code.contains("o.foreign(\"at\")"), "{code}");
    assert!(code.contains("IN_USE,"), "{code}");
}

#[test]
fn only_what_is_alike_in_all_has_one_type() {
    let schema =
        super::schema("type Query { shop: Shop! } type Shop { name: String! url: String! }");
    let code = |first, second| {
        let text = format!("query A {{ shop {{ {first} }} }} query B {{ shop {{ {second} }} }}");
        super::emitted(&schema, &text, &Settings::default()).text
    };
    let shared = code("name", "name");
    assert!(!shared.contains("pub struct B__Shop"), "{shared}");
    assert!(shared.contains("A__Shop as Shop"), "{shared}");
    let apart = code("name", "name: url");
    assert!(apart.contains("pub struct B__Shop"), "{apart}");
}

#[test]
fn markers_clash_as_modules_do() {
    let said = problems("query ABTest { shop { name } } query a_b_test { shop { name } }");
    assert!(
        said.contains("would both be called `ABTest` in Rust"),
        "{said}"
    );
}
