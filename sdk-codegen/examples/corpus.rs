//! Prices a corpus of recorded answers and says where the rules are wrong.
//!
//! `cargo run --release -p tollgate-codegen --example corpus -- CORPUS.json.gz SCHEMA_DIR`

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Read;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};
use tollgate_codegen::document;
use tollgate_codegen::pricing::{self, Bounds, Rules, Shape};
use tollgate_codegen::schema::Schema;
use tollgate_codegen::source::Source;

#[derive(Deserialize)]
struct Pair {
    id: String,
    source: String,
    date: Option<String>,
    api_version: Option<String>,
    operation: String,
    variables: Map<String, Value>,
    requested: u64,
    actual: Option<u64>,
    result_shape: Option<Value>,
}

fn shape(value: &Value) -> Shape {
    match value {
        Value::Null => Shape::Null,
        Value::Object(fields) => {
            if let Some(runs) = fields.get("$l").and_then(Value::as_array) {
                return Shape::List(
                    runs.iter()
                        .map(|run| (run[0].as_u64().unwrap_or(0), shape(&run[1])))
                        .collect(),
                );
            }
            Shape::Object {
                of: fields.get("__t").and_then(Value::as_str).map(str::to_owned),
                fields: fields
                    .iter()
                    .filter(|(k, _)| *k != "__t")
                    .map(|(k, v)| (k.clone(), shape(v)))
                    .collect(),
            }
        }
        _ => Shape::Leaf,
    }
}

fn expand(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            if let (Some(count), Some(item)) = (fields.get("$repeat"), fields.get("item")) {
                let item = expand(item.clone());
                let count = count.as_u64().unwrap_or(0) as usize;
                return Value::Array(vec![item; count]);
            }
            Value::Object(fields.into_iter().map(|(k, v)| (k, expand(v))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(expand).collect()),
        other => other,
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let corpus = arguments.next().ok_or("which corpus?")?;
    let directory = arguments.next().ok_or("which schemas?")?;
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(corpus)?).read_to_string(&mut text)?;
    let pairs: Vec<Pair> = serde_json::from_str(&text)?;
    let mut schemas = BTreeMap::new();
    for version in ["2025-10", "2026-04", "2026-07", "2026-10"] {
        let path = Path::new(&directory).join(format!("admin_{version}.graphql"));
        let text = std::fs::read_to_string(path)?;
        schemas.insert(
            version,
            Schema::from_sdl(Source::new(version, text)).map_err(|e| e.to_string())?,
        );
    }
    let mut exact = 0;
    let mut invalid = 0;
    let mut stats = [[0; 3]; 2];
    for pair in &pairs {
        let version = pair.api_version.as_deref().unwrap_or("2025-10");
        let version = if version < "2025-10" {
            "2025-10"
        } else {
            version
        };
        let schema = &schemas[version];
        let source = || vec![Source::new(pair.id.as_str(), pair.operation.as_str())];
        let document = document::validate(schema, source()).or_else(|problems| {
            invalid += 1;
            println!(
                "invalid {} {version} {:?} {}",
                pair.id, pair.api_version, problems.list[0].message
            );
            document::trust(schema, source())
        });
        let document = document.map_err(|e| e.to_string())?;
        let rules = Rules::on(pair.date.as_deref().unwrap_or("2026-08-01"));
        let priced = pricing::price(
            schema,
            &document,
            &document.operations[0],
            &rules,
            Bounds::default(),
        );
        let variables = match expand(Value::Object(pair.variables.clone())) {
            Value::Object(v) => v,
            _ => unreachable!(),
        };
        if let (Some(theirs), Some(result)) = (pair.actual, &pair.result_shape) {
            let ours = pricing::actual(
                schema,
                &document,
                &document.operations[0],
                &rules,
                &variables,
                &shape(result),
            )
            .0;
            let key = if pair.source.starts_with("shopify") {
                0
            } else {
                1
            };
            stats[key][0] += 1;
            if ours == theirs {
                stats[key][1] += 1;
            }
            if ours.abs_diff(theirs) <= 1 {
                stats[key][2] += 1;
            }
            if ours != theirs {
                println!(
                    "actual {} {:?} ours {ours} theirs {theirs} requested {}\n    {}\n    {}",
                    pair.id, pair.date, pair.requested, pair.operation, result
                );
            }
        }
        match priced.plan.price(&variables) {
            Ok(points) if points.0 == pair.requested => exact += 1,
            Ok(points) => println!(
                "miss {} {} {:?} ours {} theirs {}\n  {}\n {}",
                pair.id,
                pair.source,
                pair.date,
                points,
                pair.requested,
                pair.operation,
                serde_json::to_string(&pair.variables)?
                    .chars()
                    .take(300)
                    .collect::<String>()
            ),
            Err(error) => println!("miss {} {error}", pair.id),
        }
    }
    println!("stats {stats:?}");
    println!("invalid {invalid}");
    println!("exact {exact} of {}", pairs.len());
    Ok(())
}
