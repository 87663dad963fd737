use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use super::record::{Leaf, Record, Sheet};
use super::{Join, JsonlError};

/// Where lines are kept until they can be handed on.
#[derive(Clone, Debug)]
pub(super) struct Room {
    /// How many bytes stay in memory.
    pub(super) memory: usize,
    /// Where the rest goes; `None` for the system's directory for temporary files.
    pub(super) directory: Option<PathBuf>,
}

impl Default for Room {
    fn default() -> Self {
        Self {
            memory: Join::BUDGET,
            directory: None,
        }
    }
}

impl Room {
    /// A room with a quarter of the memory.
    pub(super) fn quarter(&self) -> Self {
        Self {
            memory: self.memory / 4,
            directory: self.directory.clone(),
        }
    }

    fn directory(&self) -> PathBuf {
        let given = self.directory.clone();
        given.unwrap_or_else(std::env::temp_dir)
    }

    fn failed(&self, source: io::Error) -> JsonlError {
        JsonlError::Disk {
            directory: self.directory(),
            source,
        }
    }
}

/// Records in chunks of so many roots: in memory while they fit, the rest in one unnamed temporary
/// file.
///
/// A record goes to the end of its chunk at once, whatever the order they come in, so nothing is
/// sorted until a chunk is read back.
#[derive(Debug)]
pub(super) struct Spill {
    /// Roots to a chunk: enough to read it back in one go, few enough for it to be small.
    roots: u64,
    room: Room,
    chunks: Vec<Chunk>,
    blocks: Blocks,
    file: Option<File>,
    /// Where the file ends.
    end: u64,
    /// The record that is being added, and its text.
    record: Vec<u8>,
    text: String,
    /// The chunk that was read last.
    page: Sheet,
}

/// What a chunk holds: first what is on disk, then what is in memory.
#[derive(Debug, Default)]
struct Chunk {
    extents: Vec<Extent>,
    blocks: Vec<usize>,
    /// Bytes in the last block; the others are full.
    filled: usize,
}

#[derive(Clone, Copy, Debug)]
struct Extent {
    offset: u64,
    length: usize,
}

/// How much is written at once.
const BUFFER: usize = 128 << 10;

impl Spill {
    pub(super) fn new(roots: u64, room: Room) -> Self {
        Self {
            roots,
            room,
            chunks: Vec::new(),
            blocks: Blocks::default(),
            file: None,
            end: 0,
            record: Vec::new(),
            text: String::new(),
            page: Sheet::default(),
        }
    }

    /// An empty one of the same size.
    pub(super) fn replaced(&mut self) -> Self {
        let empty = Self::new(self.roots, self.room.clone());
        std::mem::replace(self, empty)
    }

    /// How many chunks there are.
    pub(super) fn len(&self) -> usize {
        self.chunks.len()
    }

    /// How many bytes are in memory.
    pub(super) fn held(&self) -> usize {
        self.blocks.given * BLOCK
    }

    /// Changes how many bytes may be.
    pub(super) fn allow(&mut self, memory: usize) {
        self.room.memory = memory;
    }

    /// Adds a record, with the text that `write` appends.
    pub(super) fn push(
        &mut self,
        record: Record,
        write: impl FnOnce(&mut String),
    ) -> Result<(), JsonlError> {
        self.text.clear();
        write(&mut self.text);
        let first = record.root - record.root % self.roots;
        self.record.clear();
        record.write(first, self.text.len(), &mut self.record);
        let chunk = usize::try_from(record.root / self.roots).unwrap_or(usize::MAX - 1);
        if chunk >= self.chunks.len() {
            self.chunks.resize_with(chunk + 1, Chunk::default);
        }
        let chunk = &mut self.chunks[chunk];
        chunk.append(&self.record, &mut self.blocks);
        chunk.append(self.text.as_bytes(), &mut self.blocks);
        if self.held() > self.room.memory {
            self.evict().map_err(|source| self.room.failed(source))?;
        }
        Ok(())
    }

    /// Writes chunks to disk until half of the memory is free, those of the first roots first:
    /// where children follow their parents, nothing comes to them any more.
    fn evict(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            empty => empty.insert(tempfile::tempfile_in(self.room.directory())?),
        };
        file.seek(SeekFrom::Start(self.end))?;
        let mut file = BufWriter::with_capacity(BUFFER, file);
        for chunk in &mut self.chunks {
            if self.blocks.given * BLOCK <= self.room.memory / 2 {
                break;
            }
            let (offset, length) = (self.end, chunk.length());
            chunk.empty(&mut self.blocks, |bytes| file.write_all(bytes))?;
            if length > 0 {
                self.end += length as u64;
                chunk.extents.push(Extent { offset, length });
            }
        }
        file.flush()
    }

    /// Takes a chunk out, and gives its records in order.
    pub(super) fn chunk(&mut self, chunk: usize) -> Result<Leaf<'_>, JsonlError> {
        self.load(chunk)
            .map_err(|source| self.room.failed(source))?;
        Ok(self.page.leaf())
    }

    fn load(&mut self, number: usize) -> io::Result<()> {
        let mut bytes = self.page.take();
        let chunk = self.chunks.get_mut(number).map(std::mem::take);
        let mut chunk = chunk.unwrap_or_default();
        let on_disk = chunk.extents.iter().map(|extent| extent.length);
        bytes.reserve(on_disk.sum::<usize>() + chunk.length());
        for extent in &chunk.extents {
            if let Some(file) = &mut self.file {
                file.seek(SeekFrom::Start(extent.offset))?;
                let read = file.take(extent.length as u64).read_to_end(&mut bytes)?;
                if read < extent.length {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
        }
        chunk.empty(&mut self.blocks, |part| {
            bytes.extend_from_slice(part);
            Ok(())
        })?;
        self.page.read(number as u64 * self.roots, bytes)?;
        self.page.sort();
        Ok(())
    }

    /// The records of the chunk that was read last.
    pub(super) fn same(&self) -> Leaf<'_> {
        self.page.leaf()
    }
}

impl Chunk {
    /// Adds bytes to what is in memory.
    fn append(&mut self, mut bytes: &[u8], memory: &mut Blocks) {
        loop {
            if let Some(last) = self.blocks.last() {
                let room = &mut memory.get(*last)[self.filled..];
                let (fitting, rest) = bytes.split_at(bytes.len().min(room.len()));
                room[..fitting.len()].copy_from_slice(fitting);
                self.filled += fitting.len();
                bytes = rest;
            }
            if bytes.is_empty() {
                return;
            }
            self.blocks.push(memory.give());
            self.filled = 0;
        }
    }

    /// Bytes in memory.
    fn length(&self) -> usize {
        let full = self.blocks.len().saturating_sub(1);
        full * BLOCK + self.filled
    }

    /// Takes out what is in memory, part by part.
    fn empty(
        &mut self,
        memory: &mut Blocks,
        mut take: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut left = self.length();
        self.filled = 0;
        for block in self.blocks.drain(..) {
            let length = left.min(BLOCK);
            take(&memory.get(block)[..length])?;
            memory.take_back(block);
            left -= length;
        }
        Ok(())
    }
}

/// Memory in blocks of one size.
#[derive(Debug, Default)]
struct Blocks {
    slabs: Vec<Box<[u8]>>,
    free: Vec<usize>,
    /// How many are not free.
    given: usize,
}

/// Small, since there may be many chunks, and the last block of each is half empty.
const BLOCK: usize = 1 << 10;
/// How many come from the system together.
const SLAB: usize = 1 << 10;

impl Blocks {
    fn give(&mut self) -> usize {
        self.given += 1;
        self.free.pop().unwrap_or_else(|| {
            let first = self.slabs.len() * SLAB;
            self.slabs.push(vec![0; SLAB * BLOCK].into());
            self.free.extend((first + 1..first + SLAB).rev());
            first
        })
    }

    fn take_back(&mut self, block: usize) {
        self.given -= 1;
        self.free.push(block);
    }

    fn get(&mut self, block: usize) -> &mut [u8] {
        let start = block % SLAB * BLOCK;
        &mut self.slabs[block / SLAB][start..start + BLOCK]
    }
}

#[cfg(test)]
mod tests {
    use super::super::Place;
    use super::*;

    fn record(root: u64, line: u64) -> Record {
        Record {
            place: Place { line, offset: 7 },
            root,
            parent: 0,
            connection: 0,
        }
    }

    fn spill(memory: usize) -> Spill {
        let directory = None;
        Spill::new(8, Room { memory, directory })
    }

    fn fill(spill: &mut Spill) -> Result<(), JsonlError> {
        for line in 0..100 {
            let text = format!("ä {line} {}", "é".repeat(200));
            spill.push(record(line * 37 % 100, line), |to| to.push_str(&text))?;
        }
        Ok(())
    }

    fn cause(error: JsonlError) -> (PathBuf, io::ErrorKind) {
        match error {
            JsonlError::Disk { directory, source } => (directory, source.kind()),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn chunks_come_back_in_order_from_memory_and_from_disk() {
        for budget in [usize::MAX, 20 << 10, 1000, 0] {
            let mut spill = self::spill(budget);
            fill(&mut spill).unwrap();
            assert_eq!(spill.file.is_some(), budget < usize::MAX);
            assert!(spill.held() <= budget);
            let mut roots = 0..100;
            for chunk in 0..spill.len() {
                for (record, text) in spill.chunk(chunk).unwrap().iter() {
                    assert_eq!(Some(record.root), roots.next());
                    assert!(text.starts_with(&format!("ä {} é", record.place.line)));
                }
            }
            assert_eq!(roots.next(), None);
            assert_eq!(spill.chunk(99).unwrap().len(), 0);
            assert_eq!(spill.held(), 0);
        }
    }

    /// A device that has no space left, as a full disk has none.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error() {
        let full = File::options().read(true).write(true).open("/dev/full");
        let mut spill = self::spill(1000);
        spill.file = Some(full.unwrap());
        let error = fill(&mut spill).unwrap_err();
        let cause = self::cause(error);
        assert_eq!(cause, (std::env::temp_dir(), io::ErrorKind::StorageFull));
    }

    /// A file that was cut behind our back.
    #[test]
    fn a_file_that_lost_its_end_is_an_error() {
        let mut spill = self::spill(1000);
        fill(&mut spill).unwrap();
        spill.file.as_ref().unwrap().set_len(100).unwrap();
        let read = (0..spill.len()).map(|chunk| spill.chunk(chunk).map(Leaf::len));
        let error = read.collect::<Result<Vec<_>, _>>().unwrap_err();
        assert_eq!(cause(error).1, io::ErrorKind::UnexpectedEof);
    }
}
