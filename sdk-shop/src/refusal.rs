//! Entries of `errors`, in the shapes of the server.

pub(crate) mod validation;

use serde::Serialize;
use serde_json::{Map, Value};

/// One entry of `errors`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Refusal {
    pub(crate) message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) path: Vec<Value>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(crate) extensions: Map<String, Value>,
}

/// A place in the document, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Location {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

impl Refusal {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            locations: Vec::new(),
            path: Vec::new(),
            extensions: Map::new(),
        }
    }

    /// `ACCESS_DENIED`, with the scope that is missing.
    pub(crate) fn access_denied(message: &str, scope: &str) -> Self {
        let required = format!("`{scope}` access scope.");
        Self::new(format!("{message}. Required access: {required}"))
            .code("ACCESS_DENIED")
            .extension(
                "documentation",
                "https://shopify.dev/api/usage/access-scopes",
            )
            .extension("requiredAccess", required)
    }

    pub(crate) fn code(self, code: &str) -> Self {
        self.extension("code", code)
    }

    pub(crate) fn extension(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.extensions.insert(name.to_owned(), value.into());
        self
    }

    pub(crate) fn at(mut self, path: &[Value]) -> Self {
        self.path = path.to_vec();
        self
    }
}
