use std::error::Error;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use flate2::read::GzDecoder;
use serde::Deserialize;
use serde_json::{Map, Value};
use tollgate_codegen::pricing::Shape;

/// An operation that a server has answered, with what it charged.
#[derive(Deserialize)]
pub(crate) struct Recording {
    pub(crate) id: String,
    pub(crate) source: String,
    date: Option<String>,
    pub(crate) api_version: Option<String>,
    pub(crate) operation: String,
    #[serde(default)]
    variables: Map<String, Value>,
    pub(crate) requested: u64,
    pub(crate) actual: Option<u64>,
    result_shape: Option<Value>,
}

/// Reads a corpus, plain or gzipped by its name.
pub(crate) fn read(path: &Path) -> Result<Vec<Recording>, Box<dyn Error>> {
    let file = BufReader::new(File::open(path)?);
    if path.extension().is_some_and(|ending| ending == "gz") {
        Ok(serde_json::from_reader(BufReader::new(GzDecoder::new(
            file,
        )))?)
    } else {
        Ok(serde_json::from_reader(file)?)
    }
}

impl Recording {
    /// The day of the answer, or as much of it as is known, as `2026-07-29`.
    pub(crate) fn day(&self) -> Option<&str> {
        let date = self.date.as_deref()?;
        let day = date.trim_start_matches(|letter: char| !letter.is_ascii_digit());
        (!day.is_empty()).then_some(day)
    }

    /// The variables, with repeated items written out.
    pub(crate) fn variables(&self) -> Map<String, Value> {
        let fields = self.variables.iter();
        fields
            .map(|(name, value)| (name.clone(), written_out(value)))
            .collect()
    }

    /// The answer, where it was recorded.
    pub(crate) fn answer(&self) -> Option<Shape> {
        self.result_shape.as_ref().map(shape)
    }
}

/// `{"$repeat": n, "item": …}` as a list.
fn written_out(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            if let (Some(count), Some(item)) = (fields.get("$repeat"), fields.get("item")) {
                let count = count.as_u64().and_then(|count| usize::try_from(count).ok());
                return Value::Array(vec![written_out(item); count.unwrap_or(0)]);
            }
            let fields = fields.iter();
            Value::Object(
                fields
                    .map(|(name, value)| (name.clone(), written_out(value)))
                    .collect(),
            )
        }
        Value::Array(items) => Value::Array(items.iter().map(written_out).collect()),
        other => other.clone(),
    }
}

/// `{"$l": [[count, shape], …]}` is a list, and `__t` the type of an object.
fn shape(value: &Value) -> Shape {
    let Value::Object(fields) = value else {
        return if value.is_null() {
            Shape::Null
        } else {
            Shape::Leaf
        };
    };
    if let Some(Value::Array(runs)) = fields.get("$l") {
        let run = |run: &Value| Some((run.get(0)?.as_u64()?, shape(run.get(1)?)));
        return Shape::List(runs.iter().filter_map(run).collect());
    }
    let own = fields.iter().filter(|(name, _)| *name != "__t");
    Shape::Object {
        of: fields.get("__t").and_then(Value::as_str).map(str::to_owned),
        fields: own
            .map(|(name, value)| (name.clone(), shape(value)))
            .collect(),
    }
}
