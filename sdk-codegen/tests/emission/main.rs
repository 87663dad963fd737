//! Emission: golden files, and everything that the real schema can say.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says when it is skipped"
)]

mod everything;
mod golden;
mod refusals;
mod sent;

use std::path::PathBuf;

use tollgate_codegen::document::{self, Document, Valid};
use tollgate_codegen::emit::{self, Code, Settings};
use tollgate_codegen::pricing::{self, Bounds, Rules};
use tollgate_codegen::schema::Schema;
use tollgate_codegen::source::Source;
use tollgate_cost::Plan;

/// A schema from text.
fn schema(sdl: &str) -> Schema {
    Schema::from_sdl(Source::new("schema.graphql", sdl))
        .unwrap_or_else(|problems| panic!("{problems}"))
}

/// A document from text, which has to be valid.
fn document(schema: &Schema, text: &str) -> Valid<Document> {
    let sources = vec![Source::new("document.graphql", text)];
    document::validate(schema, sources).unwrap_or_else(|problems| panic!("{problems}"))
}

fn plans(schema: &Schema, document: &Valid<Document>) -> Vec<Plan> {
    let price = |operation| {
        pricing::price(
            schema,
            document,
            operation,
            Rules::newest(),
            Bounds::default(),
        )
        .plan
    };
    document.operations.iter().map(price).collect()
}

fn emitted(schema: &Schema, text: &str, settings: &Settings) -> Code {
    let document = document(schema, text);
    let plans = plans(schema, &document);
    emit::operations(schema, &document, &plans, settings)
        .unwrap_or_else(|problems| panic!("{problems}"))
}

/// The folder of test data that is not ours to commit, or `None`, and the test says so.
fn shared(file: &str) -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared");
    let folder = std::env::var_os("TOLLGATE_SHARED").map_or_else(|| beside.into(), PathBuf::from);
    let path = folder.join(file);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: no {file} (set TOLLGATE_SHARED)");
    None
}
