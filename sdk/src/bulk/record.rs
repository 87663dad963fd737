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

    /// Writes it and how much text follows it, its root counted from `first`: in digits, so that
    /// records and their texts are one text.
    pub(super) fn write(&self, first: u64, length: usize, to: &mut Vec<u8>) {
        let Place { line, offset } = self.place;
        let numbers = [
            self.root - first,
            self.connection.into(),
            line,
            offset,
            // Most parents are near; an early line has one that comes later.
            zigzag(line.wrapping_sub(self.parent).cast_signed()),
            length as u64,
        ];
        for number in numbers {
            write_number(number, to);
        }
    }

    /// Reads what [`Self::write`] wrote at `at`, and moves it on.
    fn read(first: u64, from: &[u8], at: &mut usize) -> Option<(Self, usize)> {
        let mut number = || read_number(from, at);
        let root = first.checked_add(number()?)?;
        let connection = u32::try_from(number()?).ok()?;
        let (line, offset) = (number()?, number()?);
        let parent = line.wrapping_sub(unzigzag(number()?).cast_unsigned());
        let record = Self {
            place: Place { line, offset },
            root,
            parent,
            connection,
        };
        Some((record, usize::try_from(number()?).ok()?))
    }
}

/// Bits of a number in one byte; the next one says whether more follow. The byte is ASCII, always.
const DIGIT: u32 = 6;
const MORE: u8 = 1 << DIGIT;

fn write_number(mut number: u64, to: &mut Vec<u8>) {
    while number >> DIGIT > 0 {
        to.push(low(number) | MORE);
        number >>= DIGIT;
    }
    to.push(low(number));
}

/// The lowest digit.
fn low(number: u64) -> u8 {
    let [byte, ..] = number.to_le_bytes();
    byte & (MORE - 1)
}

fn read_number(from: &[u8], at: &mut usize) -> Option<u64> {
    let (mut number, mut shift) = (0_u64, 0);
    loop {
        let byte = *from.get(*at)?;
        *at += 1;
        number |= u64::from(byte & (MORE - 1)).checked_shl(shift)?;
        if byte & MORE == 0 {
            return Some(number);
        }
        shift += DIGIT;
    }
}

/// Numbers near 0, above or below, as small ones.
fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)).cast_unsigned()
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
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

    /// Puts the records in order; equals stay as they came, so children keep the order of the file.
    pub(super) fn sort(&mut self) {
        self.entries.sort_by_key(|(record, ..)| record.order());
    }

    pub(super) fn leaf(&self) -> Leaf<'_> {
        Leaf {
            text: &self.text,
            entries: &self.entries,
        }
    }

    /// Gives its buffer away, empty, to be filled and read.
    pub(super) fn take(&mut self) -> Vec<u8> {
        let mut bytes = std::mem::take(&mut self.text).into_bytes();
        bytes.clear();
        bytes
    }

    /// Becomes what [`Record::write`] and texts after it wrote, roots counted from `first`.
    pub(super) fn read(&mut self, first: u64, bytes: Vec<u8>) -> io::Result<()> {
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "a record is damaged");
        self.entries.clear();
        self.text = String::from_utf8(bytes).map_err(|_| damaged())?;
        let mut at = 0;
        while at < self.text.len() {
            let record = Record::read(first, self.text.as_bytes(), &mut at);
            let (record, length) = record.ok_or_else(damaged)?;
            let end = at.checked_add(length).ok_or_else(damaged)?;
            if self.text.get(at..end).is_none() {
                return Err(damaged());
            }
            self.entries.push((record, at, end));
            at = end;
        }
        Ok(())
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_size_come_back_as_ascii() {
        let edges = (0..64).flat_map(|bit| [(1_u64 << bit) - 1, 1 << bit]);
        for number in edges.chain([u64::MAX]) {
            let mut bytes = Vec::new();
            write_number(number, &mut bytes);
            assert!(bytes.is_ascii(), "{number}");
            let mut at = 0;
            assert_eq!(read_number(&bytes, &mut at), Some(number));
            assert_eq!(at, bytes.len());
            assert_eq!(zigzag(unzigzag(number)), number);
            assert_eq!(read_number(&bytes[..at - 1], &mut 0), None);
        }
    }

    #[test]
    fn records_come_back_wherever_their_parents_are() {
        for (line, parent) in [(9, 0), (9, 8), (9, 40), (u64::MAX, 1), (1, u64::MAX)] {
            let record = Record {
                place: Place {
                    line,
                    offset: 1 << 40,
                },
                root: 77,
                parent,
                connection: 4,
            };
            let mut bytes = Vec::new();
            record.write(70, "ä".len(), &mut bytes);
            bytes.extend_from_slice("ä".as_bytes());
            let mut sheet = Sheet::default();
            sheet.read(70, bytes.clone()).unwrap();
            assert_eq!(sheet.leaf().get(0), (record, "ä"));
            for end in 1..bytes.len() {
                let error = sheet.read(70, bytes[..end].to_vec()).unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{end}");
            }
        }
    }
}
