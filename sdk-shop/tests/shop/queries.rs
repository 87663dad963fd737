//! The operations of the project, all of them, against the embedded schema and the real one.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tollgate_codegen::document::{Document, Valid, validate};
use tollgate_codegen::emit;
use tollgate_codegen::schema::{Schema, TypeKind, TypeRef};
use tollgate_codegen::source::Source;
use tollgate_shop::{SCHEMA, Shop};

use super::ask;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All documents in one text; `None` outside of the workspace.
fn queries() -> Option<String> {
    fn read(folder: &Path, text: &mut String) -> Option<()> {
        let mut paths: Vec<_> = std::fs::read_dir(folder)
            .ok()?
            .map(|entry| entry.unwrap().path())
            .collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                read(&path, text)?;
            } else {
                text.push_str(&std::fs::read_to_string(path).unwrap());
            }
        }
        Some(())
    }
    let mut text = String::new();
    read(&workspace().join("queries"), &mut text)?;
    Some(text)
}

/// Some value of an input type: nothing that may be left out.
fn sample(schema: &Schema, ty: &TypeRef) -> Value {
    let TypeRef::Named { name, .. } = ty else {
        let TypeRef::List { item, .. } = ty else {
            unreachable!()
        };
        return json!([sample(schema, item)]);
    };
    match &schema.get(name).unwrap().kind {
        TypeKind::Enum { values } => values[0].name.as_str().into(),
        TypeKind::Input {
            fields,
            one_of: true,
        } => {
            json!({ &fields[0].name: sample(schema, &fields[0].ty) })
        }
        TypeKind::Input { fields, .. } => {
            let required = fields.iter().filter(|field| field.is_required());
            let required = required.map(|field| (field.name.clone(), sample(schema, &field.ty)));
            Value::Object(required.collect::<Map<_, _>>())
        }
        _ => match name.as_str() {
            "ID" => "gid://shopify/Product/1".into(),
            "Int" => 2.into(),
            "Float" => 0.5.into(),
            "Boolean" => true.into(),
            "Money" | "Decimal" => "1.50".into(),
            "DateTime" => "2026-01-01T00:00:00Z".into(),
            "Date" => "2026-01-01".into(),
            _ => "x".into(),
        },
    }
}

async fn all_answer(schema: Arc<Schema>, queries: &str) {
    let document: Valid<Document> =
        validate(&schema, vec![Source::new("queries", queries)]).unwrap();
    let shop = Shop::builder()
        .parsed_schema(Arc::clone(&schema))
        .bucket(1_000_000, 100)
        .build()
        .unwrap();
    let mut answered = 0;
    for operation in &document.operations {
        if operation
            .directives
            .iter()
            .any(|directive| directive.name == "bulk")
        {
            continue;
        }
        let given = operation.variables.iter();
        let given =
            given.filter(|variable| variable.ty.is_non_null() && variable.default.is_none());
        let variables: Map<_, _> = given
            .map(|variable| (variable.name.clone(), sample(&schema, &variable.ty)))
            .collect();
        let sent = emit::minified(&document, operation);
        let body = ask(&shop, &sent, Value::Object(variables)).await;
        assert_eq!(body.get("errors"), None, "{}: {body}", operation.name);
        assert!(body["data"].is_object(), "{}", operation.name);
        let cost = &body["extensions"]["cost"];
        let (actual, requested) = (&cost["actualQueryCost"], &cost["requestedQueryCost"]);
        assert!(
            actual.as_u64() <= requested.as_u64(),
            "{}: {cost}",
            operation.name
        );
        answered += 1;
    }
    assert!(answered > 25, "only {answered} operations");
    shop.assert_no_throttles();
}

#[tokio::test]
async fn all_answer_with_the_embedded_schema() {
    let Some(queries) = queries() else {
        println!("skipped: not in the project's workspace");
        return;
    };
    let schema = Schema::from_sdl(Source::new("admin.graphql", SCHEMA)).unwrap();
    all_answer(Arc::new(schema), &queries).await;
}

#[tokio::test]
async fn all_answer_with_the_real_schema() {
    let shared = std::env::var_os("TOLLGATE_SHARED");
    let shared = shared.map_or_else(|| workspace().join("../shared"), PathBuf::from);
    let file = std::fs::File::open(shared.join("schema/admin_2026-10.graphql.gz"));
    let (Some(queries), Ok(file)) = (queries(), file) else {
        println!("skipped: the real schema is not there");
        return;
    };
    let mut sdl = String::new();
    flate2::read::GzDecoder::new(file)
        .read_to_string(&mut sdl)
        .unwrap();
    let schema = Schema::from_sdl(Source::new("admin_2026-10.graphql", sdl)).unwrap();
    all_answer(Arc::new(schema), &queries).await;
}
