//! Source texts and places in them, and the files they come from. Nothing else touches files.

mod cache;
mod digest;
mod error;
mod file;
mod files;
mod lines;

pub use cache::Cache;
pub(crate) use digest::Digest;
pub use error::SourceError;
pub use file::{MAX_FILE, read_text};
pub(crate) use file::{read, text_if_any};
pub use files::Files;

use std::ops::Range;
use std::sync::Arc;

use lines::Lines;

/// A text with the name that diagnostics call it by, usually its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// What diagnostics call it: a path relative to where the user looks from.
    pub name: Arc<str>,
    /// The text.
    pub text: Arc<str>,
    lines: Lines,
}

impl Source {
    /// A source from memory.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
            lines: Lines::default(),
        }
    }

    /// Line and column (in characters) of a byte offset, both counted from 1. The first call reads
    /// the text, further ones look it up.
    #[must_use]
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        self.lines.place(&self.text, self.floor(offset))
    }

    /// The last boundary of a character that is not behind a byte offset.
    pub(crate) fn floor(&self, offset: usize) -> usize {
        let mut at = offset.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
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

impl Span {
    /// Where it begins, as people say it: `queries/orders.graphql:3:7`. `None` when the sources are
    /// not those that it is of.
    #[must_use]
    pub fn place(&self, sources: &[Source]) -> Option<String> {
        let source = sources.get(self.source)?;
        let (line, column) = source.line_column(self.range.start);
        Some(format!("{}:{line}:{column}", source.name))
    }
}
