use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::PathBuf;

use super::Join;
use super::record::{Leaf, Record, Sheet};

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
    /// A part of it: so many quarters of the memory.
    pub(super) fn quarters(&self, quarters: usize) -> Self {
        Self {
            memory: self.memory / 4 * quarters,
            directory: self.directory.clone(),
        }
    }

    fn file(&self) -> io::Result<File> {
        match &self.directory {
            Some(directory) => tempfile::tempfile_in(directory),
            None => tempfile::tempfile(),
        }
    }
}

/// Records in chunks of so many roots: in memory while they fit, the rest in one unnamed temporary
/// file.
#[derive(Debug)]
pub(super) struct Spill {
    /// Roots to a chunk: enough to read it back in one go, few enough for it to be small.
    roots: u64,
    room: Room,
    /// What is in memory.
    sheet: Sheet,
    /// The chunk that was read last, if a part of it was on disk.
    page: Sheet,
    /// The parts on disk of every chunk.
    extents: Vec<Vec<Extent>>,
    /// Chunks, whether on disk or not.
    chunks: usize,
    file: Option<File>,
    /// Where the file ends.
    end: u64,
}

#[derive(Clone, Copy, Debug)]
struct Extent {
    offset: u64,
    records: usize,
    text: usize,
}

/// How much is written at once.
const BUFFER: usize = 128 << 10;

impl Spill {
    pub(super) fn new(roots: u64, room: Room) -> Self {
        Self {
            roots,
            room,
            sheet: Sheet::default(),
            page: Sheet::default(),
            extents: Vec::new(),
            chunks: 0,
            file: None,
            end: 0,
        }
    }

    /// An empty one of the same size.
    pub(super) fn replaced(&mut self) -> Self {
        let empty = Self::new(self.roots, self.room.clone());
        std::mem::replace(self, empty)
    }

    /// How many chunks there are.
    pub(super) fn len(&self) -> usize {
        self.chunks
    }

    /// Adds a record, with the text that `write` appends.
    pub(super) fn push(
        &mut self,
        record: Record,
        write: impl FnOnce(&mut String),
    ) -> io::Result<()> {
        self.chunks = self.chunks.max(self.chunk_of(&record) + 1);
        self.sheet.push(record, write);
        if self.sheet.size() > self.room.memory {
            self.flush()?;
        }
        Ok(())
    }

    fn chunk_of(&self, record: &Record) -> usize {
        usize::try_from(record.root / self.roots).unwrap_or(usize::MAX - 1)
    }

    fn flush(&mut self) -> io::Result<()> {
        // By chunk only: within one, order is for when it is read back.
        self.sheet.sort_by(|record| record.root / self.roots);
        self.extents.resize_with(self.chunks, Vec::new);
        let file = match &mut self.file {
            Some(file) => file,
            empty => empty.insert(self.room.file()?),
        };
        file.seek(SeekFrom::Start(self.end))?;
        let mut file = BufWriter::with_capacity(BUFFER, file);
        let mut rest = self.sheet.leaf();
        while rest.len() > 0 {
            let chunk = rest.get(0).0.root / self.roots;
            let end = rest.partition(|record| record.root / self.roots == chunk);
            let leaf = rest.slice(0..end);
            rest = rest.slice(end..rest.len());
            leaf.write(&mut file)?;
            let chunk = usize::try_from(chunk).unwrap_or(usize::MAX);
            self.extents[chunk].push(Extent {
                offset: self.end,
                records: leaf.len(),
                text: leaf.length(),
            });
            self.end += leaf.written() as u64;
        }
        file.flush()?;
        self.sheet.clear();
        Ok(())
    }

    /// Ends the writing: from here on, chunks are read. What is in memory stays there.
    pub(super) fn seal(&mut self) {
        self.sheet.sort();
    }

    /// Reads a chunk, and gives its records in order.
    pub(super) fn chunk(&mut self, chunk: usize) -> io::Result<Leaf<'_>> {
        self.page.clear();
        if let (Some(file), Some(extents)) = (&mut self.file, self.extents.get(chunk)) {
            for extent in extents {
                file.seek(SeekFrom::Start(extent.offset))?;
                self.page.read(extent.records, extent.text, file)?;
            }
        }
        if !self.page.is_empty() {
            for (record, text) in of_chunk(&self.sheet, chunk, self.roots).iter() {
                self.page.push(record, |to| to.push_str(text));
            }
            self.page.sort();
        }
        Ok(self.same(chunk))
    }

    /// The records of the chunk that was read last.
    pub(super) fn same(&self, chunk: usize) -> Leaf<'_> {
        match self.page.is_empty() {
            true => of_chunk(&self.sheet, chunk, self.roots),
            false => self.page.leaf(),
        }
    }
}

/// The records of a chunk in a sheet that is in order.
fn of_chunk(sheet: &Sheet, chunk: usize, roots: u64) -> Leaf<'_> {
    let (leaf, chunk) = (sheet.leaf(), chunk as u64);
    let start = leaf.partition(|record| record.root / roots < chunk);
    let end = leaf.partition(|record| record.root / roots <= chunk);
    leaf.slice(start..end)
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

    fn fill(spill: &mut Spill) -> io::Result<()> {
        for line in 0..100 {
            let text = format!("ä {line}");
            spill.push(record(line * 37 % 100, line), |to| to.push_str(&text))?;
        }
        spill.seal();
        Ok(())
    }

    #[test]
    fn chunks_come_back_in_order_from_memory_and_from_disk() {
        for budget in [usize::MAX, 1000, 0] {
            let mut spill = self::spill(budget);
            fill(&mut spill).unwrap();
            assert_eq!(spill.file.is_some(), budget < usize::MAX);
            let mut roots = 0..100;
            for chunk in 0..spill.len() {
                for (record, text) in spill.chunk(chunk).unwrap().iter() {
                    assert_eq!(Some(record.root), roots.next());
                    assert_eq!(text, format!("ä {}", record.place.line));
                }
            }
            assert_eq!(roots.next(), None);
            assert_eq!(spill.chunk(99).unwrap().len(), 0);
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
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }

    /// A file that was cut behind our back.
    #[test]
    fn a_file_that_lost_its_end_is_an_error() {
        let mut spill = self::spill(1000);
        fill(&mut spill).unwrap();
        spill.file.as_ref().unwrap().set_len(100).unwrap();
        let read = (0..spill.len()).map(|chunk| spill.chunk(chunk).map(Leaf::len));
        let error = read.collect::<io::Result<Vec<_>>>().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }
}
