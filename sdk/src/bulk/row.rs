use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::record::{Leaf, Record};
use super::scan::value_of;
use super::{JsonlError, Place, Shape};
use crate::DecodeError;

/// One root object with its children put back where the document selects them, as JSON text.
///
/// Rows that were completed together share one buffer, which lives as long as any of them.
#[derive(Clone)]
pub struct RawRow {
    text: Arc<Text>,
    json: Range<usize>,
    /// Which parts of the text are its own.
    parts: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    /// Where it starts in the assembled text.
    at: usize,
    place: Place,
}

impl RawRow {
    /// The object, of the shape that the same selection gives in an ordinary answer.
    #[must_use]
    pub fn json(&self) -> &str {
        &self.text.json[self.json.clone()]
    }

    /// The line of the root object.
    #[must_use]
    pub fn place(&self) -> Place {
        self.place_of(0)
    }

    /// The line that a byte of the text came from.
    #[must_use]
    pub fn place_of(&self, offset: usize) -> Place {
        let parts = &self.text.parts[self.parts.clone()];
        let offset = self.json.start + offset;
        let after = parts.partition_point(|part| part.at <= offset);
        parts[after.max(1) - 1].place
    }

    /// Decodes the row.
    ///
    /// # Errors
    /// [`JsonlError::Row`] with the line that does not fit.
    pub fn decode<T>(
        &self,
        decode: impl FnOnce(&str) -> Result<T, DecodeError>,
    ) -> Result<T, JsonlError> {
        decode(self.json()).map_err(|source| JsonlError::Row {
            place: self.place_of(source.offset()),
            source,
        })
    }
}

impl fmt::Debug for RawRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawRow")
            .field("place", &self.place())
            .field("json", &self.json())
            .finish()
    }
}

impl PartialEq for RawRow {
    fn eq(&self, other: &Self) -> bool {
        self.json() == other.json() && self.place() == other.place()
    }
}

impl Eq for RawRow {}

/// Rows that were completed together, as an iterator.
#[derive(Clone, Debug, Default)]
pub struct RawRows {
    text: Arc<Text>,
    next: usize,
}

impl RawRows {
    /// How many are left.
    #[must_use]
    pub fn len(&self) -> usize {
        self.text.ends.len() - self.next
    }

    /// Whether none are left.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Iterator for RawRows {
    type Item = RawRow;

    fn next(&mut self) -> Option<RawRow> {
        let before = self.next.checked_sub(1).map(|last| self.text.ends[last]);
        let (json, parts) = before.unwrap_or_default();
        let (json_end, parts_end) = *self.text.ends.get(self.next)?;
        self.next += 1;
        Some(RawRow {
            text: Arc::clone(&self.text),
            json: json..json_end,
            parts: parts..parts_end,
        })
    }
}

/// The text of rows, one after the other.
#[derive(Debug, Default)]
pub(super) struct Text {
    json: String,
    /// Which part of the text came from which line, in the order of the text.
    parts: Vec<Part>,
    /// Where the text and the parts of every row end.
    ends: Vec<(usize, usize)>,
}

impl Text {
    /// Rows that are handed on together, and how much text is enough for fewer of them.
    const ROWS: usize = 128;
    const LENGTH: usize = 256 << 10;

    /// What is there, if it is enough to be handed on.
    pub(super) fn full(&mut self) -> Option<RawRows> {
        let is_full = self.ends.len() >= Self::ROWS || self.json.len() >= Self::LENGTH;
        is_full.then(|| self.take())
    }

    /// What is there.
    pub(super) fn take(&mut self) -> RawRows {
        let (json, parts) = (self.json.len(), self.parts.len());
        let text = std::mem::take(self);
        // The next rows are likely to be as long.
        self.json.reserve(json);
        self.parts.reserve(parts);
        RawRows {
            text: Arc::new(text),
            next: 0,
        }
    }

    /// Adds the row that records of one root make, in their order.
    pub(super) fn row(&mut self, shape: &Shape, records: Leaf<'_>) -> Result<(), JsonlError> {
        let (root, text) = records.get(0);
        let tree = Tree { shape, records };
        tree.node(root, text, self)?;
        self.end();
        Ok(())
    }

    /// Adds a row that is one line, with the text that `write` appends.
    pub(super) fn line(&mut self, place: Place, write: impl FnOnce(&mut String)) {
        self.part(place, "");
        write(&mut self.json);
        self.end();
    }

    fn part(&mut self, place: Place, text: &str) {
        let at = self.json.len();
        self.parts.push(Part { at, place });
        self.json.push_str(text);
    }

    fn end(&mut self) {
        self.ends.push((self.json.len(), self.parts.len()));
    }
}

/// The records of one row, in order; the root is the first.
struct Tree<'a> {
    shape: &'a Shape,
    records: Leaf<'a>,
}

impl Tree<'_> {
    fn node(&self, record: Record, text: &str, row: &mut Text) -> Result<(), JsonlError> {
        let mut places = Vec::new();
        for connection in self.shape.children(record.connection as usize) {
            let children = self.children(connection, record.place.line);
            match slot(text, &self.shape.connections[connection].path) {
                Some(slot) => places.push((slot, connection, children)),
                None if children.len() == 0 => {}
                None => {
                    let (child, text) = children.get(0);
                    return Err(unknown(child.place, text));
                }
            }
        }
        places.sort_by_key(|(slot, ..)| slot.start);
        let mut written = 0;
        let mut filled = None;
        for (slot, connection, children) in places {
            if written < slot.start || written == 0 {
                row.part(record.place, &text[written..slot.start]);
                written = slot.start;
            }
            if !slot.empty || filled == Some(slot.start) {
                row.json.push(',');
            }
            filled = Some(slot.start);
            self.connection(connection, children, row)?;
        }
        row.part(record.place, &text[written..]);
        Ok(())
    }

    fn connection(
        &self,
        index: usize,
        children: Leaf<'_>,
        row: &mut Text,
    ) -> Result<(), JsonlError> {
        let connection = &self.shape.connections[index];
        row.json.push_str(&connection.open);
        for (index, (child, text)) in children.iter().enumerate() {
            if index > 0 {
                row.json.push(',');
            }
            row.json.push_str(&connection.open_node);
            self.node(child, text, row)?;
            row.json.push_str(&connection.close_node);
        }
        row.json.push_str(&connection.close);
        Ok(())
    }

    fn children(&self, connection: usize, parent: u64) -> Leaf<'_> {
        let key = |record: &Record| (record.connection as usize, record.parent);
        let start = self.records.partition(|r| key(r) < (connection, parent));
        let end = self.records.partition(|r| key(r) <= (connection, parent));
        self.records.slice(start..end)
    }
}

/// Where members can be added to an object: before its closing bracket.
struct Slot {
    start: usize,
    empty: bool,
}

fn slot(text: &str, path: &[Cow<'static, str>]) -> Option<Slot> {
    let mut object = 0..text.len();
    for key in path {
        let inner = value_of(&text[object.clone()], key)?;
        object = object.start + inner.start..object.start + inner.end;
    }
    let inner = text[object.clone()].strip_prefix('{')?.strip_suffix('}')?;
    Some(Slot {
        start: object.end - 1,
        empty: inner.trim_ascii().is_empty(),
    })
}

/// The error for a line that no connection takes.
pub(super) fn unknown(place: Place, text: &str) -> JsonlError {
    let start = start_of(text);
    JsonlError::UnknownLine { place, start }
}

/// The first letters of a line, for an error.
fn start_of(text: &str) -> String {
    const SHOWN: usize = 120;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
