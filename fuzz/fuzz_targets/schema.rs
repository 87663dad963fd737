//! Any text as a schema: it is read, refused or found to contradict itself, and nothing else.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tollgate_codegen::document;
use tollgate_codegen::schema::Schema;
use tollgate_codegen::source::Source;

fuzz_target!(|text: &str| {
    let Ok(schema) = Schema::from_sdl(Source::new("schema.graphql", text)) else {
        return;
    };
    let consistent = schema.check();
    if let Err(problems) = &consistent {
        assert!(!problems.to_string().is_empty());
    }
    let names: Vec<_> = schema.type_names().map(str::to_owned).collect();
    for name in names {
        let _ = schema.possible_types(&name);
    }
    let query = Source::new("query.graphql", "query Anything { __typename }");
    if let Err(problems) = document::validate(&schema, vec![query]) {
        assert!(!problems.to_string().is_empty());
    }
});
