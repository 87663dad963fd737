use std::io;

use super::Place;

/// A line that has found its place in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record<'a> {
    pub(super) place: Place,
    /// The row it belongs to, counted from 0.
    pub(super) root: u64,
    /// The line number of its parent; 0 for a root.
    pub(super) parent: u64,
    pub(super) connection: u32,
    pub(super) text: &'a str,
}

/// Five numbers and the connection before the text, little endian.
const HEADER: usize = 5 * 8 + 4;

impl<'a> Record<'a> {
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let length = self.text.len() as u64;
        let Place { line, offset } = self.place;
        for number in [line, offset, self.root, self.parent, length] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.extend_from_slice(&self.connection.to_le_bytes());
        out.extend_from_slice(self.text.as_bytes());
    }

    /// The records that [`Self::write`] wrote one after the other.
    pub(super) fn read_all(mut bytes: &'a [u8]) -> io::Result<Vec<Self>> {
        let mut records = Vec::new();
        while !bytes.is_empty() {
            let damaged = || io::Error::new(io::ErrorKind::InvalidData, "a record is damaged");
            let (record, rest) = Self::read(bytes).ok_or_else(damaged)?;
            records.push(record);
            bytes = rest;
        }
        Ok(records)
    }

    fn read(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let (header, rest) = bytes.split_at_checked(HEADER)?;
        let (numbers, connection) = header.as_chunks::<8>();
        let [line, offset, root, parent, length] = numbers.first_chunk()?.map(u64::from_le_bytes);
        let (text, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
        let record = Self {
            place: Place { line, offset },
            root,
            parent,
            connection: u32::from_le_bytes(*connection.first_chunk()?),
            text: std::str::from_utf8(text).ok()?,
        };
        Some((record, rest))
    }
}
