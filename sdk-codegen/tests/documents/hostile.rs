use std::time::{Duration, Instant};

use tollgate_codegen::schema::{Schema, introspection};
use tollgate_codegen::source::Source;

use super::{admin, problems, schema, validate};

/// All of these must end within seconds, unoptimised, on a test thread's stack of 2 MB.
const PATIENCE: Duration = Duration::from_secs(30);

fn within_patience<T>(work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = work();
    assert!(start.elapsed() < PATIENCE, "took {:?}", start.elapsed());
    done
}

#[test]
fn nesting_of_ten_thousand_is_refused() {
    let schema = admin();
    let deep = 10_000;
    for document in [
        format!("{}{}", "{ shop ".repeat(deep), "}".repeat(deep)),
        format!("{}name{}", "{ ... on Shop ".repeat(deep), "}".repeat(deep)),
        format!(
            "{{ node(id: {}{}) {{ id }} }}",
            "[".repeat(deep),
            "]".repeat(deep)
        ),
        format!(
            "{{ node(id: {}1{}) {{ id }} }}",
            "{a: ".repeat(deep),
            "}".repeat(deep)
        ),
        format!(
            "query Q($a: {}Int{}) {{ shop {{ id }} }}",
            "[".repeat(deep),
            "]".repeat(deep)
        ),
        "{ shop ".repeat(deep),
    ] {
        let said = within_patience(|| problems(&schema, &document));
        assert!(said.contains("syntax error"), "{said}");
        assert!(said.len() < 5_000, "{}", said.len());
    }
}

#[test]
fn a_chain_of_fragments_may_not_be_deeper_than_selections_may() {
    let mut document = String::from("{ shop { ...F0 } }");
    for index in 0..10_000 {
        document += &format!("\nfragment F{index} on Shop {{ ...F{} }}", index + 1);
    }
    document += "\nfragment F10000 on Shop { name }";
    let said = within_patience(|| problems(&admin(), &document));
    assert!(
        said.contains("nests more than"),
        "{}",
        &said[..said.len().min(500)]
    );
}

#[test]
fn a_long_cycle_of_fragments_ends() {
    let mut document = String::from("{ shop { ...F0 } }");
    for index in 0..80 {
        let next = (index + 1) % 80;
        document += &format!("\nfragment F{index} on Shop {{ ...F{next} }}");
    }
    let said = within_patience(|| problems(&admin(), &document));
    assert!(said.contains("contains itself"), "{said}");
}

#[test]
fn fragments_that_double_are_counted_not_walked() {
    let mut document = String::from("{ shop { ...F0 } }");
    for index in 0..60 {
        let next = index + 1;
        document += &format!("\nfragment F{index} on Shop {{ ...F{next} ...F{next} }}");
    }
    document += "\nfragment F60 on Shop { name }";
    let said = within_patience(|| problems(&admin(), &document));
    assert!(said.contains("selects more than"), "{said}");
}

#[test]
fn a_hundred_thousand_aliases_and_a_million_are_refused() {
    for (aliases, wanted) in [
        (100_000, "`Aliases` selects more than"),
        (1_000_000, "there is too much text"),
    ] {
        aliases_are_refused(aliases, wanted);
    }
}

fn aliases_are_refused(aliases: usize, wanted: &str) {
    let mut document = String::from("query Aliases { shop {");
    for index in 0..aliases {
        document += &format!(" a{index}: name");
    }
    document += " } }";
    let said = within_patience(|| problems(&admin(), &document));
    assert!(said.contains(wanted), "{}", &said[..500]);
    assert!(said.len() < 5_000, "{}", said.len());
}

#[test]
fn thousands_of_variables_are_refused() {
    let variables: String = (0..20_000)
        .map(|index| format!("$v{index}: Int "))
        .collect();
    let document = format!("query Q({variables}) {{ shop {{ id }} }}");
    let said = within_patience(|| problems(&admin(), &document));
    assert!(said.contains("`Q` has more than 500 variables"), "{said}");
    assert!(said.contains(":1:1"), "{said}");
}

#[test]
fn thousands_of_arguments_or_fields_at_one_place_are_refused() {
    let many: String = (0..50_000).map(|index| format!("a{index}: 1 ")).collect();
    for document in [
        format!("query Q {{ shop({many}) {{ id }} }}"),
        format!("query Q {{ shop @include({many}) {{ id }} }}"),
        format!("query Q {{ ... @include({many}) {{ shop {{ id }} }} }}"),
        format!("query Q {{ node(id: [[{{a: {{ {many} }}}}]]) {{ id }} }}"),
        format!("query Q($a: Int = {{ {many} }}) {{ shop {{ id }} }}"),
        format!("query Q @cost({many}) {{ shop {{ id }} }}"),
        format!("query Q {{ shop {{ ...F }} }} fragment F on Shop {{ name(a: {{ {many} }}) }}"),
    ] {
        let said = within_patience(|| problems(&admin(), &document));
        assert!(
            said.contains("gives more than 500 arguments"),
            "{}",
            &said[..300]
        );
    }
}

#[test]
fn thousands_of_unused_variables_beside_another_problem_end() {
    let document: String = (0..20_000)
        .map(|index| format!("query Q{index}($v{index}: Int) {{ shop {{ nope }} }} "))
        .collect();
    let said = within_patience(|| problems(&admin(), &document));
    assert!(said.contains("has no field `nope`"), "{}", &said[..300]);
}

#[test]
fn a_name_as_long_as_a_document_is_cut_where_it_is_told() {
    let document = format!("{{ shop {{ {} }} }}", "a".repeat(1_000_000));
    let said = within_patience(|| problems(&admin(), &document));
    assert!(
        said.contains("`Shop` has no field `aaa"),
        "{}",
        &said[..300]
    );
    assert!(said.len() < 5_000, "{}", said.len());
}

#[test]
fn megabytes_of_anything_end() {
    let schema = admin();
    for document in [
        "{".repeat(10_000_000),
        "\"".repeat(2_000_000),
        "#".repeat(2_000_000),
        "[".repeat(2_000_000),
        "é".repeat(1_000_000),
        "query A { shop { name } } ".repeat(20_000),
    ] {
        let said = within_patience(|| problems(&schema, &document));
        assert_ne!(said, "valid");
        assert!(said.len() < 100_000, "{}", said.len());
    }
}

#[test]
fn letters_that_hide_are_shown_by_their_number() {
    let said = problems(&admin(), "{ shop { name(a: \"\u{202E}\u{7}\u{2066}\") } }");
    assert!(said.contains("`name` has no argument `a`"), "{said}");
    assert!(said.contains("\\u{202e}\\u{7}\\u{2066}"), "{said}");
    assert!(!said.contains(['\u{202E}', '\u{7}', '\u{2066}']), "{said}");
}

#[test]
fn a_column_counts_letters_and_the_caret_stands_below() {
    let said = problems(&admin(), "{ shop { name # ✓\n\té: nmae } }");
    assert!(said.contains("syntax error: `é` is not GraphQL"), "{said}");
    assert!(said.contains("q.graphql:2:2"), "{said}");
    assert!(said.contains("│  ^"), "{said}");
}

fn refused(sdl: &str) -> String {
    let read = Schema::from_sdl(Source::new("s.graphql", sdl));
    match read {
        Err(problems) => problems.to_string(),
        Ok(schema) => match schema.check() {
            Err(problems) => problems.to_string(),
            Ok(()) => "accepted".into(),
        },
    }
}

#[test]
fn a_schema_that_lies_is_refused_with_the_place() {
    for (sdl, wanted) in [
        ("type Query { a: Missing }", "s.graphql:1:17"),
        ("type Query { a(b: Missing): Int }", "s.graphql:1:19"),
        (
            "type Query { a(b: Query): Int }",
            "`Query` takes `Query` where only a scalar",
        ),
        (
            "type Query { a: In } input In { a: Int }",
            "`Query` takes `In` where only a type of answers",
        ),
        (
            "type Query { a: Int } type Query { b: Int }",
            "`Query` is defined twice",
        ),
        (
            "type Query { a: Int a: String }",
            "`Query` gives a field `a` twice",
        ),
        (
            "type Query { a: U } union U = Query | Int",
            "`U` takes `Int` where only an object type",
        ),
        ("type Query { a: U } union U = Nobody", "`U` names `Nobody`"),
        (
            "type Query implements Nobody { a: Int }",
            "`Query` names `Nobody`",
        ),
        (
            "type Query implements Query { a: Int }",
            "only an interface may stand",
        ),
        (
            "interface A implements B { a: Int } interface B implements A { a: Int } type Query { a: A }",
            "`A` implements itself",
        ),
        ("type Query { }", "`Query` has not even a field"),
        (
            "enum E { A A } type Query { a: E }",
            "`E` gives a value `A` twice",
        ),
        ("type Other { a: Int }", "no query root"),
        (
            "schema { query: Nobody }",
            "the root `Nobody` is not an object type",
        ),
        ("scalar Query", "no query root"),
        ("type Query { a: Int", "s.graphql:1:12"),
        ("type Query { a: }", "expected the type of the field"),
        ("type Query { a Int }", "expected `:`"),
        ("type Query { \"a: Int }", "the `}` that closes this"),
        (
            "\"\"\"never ends type Query { a: Int }",
            "the end of this string",
        ),
        ("query Q { a }", "expected `type`, `interface`"),
        (
            "extend type Nobody { a: Int } type Query { a: Int }",
            "`Nobody` is extended, but",
        ),
        (
            "extend input Query { a: Int } type Query { a: Int }",
            "extended as another kind",
        ),
        (
            "directive @a on FIELD directive @a on FIELD type Query { a: Int }",
            "`@a` is defined twice",
        ),
        ("type Query { a(b: Int = {): Int }", "closes"),
        ("", "s.graphql:1:1"),
        ("# nothing", "no query root"),
        (
            "type Query { a(b: Int, c: Int, b: Int): Int }",
            "s.graphql:1:32",
        ),
        (
            "type Query { a(b: I): Int } input I { a: Int, b: Int = 1, a: Int }",
            "`I` gives a field `a` twice",
        ),
        (
            "type Query { a: Int } interface N { a: Int } extend type Query implements N & N",
            "`Query` gives the interface `N` twice",
        ),
        (
            "type Query { a: Int } directive @d(a: Int, a: Int) on FIELD",
            "`@d` gives an argument `a` twice",
        ),
        (
            "type Query { a: Int } directive @d(a: Missing) on FIELD",
            "s.graphql:1:39",
        ),
        (
            "type Query { a: Int } directive @d(a: Query) on FIELD",
            "`@d` takes `Query` where only a scalar",
        ),
        (
            "type Query { a: Int } directive @d(a: Int on FIELD",
            "the `)` that closes this",
        ),
        (
            "type Query { a: Int } type Int { b: String }",
            "`Int` is built in, and a scalar",
        ),
        (
            "type Query { a: Int } enum Boolean { YES }",
            "s.graphql:1:28",
        ),
        (
            "type Query { a: Int } scalar __Type",
            "`__Type` is built in, and an object type",
        ),
        (
            "type Query { a: __Own } type __Own { a: Int }",
            "the name `__Own` begins with `__`",
        ),
        ("type Query { __a: Int }", "s.graphql:1:14"),
        ("type Query { a(__b: Int): Int }", "`__b` begins with"),
        ("type Query { a: E } enum E { __A }", "`__A` begins with"),
        (
            "directive @__d on FIELD type Query { a: Int }",
            "`__d` begins with",
        ),
        (
            "schema { query: Q } type Q { a: Int } schema { query: Q }",
            "s.graphql:1:39",
        ),
        (
            "schema { query: Q query: R } type Q { a: Int } type R { a: Int }",
            "the schema has two query roots",
        ),
        (
            "schema { query: Q } type Q { a: Int } extend schema { query: Q }",
            "s.graphql:1:62",
        ),
        (
            "schema { query: Q mutation: Q } type Q { a: Int }",
            "`Q` is two roots",
        ),
        (
            "schema { quary: Q } type Q { a: Int }",
            "expected `query`, `mutation` or `subscription`, found `quary`",
        ),
        ("schema { query: Q, 5 } type Q { a: Int }", "s.graphql:1:20"),
        ("type A { a: Int } schema { mutation: A }", "s.graphql:1:19"),
        (
            "type Query { a(i: I): Int } input I { i: J! } input J { i: I! = {} }",
            "`I` cannot be filled",
        ),
        (
            "type Query { a(i: I): Int } input I { a: Int, i: I! }",
            "s.graphql:1:35",
        ),
        (
            "interface N { a: Int } type Query implements N { b: Int }",
            "`Query` implements `N`, but has no field `a`",
        ),
        (
            "interface N { a: Int! } type Query implements N { a: Int }",
            "its `a` is `Int`, not `Int!`",
        ),
        (
            "interface N { a: [N] } type Query implements N { a: [Int] }",
            "its `a` is `[Int]`, not `[N]`",
        ),
        (
            "interface N { a(b: Int): Int } type Query implements N { a: Int }",
            "its `a` has no argument `b`",
        ),
        (
            "interface N { a(b: Int): Int } type Query implements N { a(b: ID): Int }",
            "argument `b` of its `a` is `ID`, not `Int`",
        ),
        (
            "interface N { a: Int } type Query implements N { a(b: Int!): Int }",
            "its `a` also needs an argument `b`",
        ),
        (
            "interface M { a: Int } interface N implements M { a: Int } type Query implements N { a: Int }",
            "`Query` implements `N`, but not `M`",
        ),
        ("type Query { a: Int } union U =", "the text ends too early"),
    ] {
        let said = refused(sdl);
        assert!(said.contains(wanted), "{sdl}\n{said}");
        assert!(said.contains("s.graphql:1:"), "no place: {sdl}\n{said}");
    }
}

#[test]
fn what_is_odd_and_true_is_accepted() {
    for sdl in [
        // Two ways to end a cycle: null and the empty list.
        "type Query { a(i: I): Int } input I { i: [I!]! j: J! } input J { i: I }",
        "interface N { a: N } interface M implements N { a: M! } \
         type Query implements N & M { a: Query! b(c: Int! = 1): U } union U = Query",
        "interface N { a: U } union U = Query type Query implements N { a(b: Int): Query }",
        "scalar Int scalar Boolean type Query { a: Int }",
        "type __Type { name: String } type Query { a: Int }",
        "extend schema { mutation: M } type Query { a: Int } type M { a: Int }",
        "schema { mutation: M } extend schema { query: Q } type Q { a: Int } type M { a: Int }",
    ] {
        assert_eq!(refused(sdl), "accepted", "{sdl}");
    }
}

#[test]
fn lies_that_a_document_reaches_are_told_with_their_place() {
    for (sdl, document, wanted) in [
        ("type Query { a: Int b: Int a: Int }", "{ a }", "1:28"),
        ("type Query { a(b: Int, b: Int): Int }", "{ a }", "1:24"),
        ("type Query { a: E } enum E { A B A }", "{ a }", "1:34"),
        (
            "type Query { a(i: I): Int } input I { a: Int a: Int }",
            "{ a }",
            "1:46",
        ),
        (
            "type Query { a(i: I): Int } input I { i: I! }",
            "{ a }",
            "cannot be filled",
        ),
        (
            "type Query { a: A } interface A implements B { x: Int } interface B implements A { x: Int }",
            "{ a { x } }",
            "`A` implements itself",
        ),
        (
            "type Query { a: N } interface N { x: Int } type T implements N { y: Int }",
            "{ a { x ... on T { y } } }",
            "`T` implements `N`, but has no field `x`",
        ),
        (
            "type Query { a: U } union U = Query | Gone",
            "{ a { __typename } }",
            "1:39",
        ),
        (
            "directive @d(a: Gone) on FIELD type Query { a: Int }",
            "{ a }",
            "1:17",
        ),
        (
            "directive @d on NOWHERE type Query { a: Int }",
            "{ a }",
            "1:17",
        ),
        ("type Query { a(b: Int = \"x\" c): Int }", "{ a }", "1:30"),
    ] {
        let said = problems(&schema(sdl), document);
        assert!(said.contains(wanted), "{sdl}\n{said}");
        assert!(
            said.contains("schema.graphql:1:"),
            "no place: {sdl}\n{said}"
        );
    }
}

#[test]
fn a_document_that_cannot_be_read_is_told_with_its_place() {
    for (document, place) in [
        ("", "1:1"),
        ("# nothing", "1:1"),
        ("\n\n{ a", "3:"),
        ("{ a(", "1:"),
        (&format!("query Q {}", "{ a ".repeat(300)), "1:"),
        (
            &format!("{{ shop }} # (((\nquery Q {}", "{ a ".repeat(300)),
            "2:",
        ),
    ] {
        let said = problems(&admin(), document);
        assert!(
            said.contains(&format!("q.graphql:{place}")),
            "{document}\n{said}"
        );
    }
}

#[test]
fn long_lists_of_the_same_end() {
    let many = 100_000;
    let names = |of: &str, end: &str| {
        (0..many)
            .map(|n| format!("{of}{} {end}", n / 2))
            .collect::<String>()
    };
    for sdl in [
        format!("type Query {{ {} }}", names("a", ": Int ")),
        format!("type Query {{ a({}): Int }}", names("a", ": Int ")),
        format!("type Query {{ a: E }} enum E {{ {} }}", names("A", "")),
        format!(
            "type Query {{ a(i: I): Int }} input I {{ {} }}",
            names("a", ": Int ")
        ),
        format!(
            "type Query {{ a: U }} union U = {}",
            "| Query ".repeat(many)
        ),
        format!("type Query {{ a: Int }} {}", names("type T", "{ a: Int }")),
        format!(
            "schema {{ {} }} type Q {{ a: Int }}",
            "query: Q ".repeat(many)
        ),
    ] {
        let said = within_patience(|| refused(&sdl));
        assert!(
            said.contains("twice") || said.contains("two"),
            "{}",
            &said[..200]
        );
    }
}

#[test]
fn only_what_a_document_reaches_of_a_broken_schema_counts() {
    let schema =
        schema("type Query { good: Int bad: Missing worse: Broken } type Broken { a(x): Int }");
    validate(&schema, "{ good }").unwrap();
    let said = problems(&schema, "{ bad }");
    assert!(
        said.contains("names `Missing`") && said.contains("schema.graphql:1:29"),
        "{said}"
    );
    let said = problems(&schema, "{ worse { a } }");
    assert!(
        said.contains("syntax error") && said.contains("schema.graphql:1:"),
        "{said}"
    );
}

#[test]
fn deep_schemas_end() {
    let deep = 10_000;
    for sdl in [
        format!(
            "type Query {{ a: {}Int{} }}",
            "[".repeat(deep),
            "]".repeat(deep)
        ),
        format!(
            "type Query {{ a(b: Int = {}1{}): Int }}",
            "[".repeat(deep),
            "]".repeat(deep)
        ),
    ] {
        let said = within_patience(|| refused(&sdl));
        assert!(said.contains("nested too deeply"), "{said}");
    }
    let mut chain = String::from("type Query { a: I0 }");
    for index in 0..5_000 {
        chain += &format!(
            "interface I{index} implements I{} {{ a: Int }}",
            (index + 1) % 5_000
        );
    }
    within_patience(|| assert!(refused(&chain).contains("implements itself")));
}

#[test]
fn json_that_is_no_schema_is_refused() {
    for (json, wanted) in [
        ("{", "line 1 column 1"),
        ("{}", "no `__schema`"),
        (r#"{"data": null}"#, "no `__schema`"),
        (
            r#"{"__schema": {"queryType": {"name": "Q"}, "types": [{"kind": "MAGIC", "name": "Q"}]}}"#,
            "unknown variant `MAGIC`, expected one of `SCALAR`",
        ),
        (
            r#"{"__schema": {"queryType": {"name": "Q"}, "types": [{"kind": "OBJECT", "name": "Q", "fields": [{"name": "a", "type": {"kind": "LIST"}}]}]}}"#,
            "a type has no name at line 1 column 134",
        ),
        (
            "{\"__schema\": {\"queryType\": {\"name\": \"Q\"},\n\"types\": [{\"kind\": \"ENUM\", \"name\": \"Q { a: Int } type R\"}]}}",
            "\"Q { a: Int } type R\" is not a name of GraphQL at line 2 column 57",
        ),
        (
            r#"{"__schema": {"queryType": {"name": ""}, "types": []}}"#,
            "\"\" is not a name",
        ),
        (
            r#"{"__schema": {"queryType": {"name": "Q"}, "types": [{"kind": "OBJECT", "name": "Q", "fields": [{"name": "a", "type": {"kind": "NON_NULL", "ofType": {"kind": "NON_NULL", "ofType": {"kind": "SCALAR", "name": "Int"}}}}]}]}}"#,
            "`NON_NULL` twice",
        ),
    ] {
        let said = introspection::to_sdl(json.as_bytes())
            .unwrap_err()
            .to_string();
        assert!(said.contains(wanted), "{json}\n{said}");
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(introspection::to_sdl(deep.as_bytes()).is_err());
}
