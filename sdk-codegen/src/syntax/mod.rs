//! Everything that touches `bluejay`: parsing, validation, and conversion to our own types.

mod definition;
mod document;
mod problem;
mod schema;
mod selection;
mod value;

pub(crate) use document::{parse as parse_document, parse_unvalidated};
pub(crate) use schema::ParsedSchema;
