use tollgate_codegen::document;
use tollgate_codegen::emit::{self, Layout};
use tollgate_codegen::generate::{self, Deprecated, Documents, Output, Settings};
use tollgate_codegen::source::{Files, Source};

use super::{admin, validate, workspace};

fn settings(document: &str) -> Settings {
    Settings {
        schema: "schema/admin.graphql".into(),
        documents: Documents::Inline(Source::new("q.graphql", document)),
        operation: None,
        costs: None,
        page_size: None,
        scalars_module: None,
        deprecated: Deprecated::Warn,
        emit: emit::Settings::default(),
    }
}

fn generate(settings: &Settings) -> Output {
    generate::generate(settings, Files::new(workspace()))
}

fn warnings(document: &str) -> String {
    let schema = admin();
    let valid = validate(&schema, document).unwrap_or_else(|e| panic!("{e}"));
    let warnings = document::lint(&schema, &valid);
    let messages = warnings.iter().map(|warning| warning.message.as_str());
    messages.collect::<Vec<_>>().join("\n")
}

#[test]
fn mutations_that_need_an_idempotency_key_are_warned_of() {
    let mutation = |directive: &str, variable: &str| {
        format!(
            "mutation M($i: InventorySetQuantitiesInput!{variable}) {{ ...F }}\n\
             fragment F on Mutation {{ inventorySetQuantities(input: $i) {directive} {{ userErrors {{ field }} }} }}"
        )
    };
    let said = warnings(&mutation("", ""));
    assert_eq!(
        said,
        "the server refuses `inventorySetQuantities` without an idempotency key"
    );
    let said = warnings(&mutation("@idempotent(key: \"a\")", ""));
    assert!(said.contains("its key is always the same"), "{said}");
    assert_eq!(
        warnings(&mutation("@idempotent(key: $k)", ", $k: String!")),
        ""
    );
    assert_eq!(
        warnings("mutation M { tagsAdd(id: 1, tags: []) { node { id } } }"),
        ""
    );
}

#[test]
fn everything_that_is_read_is_tracked() {
    let output = generate(&Settings {
        documents: Documents::Paths(vec!["queries/shop.graphql".into()]),
        ..settings("")
    });
    assert!(!output.diagnostics.has_errors(), "{}", output.diagnostics);
    let read: Vec<_> = output
        .files_read
        .iter()
        .filter_map(|path| path.file_name())
        .collect();
    assert_eq!(
        read,
        ["shop.graphql", "admin.graphql"].map(std::ffi::OsStr::new)[..],
        "sorted by path"
    );
    let expansion = output.expansion();
    for file in &output.files_read {
        assert!(expansion.contains(&format!("include_bytes!({:?})", file.display().to_string())));
    }
}

#[test]
fn what_cannot_be_generated_still_has_its_names() {
    let output = generate(&settings(
        "query Wrong { shop { nmae ...Part } }\nfragment Part on Shop { id }",
    ));
    let expansion = output.expansion();
    assert!(
        expansion.contains("compile_error!(\"`Shop` has no field `nmae`\\n"),
        "{expansion}"
    );
    for name in [
        "type Wrong =",
        "mod wrong {",
        "async fn wrong<",
        "type Part =",
    ] {
        assert!(expansion.contains(name), "{name}\n{expansion}");
    }
    assert!(
        expansion.contains("admin.graphql"),
        "a refused build is rebuilt when a file changes"
    );
}

#[test]
fn a_price_that_is_too_high_keeps_the_types() {
    let document = "query Dear { orders(first: 250) { nodes { lineItems(first: 250) { nodes { \
         variant { inventoryItem { inventoryLevels(first: 250) { nodes { location { id } } } } } } } } } }";
    let output = generate(&settings(document));
    assert!(output.diagnostics.has_errors());
    assert!(output.code.contains("pub struct Dear;"));
    let expansion = output.expansion();
    assert_eq!(expansion.matches("compile_error!").count(), 1);
    assert!(expansion.contains("`Dear` costs"), "{expansion}");
}

#[test]
fn deprecated_fields_are_warned_of_allowed_or_denied() {
    let mut settings = settings("query Old { orders(first: 1) { nodes { riskLevel } } }");
    let output = generate(&settings);
    assert!(!output.diagnostics.has_errors());
    assert!(
        output
            .expansion()
            .contains("#[deprecated(note = \"the field `riskLevel` is deprecated")
    );
    settings.deprecated = Deprecated::Allow;
    assert!(generate(&settings).diagnostics.list.is_empty());
    settings.deprecated = Deprecated::Deny;
    assert!(generate(&settings).diagnostics.has_errors());
}

#[test]
fn one_operation_of_several_is_picked_by_its_name() {
    let mut settings = settings("query One { shop { id } }\nquery Two { shop { name } }");
    settings.emit.layout = Layout::OneStruct { name: "Two".into() };
    settings.operation = Some("Two".into());
    let output = generate(&settings);
    assert!(!output.diagnostics.has_errors(), "{}", output.diagnostics);
    assert!(output.code.contains("mod two") && !output.code.contains("mod one"));
    settings.operation = Some("Twu".into());
    let said = generate(&settings).diagnostics.to_string();
    assert!(
        said.contains("no operation is named `Twu`") && said.contains("did you mean `Two`?"),
        "{said}"
    );
}

#[test]
fn all_that_is_wrong_with_the_files_comes_at_once() {
    let output = generate(&Settings {
        schema: "schema/none.graphql".into(),
        documents: Documents::Paths(vec!["none/*.graphql".into()]),
        ..settings("")
    });
    let said = output.diagnostics.to_string();
    assert!(
        said.contains("`schema/none.graphql`") && said.contains("`none/*.graphql`"),
        "{said}"
    );
    assert_eq!(output.expansion().matches("compile_error!").count(), 2);
}

#[test]
fn a_document_that_the_server_would_not_read_is_refused() {
    let refused = |document: &str| {
        let said = generate(&settings(document)).diagnostics.to_string();
        said.contains("letters long as it is sent; the server reads 50000")
    };
    let aliases = |count| -> String {
        (0..count)
            .map(|index| format!(" alias_number_{index}: shop {{ id }}"))
            .collect()
    };
    assert!(refused(&format!("query Long {{{} }}", aliases(3_000))));
    assert!(!refused(&format!("query Long {{{} }}", aliases(1_000))));
    // What is asked for besides, for the sake of decoding, counts too.
    let start = "query Long($x:Boolean!){shop{...F@include(if:$x)}}fragment F on Shop{";
    let padding = "n".repeat(50_000 - start.len() - ":id}".len());
    assert!(refused(&format!("{start}{padding}:id}}")));
    let always = format!("{start}{padding}:id}}").replace("@include(if:$x)", "@include(if:true)");
    assert!(!refused(&always.replace("($x:Boolean!)", "")));
}
