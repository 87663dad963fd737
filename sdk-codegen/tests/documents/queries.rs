use std::path::Path;

use tollgate_codegen::document;
use tollgate_codegen::schema::Schema;
use tollgate_codegen::source::Files;

use super::{admin, shared, workspace};

fn operations_validate(schema: &Schema) {
    let mut files = Files::new(workspace());
    let sources = files.documents(&[Path::new("queries")]).unwrap();
    let document = document::validate(schema, sources).unwrap_or_else(|e| panic!("{e}"));
    assert!(document.operations.len() >= 25);
}

#[test]
fn our_operations_pass_against_our_schema() {
    let schema = admin();
    schema.check().unwrap_or_else(|e| panic!("{e}"));
    operations_validate(&schema);
}

#[test]
fn our_operations_pass_against_the_real_schema() {
    let Some(path) = shared("schema/admin_2026-10.graphql.gz") else {
        return;
    };
    let source = Files::new(workspace()).schema(&path).unwrap();
    operations_validate(&Schema::from_sdl(source).unwrap());
}
