//! Documents against schemas: what is valid, what is not, and how it is said.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says what it skips"
)]

mod generated;
mod hostile;
mod queries;
mod rules;
mod schemas;

use std::path::PathBuf;

use tollgate_codegen::diagnostic::Diagnostics;
use tollgate_codegen::document::{self, Document, Valid};
use tollgate_codegen::schema::Schema;
use tollgate_codegen::source::Source;

fn workspace() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A file of the shared test data, or a line that says that the test was skipped.
fn shared(file: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("TOLLGATE_SHARED")
        .map_or_else(|| workspace().join("../shared"), PathBuf::from);
    let path = folder.join(file);
    if !path.exists() {
        println!("skipped: there is no {file} in the shared test data");
        return None;
    }
    Some(path)
}

fn admin() -> Schema {
    let text = std::fs::read_to_string(workspace().join("schema/admin.graphql")).unwrap();
    schema(&text)
}

fn schema(text: &str) -> Schema {
    Schema::from_sdl(Source::new("schema.graphql", text)).unwrap_or_else(|e| panic!("{e}"))
}

fn validate(schema: &Schema, text: &str) -> Result<Valid<Document>, Diagnostics> {
    document::validate(schema, vec![Source::new("q.graphql", text)])
}

/// The problems of a document, rendered.
fn problems(schema: &Schema, text: &str) -> String {
    validate(schema, text)
        .map(|_| "valid".to_owned())
        .unwrap_or_else(|problems| problems.to_string())
}
