//! The one place that knows `bluejay`: parsing, validation, and conversion to our own types.
//!
//! A schema is read by its outline first, which is ours, since a proc-macro runs unoptimised and
//! an app reaches about 2 % of the schema; `bluejay` parses each definition when it is asked for.
//! Documents are validated against the slice of the schema that they can see.

mod check;
mod cursor;
mod cycle;
mod definition;
mod descriptions;
mod directive;
mod distinct;
mod document;
mod extent;
mod introspection;
mod outline;
mod problem;
mod promise;
mod role;
mod roots;
mod rule;
mod sdl;
mod selection;
mod slice;
mod slot;
mod value;
mod walk;

pub(crate) use check::check;
pub(crate) use descriptions::descriptions;
pub(crate) use document::{parse as parse_document, parse_unvalidated};
pub(crate) use sdl::Sdl;

/// How deep brackets nest before parsing stops; a selection takes two. Deep enough for any real
/// document, and little enough for the smallest stack that this runs on (2 MB, unoptimised).
const MAX_DEPTH: usize = 200;

/// How long a set of documents may be, in bytes and in tokens: two thousand large operations.
const MAX_BYTES: usize = 2 << 20;
const MAX_TOKENS: usize = 500_000;
