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
    /// Bytes of memory that chunks hold.
    held: usize,
    /// Blocks that hold nothing.
    free: Vec<Vec<u8>>,
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
    blocks: Vec<Vec<u8>>,
}

#[derive(Clone, Copy, Debug)]
struct Extent {
    offset: u64,
    length: usize,
}

/// Memory is given to chunks in blocks of this size: small, since there may be many chunks, and the
/// last block of each is half empty.
const BLOCK: usize = 1 << 10;
/// How much is written at once.
const BUFFER: usize = 128 << 10;

impl Spill {
    pub(super) fn new(roots: u64, room: Room) -> Self {
        Self {
            roots,
            room,
            chunks: Vec::new(),
            held: 0,
            free: Vec::new(),
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
        self.held
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
        let blocks = &mut self.chunks[chunk].blocks;
        let before = blocks.len();
        append(&self.record, blocks, &mut self.free);
        append(self.text.as_bytes(), blocks, &mut self.free);
        self.held += (blocks.len() - before) * BLOCK;
        if self.held > self.room.memory {
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
            if self.held <= self.room.memory / 2 {
                break;
            }
            let offset = self.end;
            let mut length = 0;
            for mut block in chunk.blocks.drain(..) {
                file.write_all(&block)?;
                length += block.len();
                self.held -= BLOCK;
                block.clear();
                self.free.push(block);
            }
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
        let Chunk { extents, blocks } = chunk.unwrap_or_default();
        let length = extents.iter().map(|extent| extent.length).sum::<usize>();
        bytes.reserve(length + blocks.len() * BLOCK);
        for extent in extents {
            if let Some(file) = &mut self.file {
                file.seek(SeekFrom::Start(extent.offset))?;
                let read = file.take(extent.length as u64).read_to_end(&mut bytes)?;
                if read < extent.length {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
        }
        self.held -= blocks.len() * BLOCK;
        for block in blocks {
            bytes.extend_from_slice(&block);
        }
        self.page.read(number as u64 * self.roots, bytes)?;
        self.page.sort();
        Ok(())
    }

    /// The records of the chunk that was read last.
    pub(super) fn same(&self) -> Leaf<'_> {
        self.page.leaf()
    }
}

/// Adds bytes at the end of some blocks.
fn append(mut bytes: &[u8], blocks: &mut Vec<Vec<u8>>, free: &mut Vec<Vec<u8>>) {
    loop {
        if let Some(last) = blocks.last_mut() {
            let (fitting, rest) = bytes.split_at(bytes.len().min(BLOCK - last.len()));
            last.extend_from_slice(fitting);
            bytes = rest;
        }
        if bytes.is_empty() {
            return;
        }
        blocks.push(free.pop().unwrap_or_else(|| Vec::with_capacity(BLOCK)));
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
            assert!(spill.held <= budget);
            let mut roots = 0..100;
            for chunk in 0..spill.len() {
                for (record, text) in spill.chunk(chunk).unwrap().iter() {
                    assert_eq!(Some(record.root), roots.next());
                    assert!(text.starts_with(&format!("ä {} é", record.place.line)));
                }
            }
            assert_eq!(roots.next(), None);
            assert_eq!(spill.chunk(99).unwrap().len(), 0);
            assert_eq!(spill.held, 0);
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
