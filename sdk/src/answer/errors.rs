use std::fmt;

use serde_json::{Map, Value, value::RawValue};

/// What a server said, as messages show it: as far as a person reads. All of it is in the field.
pub(crate) struct Said<'a>(pub(crate) &'a str);

impl fmt::Display for Said<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LONGEST: usize = 1000;
        match self.0.char_indices().nth(LONGEST) {
            Some((end, _)) => write!(f, "{}…", &self.0[..end]),
            None => f.write_str(self.0),
        }
    }
}

/// An entry of the answer's `errors`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct GraphQlError {
    /// For a person; may carry text of the shop's users.
    pub message: String,
    /// `extensions.code`, as the server spells it: upper snake or camel case.
    pub code: Option<String>,
    /// The place in `data` that it concerns; empty when it concerns the whole request.
    pub path: Vec<PathSegment>,
    /// Line and column in the document as sent, counted from 1.
    pub locations: Vec<(u64, u64)>,
    /// All of `extensions`.
    pub extensions: Map<String, Value>,
}

/// A step of a path in `data`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathSegment {
    /// Into the field of this response key.
    Key(String),
    /// Into the element of a list, counted from 0.
    Index(u64),
}

impl GraphQlError {
    /// The path in one piece, as `products.nodes[3].title`.
    #[must_use]
    pub fn path_text(&self) -> String {
        let mut text = String::new();
        for segment in &self.path {
            match segment {
                PathSegment::Key(key) => {
                    if !text.is_empty() {
                        text.push('.');
                    }
                    text.push_str(key);
                }
                PathSegment::Index(index) => text.push_str(&format!("[{index}]")),
            }
        }
        text
    }

    pub(crate) fn has_code(&self, code: &str) -> bool {
        self.code.as_deref() == Some(code)
    }

    pub(crate) fn extension_text(&self, name: &str) -> Option<&str> {
        self.extensions.get(name).and_then(Value::as_str)
    }

    fn message(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            ..Self::default()
        }
    }
}

impl fmt::Display for GraphQlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Said(&self.message).fmt(f)?;
        if let Some(code) = &self.code {
            write!(f, " [{}]", Said(code))?;
        }
        if !self.path.is_empty() {
            write!(f, " at {}", Said(&self.path_text()))?;
        }
        Ok(())
    }
}

impl std::error::Error for GraphQlError {}

/// Reads `errors` in any of the shapes seen: a list of objects, a text, an object of lists.
pub(crate) fn read(raw: &RawValue) -> Vec<GraphQlError> {
    match serde_json::from_str(raw.get()) {
        Ok(Value::Array(entries)) => entries.into_iter().map(entry).collect(),
        Ok(Value::String(message)) => vec![GraphQlError::message(message)],
        Ok(Value::Object(fields)) => fields
            .into_iter()
            .flat_map(|(field, value)| {
                let messages = match value {
                    Value::Array(messages) => messages,
                    other => vec![other],
                };
                messages.into_iter().map(move |message| {
                    GraphQlError::message(format!("{field}: {}", text(&message)))
                })
            })
            .collect(),
        Ok(Value::Null) => Vec::new(),
        Ok(other) => vec![GraphQlError::message(text(&other))],
        Err(error) => vec![GraphQlError::message(format!(
            "the answer's errors cannot be read ({error})"
        ))],
    }
}

fn entry(value: Value) -> GraphQlError {
    let Value::Object(mut fields) = value else {
        return GraphQlError::message(text(&value));
    };
    let extensions = match fields.remove("extensions") {
        Some(Value::Object(extensions)) => extensions,
        _ => Map::new(),
    };
    let message = fields.get("message").map(text);
    GraphQlError {
        code: extensions.get("code").map(text),
        path: path(fields.get("path")),
        locations: list(fields.get("locations"))
            .map(|location| (number(location, "line"), number(location, "column")))
            .collect(),
        message: message.unwrap_or_else(|| Value::Object(fields).to_string()),
        extensions,
    }
}

fn list(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten()
}

pub(super) fn path(value: Option<&Value>) -> Vec<PathSegment> {
    list(value).map(segment).collect()
}

fn segment(value: &Value) -> PathSegment {
    match value.as_u64() {
        Some(index) => PathSegment::Index(index),
        None => PathSegment::Key(text(value)),
    }
}

fn number(location: &Value, name: &str) -> u64 {
    location.get(name).and_then(Value::as_u64).unwrap_or(0)
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
