use std::io;
use std::ops::Range;

use super::Place;

/// A line that has found its place in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) place: Place,
    /// The row it belongs to, counted from 0.
    pub(super) root: u64,
    /// The line number of its parent; 0 for a root.
    pub(super) parent: u64,
    pub(super) connection: u32,
}

impl Record {
    /// Rows one after the other, the root of each first, children beside their siblings.
    fn order(&self) -> (u64, u32, u64) {
        (self.root, self.connection, self.parent)
    }
}

/// Records, their text in one piece.
#[derive(Clone, Debug, Default)]
pub(super) struct Sheet {
    text: String,
    entries: Vec<Entry>,
}

/// A record, and where its text begins and ends.
pub(super) type Entry = (Record, usize, usize);

/// Some records of a [`Sheet`] that follow each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf<'a> {
    text: &'a str,
    entries: &'a [Entry],
}

/// Five numbers and the connection, little endian.
const HEADER: usize = 5 * 8 + 4;

impl Sheet {
    /// Adds a record, with the text that `write` appends.
    pub(super) fn push(&mut self, record: Record, write: impl FnOnce(&mut String)) {
        let start = self.text.len();
        write(&mut self.text);
        self.entries.push((record, start, self.text.len()));
    }

    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.entries.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Bytes held.
    pub(super) fn size(&self) -> usize {
        self.text.len() + self.entries.len() * size_of::<Entry>()
    }

    /// Puts the records in order; equals stay as they came, so children keep the order of the file.
    pub(super) fn sort(&mut self) {
        self.entries.sort_by_key(|(record, ..)| record.order());
    }

    /// Puts the records in another order; equals stay as they came.
    pub(super) fn sort_by(&mut self, key: impl Fn(&Record) -> u64) {
        self.entries.sort_by_key(|(record, ..)| key(record));
    }

    pub(super) fn leaf(&self) -> Leaf<'_> {
        Leaf {
            text: &self.text,
            entries: &self.entries,
        }
    }

    /// Adds what [`Leaf::write`] wrote: so many records, with so many bytes of text after them.
    pub(super) fn read(
        &mut self,
        records: usize,
        length: usize,
        from: &mut impl io::Read,
    ) -> io::Result<()> {
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "a record is damaged");
        let mut headers = vec![0; records * HEADER];
        from.read_exact(&mut headers)?;
        let mut end = self.text.len();
        for header in headers.as_chunks::<HEADER>().0 {
            let (numbers, connection) = header.as_chunks::<8>();
            let numbers = numbers.first_chunk().ok_or_else(damaged)?;
            let [line, offset, root, parent, length] = numbers.map(u64::from_le_bytes);
            let connection = connection.first_chunk().ok_or_else(damaged)?;
            let record = Record {
                place: Place { line, offset },
                root,
                parent,
                connection: u32::from_le_bytes(*connection),
            };
            let start = end;
            end += usize::try_from(length).map_err(|_| damaged())?;
            self.entries.push((record, start, end));
        }
        let mut bytes = std::mem::take(&mut self.text).into_bytes();
        let start = bytes.len();
        bytes.resize(start + length, 0);
        from.read_exact(&mut bytes[start..])?;
        self.text = String::from_utf8(bytes).map_err(|_| damaged())?;
        if end == self.text.len() {
            return Ok(());
        }
        Err(damaged())
    }
}

impl<'a> Leaf<'a> {
    pub(super) fn len(self) -> usize {
        self.entries.len()
    }

    pub(super) fn get(self, index: usize) -> (Record, &'a str) {
        let (record, start, end) = self.entries[index];
        (record, &self.text[start..end])
    }

    pub(super) fn iter(self) -> impl Iterator<Item = (Record, &'a str)> {
        (0..self.len()).map(move |index| self.get(index))
    }

    pub(super) fn slice(self, range: Range<usize>) -> Self {
        Self {
            entries: &self.entries[range],
            ..self
        }
    }

    /// How many records from the start `holds` is true of; the records are in its order.
    pub(super) fn partition(self, holds: impl Fn(&Record) -> bool) -> usize {
        self.entries.partition_point(|(record, ..)| holds(record))
    }

    /// How many records from the start `holds` is true of, found by looking at each.
    pub(super) fn ahead(self, holds: impl Fn(&Record) -> bool) -> usize {
        let other = self.entries.iter().position(|(record, ..)| !holds(record));
        other.unwrap_or(self.len())
    }

    /// Bytes of text.
    pub(super) fn length(self) -> usize {
        self.entries.iter().map(|(_, start, end)| end - start).sum()
    }

    /// Writes the records, then their text.
    pub(super) fn write(self, to: &mut impl io::Write) -> io::Result<()> {
        let mut headers = Vec::with_capacity(self.len() * HEADER);
        for (record, text) in self.iter() {
            let Place { line, offset } = record.place;
            let length = text.len() as u64;
            for number in [line, offset, record.root, record.parent, length] {
                headers.extend_from_slice(&number.to_le_bytes());
            }
            headers.extend_from_slice(&record.connection.to_le_bytes());
        }
        to.write_all(&headers)?;
        self.iter()
            .try_for_each(|(_, text)| to.write_all(text.as_bytes()))
    }

    /// Bytes that [`Self::write`] writes.
    pub(super) fn written(self) -> usize {
        self.len() * HEADER + self.length()
    }
}
