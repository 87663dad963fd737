//! Introspection JSON, as servers answer it, turned into SDL.

mod answer;
mod printer;

use answer::Answer;
use printer::Printer;

/// Why JSON is not a schema.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IntrospectionError {
    /// It is not JSON, or not in the shape of an introspection answer; with line and column.
    #[error("it is not an introspection answer: {0}")]
    Json(#[from] serde_json::Error),
    /// It has neither `__schema` nor `data.__schema`.
    #[error(
        "it has no `__schema`, neither at the top nor under `data`: \
         `tollgate schema pull` asks a server for one"
    )]
    NoSchema,
}

/// Turns an introspection answer, bare or under `data`, into SDL with everything that it says:
/// descriptions, deprecations, defaults, `@oneOf`, directives. Unknown keys are ignored.
///
/// # Errors
/// See [`IntrospectionError`].
pub fn to_sdl(json: &[u8]) -> Result<String, IntrospectionError> {
    let answer: Answer = serde_json::from_slice(json)?;
    let schema = answer
        .schema
        .or_else(|| answer.data.and_then(|data| data.schema))
        .ok_or(IntrospectionError::NoSchema)?;
    Ok(Printer::print(&schema, json.len() / 2))
}
