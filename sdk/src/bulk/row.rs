use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;

use super::record::Record;
use super::scan::value_of;
use super::{JsonlError, Place, Shape};
use crate::DecodeError;

/// One root object with its children put back where the document selects them, as JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawRow {
    json: String,
    /// Which part of the text came from which line, in the order of the text.
    parts: Vec<Part>,
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
        &self.json
    }

    /// The line of the root object.
    #[must_use]
    pub fn place(&self) -> Place {
        self.place_of(0)
    }

    /// The line that a byte of the text came from.
    #[must_use]
    pub fn place_of(&self, offset: usize) -> Place {
        let after = self.parts.partition_point(|part| part.at <= offset);
        self.parts[after.max(1) - 1].place
    }

    /// Decodes the row.
    ///
    /// # Errors
    /// [`JsonlError::Row`] with the line that does not fit.
    pub fn decode<T>(
        &self,
        decode: impl FnOnce(&str) -> Result<T, DecodeError>,
    ) -> Result<T, JsonlError> {
        decode(&self.json).map_err(|source| JsonlError::Row {
            place: self.place_of(source.offset()),
            source,
        })
    }

    /// A row that is one line.
    pub(super) fn single(record: &Record<'_>) -> Self {
        Self {
            json: record.text.to_owned(),
            parts: vec![Part {
                at: 0,
                place: record.place,
            }],
        }
    }
}

/// Puts all records of a chunk together, one row per root, in the order of the roots.
pub(super) fn assemble(shape: &Shape, chunk: &[u8]) -> Result<VecDeque<RawRow>, JsonlError> {
    let mut records = Record::read_all(chunk)?;
    // Stable: children keep the order of the file.
    records.sort_by_key(|record| (record.root, record.connection, record.parent));
    let rows = records.chunk_by(|a, b| a.root == b.root);
    rows.map(|records| Tree { shape, records }.row()).collect()
}

/// The records of one row, sorted by connection and parent; the root is the first.
struct Tree<'a> {
    shape: &'a Shape,
    records: &'a [Record<'a>],
}

impl Tree<'_> {
    fn row(&self) -> Result<RawRow, JsonlError> {
        let texts: usize = self
            .records
            .iter()
            .map(|record| record.text.len() + 16)
            .sum();
        let mut row = RawRow {
            json: String::with_capacity(texts),
            parts: Vec::with_capacity(self.records.len()),
        };
        self.node(&self.records[0], &mut row)?;
        Ok(row)
    }

    fn node(&self, record: &Record<'_>, row: &mut RawRow) -> Result<(), JsonlError> {
        let text = record.text;
        let mut places = Vec::new();
        for connection in self.shape.children(record.connection as usize) {
            let children = self.children(connection, record.place.line);
            match slot(text, &self.shape.connections[connection].path) {
                Some(slot) => places.push((slot, connection, children)),
                None => match children.first() {
                    Some(child) => return Err(unknown(child)),
                    None => continue,
                },
            }
        }
        places.sort_by_key(|(slot, ..)| slot.start);
        let mut written = 0;
        let mut filled = None;
        let part = |row: &mut RawRow, text: Range<usize>| {
            row.parts.push(Part {
                at: row.json.len(),
                place: record.place,
            });
            row.json.push_str(&record.text[text]);
        };
        for (slot, connection, children) in places {
            if written < slot.start || written == 0 {
                part(row, written..slot.start);
                written = slot.start;
            }
            if !slot.empty || filled == Some(slot.start) {
                row.json.push(',');
            }
            filled = Some(slot.start);
            self.connection(connection, children, row)?;
        }
        part(row, written..text.len());
        Ok(())
    }

    fn connection(
        &self,
        index: usize,
        children: &[Record<'_>],
        row: &mut RawRow,
    ) -> Result<(), JsonlError> {
        let connection = &self.shape.connections[index];
        row.json.push_str(&connection.open);
        for (index, child) in children.iter().enumerate() {
            if index > 0 {
                row.json.push(',');
            }
            row.json.push_str(&connection.open_node);
            self.node(child, row)?;
            row.json.push_str(&connection.close_node);
        }
        row.json.push_str(&connection.close);
        Ok(())
    }

    fn children(&self, connection: usize, parent: u64) -> &[Record<'_>] {
        let key = |record: &Record<'_>| (record.connection as usize, record.parent);
        let start = self
            .records
            .partition_point(|r| key(r) < (connection, parent));
        let rest = &self.records[start..];
        let end = rest.partition_point(|r| key(r) <= (connection, parent));
        &rest[..end]
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
pub(super) fn unknown(record: &Record<'_>) -> JsonlError {
    JsonlError::UnknownLine {
        place: record.place,
        start: start_of(record.text),
    }
}

/// The first letters of a line, for an error.
fn start_of(text: &str) -> String {
    const SHOWN: usize = 120;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
