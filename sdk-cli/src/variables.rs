//! Variables from a file.

use std::path::Path;

use serde_json::{Map, Value};
use tollgate_codegen::document::Operation;

use crate::error::Error;

/// The object in a JSON file.
pub(crate) fn read(path: &Path) -> Result<Map<String, Value>, Error> {
    let text = std::fs::read_to_string(path).map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
    })?;
    serde_json::from_str(&text).map_err(|source| Error::Json {
        path: path.to_owned(),
        source,
    })
}

/// The variables of an operation: under its name, or, when it is the only one, the whole object.
pub(crate) fn of(
    given: &Map<String, Value>,
    operation: &Operation,
    only: bool,
) -> Map<String, Value> {
    match given.get(&operation.name) {
        Some(Value::Object(own)) => own.clone(),
        _ if only => given.clone(),
        _ => Map::new(),
    }
}
