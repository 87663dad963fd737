//! Source texts and places in them, and the files they come from. Nothing else touches files.

mod cache;
mod digest;
mod error;
mod files;

pub use cache::Cache;
pub(crate) use digest::Digest;
pub use error::SourceError;
pub use files::Files;

use std::ops::Range;
use std::sync::Arc;

/// A text with the name that diagnostics call it by, usually its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// What diagnostics call it: a path relative to where the user looks from.
    pub name: Arc<str>,
    /// The text.
    pub text: Arc<str>,
}

impl Source {
    /// A source from memory.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
        }
    }

    /// Line and column (in characters) of a byte offset, both counted from 1.
    #[must_use]
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let mut end = offset.min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &self.text[..end];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() + 1;
        (line, before[line_start..].chars().count() + 1)
    }
}

/// A place in one of the sources of a document set.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// Index of the source.
    pub source: usize,
    /// Byte range in its text.
    pub range: Range<usize>,
}
