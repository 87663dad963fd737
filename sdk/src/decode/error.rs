use std::{borrow::Cow, fmt};

use super::path::{self, Step};
use crate::answer::Said;

/// Why the `data` of an answer does not fit the type generated for it.
#[derive(Clone, PartialEq, Eq)]
pub struct DecodeError(Box<Failure>);

#[derive(Clone, PartialEq, Eq)]
struct Failure {
    path: Vec<Step>,
    expected: Cow<'static, str>,
    found: String,
    offset: usize,
    line: usize,
    column: usize,
}

/// Reading failed; the [`Reader`](super::Reader) knows why and where.
///
/// A type's code hands this on in place of a [`DecodeError`], which would have to be dropped: every
/// copy of a reading function would hold what that takes. The same goes for the path, which the text
/// tells just as well.
#[derive(Clone, Copy, Debug)]
pub struct Failed;

impl DecodeError {
    /// An error at the byte `offset` of `text`.
    pub(crate) fn new(
        expected: impl Into<Cow<'static, str>>,
        found: String,
        text: &str,
        offset: usize,
    ) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self(Box::new(Failure {
            path: path::to(text, offset),
            expected: expected.into(),
            found,
            offset,
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }))
    }

    /// The object that ends before `offset` has no field `key`.
    pub(super) fn missing(key: &str, text: &str, offset: usize) -> Self {
        let found = "an object without it".to_owned();
        let mut error = Self::new(format!("the field `{key}`"), found, text, offset);
        error.0.path = path::to(text, offset.saturating_sub(1));
        error.0.path.push(Step::Key(key.to_owned()));
        error
    }

    /// Where in `data`, as `products.nodes[3].title`; empty for `data` itself.
    #[must_use]
    pub fn path(&self) -> String {
        let mut path = String::new();
        for step in &self.0.path {
            match step {
                Step::Key(key) if path.is_empty() => path.push_str(key),
                Step::Key(key) => path.extend([".", key]),
                Step::Index(index) => path.push_str(&format!("[{index}]")),
            }
        }
        path
    }

    /// What the type wants: `String`, `an object`, the field that is missing.
    #[must_use]
    pub fn expected(&self) -> &str {
        &self.0.expected
    }

    /// What the answer holds there; long texts are cut.
    #[must_use]
    pub fn found(&self) -> &str {
        &self.0.found
    }

    /// Byte offset in the text of `data`, from 0.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// Line in the text of `data`, from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.0.line
    }

    /// Column in that line, in characters, from 1.
    #[must_use]
    pub fn column(&self) -> usize {
        self.0.column
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path();
        let path = Said(if path.is_empty() { "data" } else { &path });
        let Failure {
            expected,
            found,
            offset,
            line,
            column,
            ..
        } = &*self.0;
        write!(
            f,
            "cannot decode `{path}`: expected {expected}, found {found} (line {line}, column {column}, byte {offset})"
        )
    }
}

impl fmt::Debug for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DecodeError")
            .field("path", &self.path())
            .field("expected", &self.0.expected)
            .field("found", &self.0.found)
            .field("offset", &self.0.offset)
            .field("line", &self.0.line)
            .field("column", &self.0.column)
            .finish()
    }
}

impl std::error::Error for DecodeError {}
