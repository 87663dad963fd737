//! The golden files: `TOLLGATE_UPDATE=1 cargo test -p tollgate-codegen` writes them anew. They
//! compile, and what they do is tested, in the test `generated`.

use std::fs;
use std::path::Path;

use tollgate_codegen::emit::{self, Layout, Settings};

fn check(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let schema = super::schema(&fs::read_to_string(folder.join("schema.graphql")).unwrap());
    let text = fs::read_to_string(folder.join(format!("{name}.graphql"))).unwrap();
    let document = super::document(&schema, &text);
    let plans = super::plans(&schema, &document);
    let settings = Settings {
        graphql_client: !matches!(name, "abstract" | "root"),
        layout: Layout::File,
        ..Settings::default()
    };
    let code = emit::operations(&schema, &document, &plans, &settings);
    let code = code.unwrap().text;
    let golden = folder.join(format!("{name}.rs"));
    if std::env::var_os("TOLLGATE_UPDATE").is_some() {
        fs::write(&golden, &code).unwrap();
    }
    let known = fs::read_to_string(&golden).unwrap_or_default();
    assert!(
        code == known,
        "{} is not what is emitted: run with TOLLGATE_UPDATE=1 and look at the difference",
        golden.display()
    );
}

#[test]
fn roots_that_are_fragments() {
    check("root");
}

#[test]
fn selections() {
    check("selections");
}

#[test]
fn interfaces_and_unions() {
    check("abstract");
}

#[test]
fn names_of_the_prelude() {
    check("prelude");
}

#[test]
fn inputs_and_scalars() {
    check("inputs");
}
