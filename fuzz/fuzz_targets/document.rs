//! Any document under our schema: it is refused at a place, or it is priced and becomes Rust.
#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use tollgate_codegen::document;
use tollgate_codegen::emit::{self, Settings};
use tollgate_codegen::pricing::{self, Bounds, Rules};
use tollgate_codegen::schema::Schema;
use tollgate_codegen::source::Source;

fn schema() -> &'static Schema {
    static SCHEMA: OnceLock<Schema> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let text = include_str!("../../schema/admin.graphql");
        match Schema::from_sdl(Source::new("admin.graphql", text)) {
            Ok(schema) => schema,
            Err(problems) => panic!("{problems}"),
        }
    })
}

fuzz_target!(|text: &str| {
    let schema = schema();
    let document = match document::validate(schema, vec![Source::new("query.graphql", text)]) {
        Ok(document) => document,
        Err(problems) => {
            assert!(problems.has_errors() && !problems.to_string().is_empty());
            return;
        }
    };
    let _ = document::lint(schema, &document);
    let mut plans = Vec::new();
    for operation in &document.operations {
        let priced = pricing::price(schema, &document, operation, Rules::newest(), Bounds::default());
        let _ = pricing::check(&document, operation, &priced);
        plans.push(priced.plan);
    }
    if let Ok(code) = emit::operations(schema, &document, &plans, &Settings::default()) {
        let tokens = code.tokens();
        assert!(tokens.is_ok(), "not Rust:\n{}", code.text);
        if let Err(error) = syn::parse_file(&code.text) {
            panic!("not Rust: {error}\n{}", code.text);
        }
    }
});
