use std::ops::Range;

use super::scan::Keys;
use super::{Line, Place};

/// Lines with their keys.
#[derive(Debug)]
pub(super) struct Scanned {
    text: String,
    lines: Vec<(Place, Range<usize>, Keys)>,
}

impl Scanned {
    /// How much text is handed on together at the most, but for the last line.
    const LENGTH: usize = 64 << 10;

    pub(super) fn new() -> Self {
        Self {
            // The last line goes beyond it, and most are shorter than this.
            text: String::with_capacity(Self::LENGTH + (4 << 10)),
            lines: Vec::with_capacity(Self::LENGTH >> 7),
        }
    }

    /// What there is, to be handed on.
    pub(super) fn take(&mut self) -> Self {
        std::mem::replace(self, Self::new())
    }

    pub(super) fn push(&mut self, line: Line<'_>, keys: Keys) {
        let start = self.text.len();
        self.text.push_str(line.text);
        self.lines.push((line.place, start..self.text.len(), keys));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Whether there is enough to be handed on.
    pub(super) fn is_full(&self) -> bool {
        self.text.len() >= Self::LENGTH
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Place, &str, &Keys)> {
        let lines = self.lines.iter();
        lines.map(|(place, range, keys)| (*place, &self.text[range.clone()], keys))
    }
}
