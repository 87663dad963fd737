//! Prices by rule, on a small schema.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says when it is skipped"
)]

mod limits;
mod overrides;
mod rules;
mod tokens;
mod trusted;

use std::path::Path;

use serde_json::{Map, Value};
use tollgate_codegen::document::{self, Document, Valid};
use tollgate_codegen::pricing::{self, Bounds, Priced, Rules};
use tollgate_codegen::schema::Schema;
use tollgate_codegen::source::Source;
use tollgate_cost::Points;

fn schema() -> Schema {
    let sdl = Source::new("schema.graphql", include_str!("schema.graphql"));
    Schema::from_sdl(sdl).unwrap_or_else(|problems| panic!("{problems}"))
}

fn document(schema: &Schema, text: &str) -> Valid<Document> {
    let source = Source::new("queries.graphql", text);
    document::validate(schema, vec![source]).unwrap_or_else(|problems| panic!("{problems}"))
}

fn priced(text: &str) -> Priced {
    let schema = schema();
    let document = document(&schema, text);
    pricing::price(
        &schema,
        &document,
        &document.operations[0],
        Rules::newest(),
        Bounds::default(),
    )
}

/// The price of a call.
fn price(text: &str, variables: Value) -> Points {
    let Value::Object(variables) = variables else {
        panic!("variables are an object");
    };
    let plan = priced(text).plan;
    plan.price(&variables)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// The price of an operation without variables.
fn fixed(text: &str) -> Points {
    price(text, Value::Object(Map::new()))
}

/// Compares with a reviewed file beside this one; `TOLLGATE_UPDATE=1` writes it instead.
fn golden(name: &str, made: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/pricing")
        .join(name);
    if std::env::var_os("TOLLGATE_UPDATE").is_some() {
        std::fs::write(&path, made).expect("the file can be written");
    }
    let reviewed = std::fs::read_to_string(&path).expect("the file was reviewed");
    assert_eq!(made, reviewed, "{}", path.display());
}
