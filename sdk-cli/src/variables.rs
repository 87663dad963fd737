//! Variables of operations, as they are given.

use std::path::Path;

use serde_json::{Map, Value};
use tollgate_codegen::diagnostic::suggest;
use tollgate_codegen::document::{Operation, Variable};
use tollgate_codegen::schema::TypeRef;

use crate::error::Error;
use crate::file;
use crate::project::Project;

/// Variables as an option names them: an object in JSON, or a file that holds one.
pub(crate) fn object(given: &str) -> Result<Map<String, Value>, Error> {
    if !given.trim_start().starts_with(['{', '[']) {
        return file::json(Path::new(given));
    }
    serde_json::from_str(given).map_err(|source| Error::Json {
        path: "--variables".into(),
        source,
    })
}

/// The variables that were given: those of the one operation, or an object of them by operation.
pub(crate) struct Given {
    object: Map<String, Value>,
    only: bool,
}

impl Given {
    /// Reads them, if there are some.
    pub(crate) fn read(
        given: Option<&str>,
        project: &Project,
        operations: &[&Operation],
    ) -> Result<Option<Self>, Error> {
        let Some(given) = given else { return Ok(None) };
        let object = object(given)?;
        let only = operations.len() == 1;
        if !only {
            // A misspelt name would be left out.
            let names: Vec<_> = object.keys().cloned().collect();
            project.operations(&names)?;
        }
        Ok(Some(Self { object, only }))
    }

    /// Those of an operation: under its name, or, when it is the only one, the whole object.
    pub(crate) fn of(&self, operation: &Operation) -> Map<String, Value> {
        match self.object.get(&operation.name) {
            Some(Value::Object(own)) => own.clone(),
            _ if self.only => self.object.clone(),
            _ => Map::new(),
        }
    }
}

/// Refuses what an operation does not declare, and what is no number where it wants one: the price
/// would not see either.
pub(crate) fn check(operation: &Operation, given: &Map<String, Value>) -> Result<(), Error> {
    for (name, value) in given {
        let Some(variable) = operation.variable(name) else {
            let known = operation.variables.iter().map(|v| v.name.as_str());
            let close = suggest(name, known).map(|close| format!("; did you mean `${close}`?"));
            return Err(Error::Wrong(format!(
                "{} has no variable `${name}`{}",
                of_operation(operation),
                close.unwrap_or_default()
            )));
        };
        if !is_of(value, &variable.ty) {
            return Err(wrong(operation, variable, &format!("is {}", brief(value))));
        }
    }
    Ok(())
}

/// Refuses to go without what an operation needs.
pub(crate) fn complete(operation: &Operation, given: &Map<String, Value>) -> Result<(), Error> {
    let mut required = operation.variables.iter().filter(|v| v.is_required());
    match required.find(|variable| !given.contains_key(&variable.name)) {
        Some(variable) => Err(wrong(operation, variable, "is not given")),
        None => Ok(()),
    }
}

/// Whether a value can be of a type, as far as nulls, lists and `Int` go.
fn is_of(value: &Value, ty: &TypeRef) -> bool {
    match (value, ty) {
        (Value::Null, ty) => !ty.is_non_null(),
        (Value::Array(items), TypeRef::List { item, .. }) => {
            items.iter().all(|value| is_of(value, item))
        }
        // One item stands for a list of it.
        (value, TypeRef::List { item, .. }) => is_of(value, item),
        (value, TypeRef::Named { name, .. }) if name == "Int" => {
            value.as_i64().is_some_and(|n| i32::try_from(n).is_ok())
        }
        _ => true,
    }
}

/// A value as far as a message shows it.
fn brief(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn wrong(operation: &Operation, variable: &Variable, is: &str) -> Error {
    let Variable { name, ty, .. } = variable;
    let operation = of_operation(operation);
    Error::Wrong(format!("`${name}` of {operation} {is}: it must be `{ty}`"))
}

fn of_operation(operation: &Operation) -> String {
    match operation.name.as_str() {
        "" => "the operation".to_owned(),
        name => format!("`{name}`"),
    }
}
