//! The build-time library of Tollgate: schema, documents, pricing and Rust emission.
//!
//! The way of data: [`source`] reads files, [`schema`] turns SDL or introspection JSON into a
//! [`schema::Schema`], [`document`] validates documents against it and gives a
//! [`document::Valid`], which pricing and emission take. Problems are [`diagnostic::Diagnostic`]s:
//! data first, rendered last. The macros and the command call the same functions.

pub mod bulk;
pub mod diagnostic;
pub mod diff;
pub mod document;
pub mod emit;
pub mod generate;
pub mod pages;
pub mod pricing;
pub mod schema;
pub mod source;
mod syntax;
pub mod usage;
