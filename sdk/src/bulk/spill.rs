use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use super::record::Record;

/// Records in numbered chunks: in memory while they fit, the rest in one unnamed temporary file.
#[derive(Debug)]
pub(super) struct Spill {
    /// How many bytes stay in memory.
    budget: usize,
    in_memory: usize,
    chunks: Vec<Chunk>,
    file: Option<File>,
    /// Where the file ends.
    end: u64,
}

#[derive(Debug, Default)]
struct Chunk {
    buffer: Vec<u8>,
    /// The parts on disk, as offset and length.
    extents: Vec<(u64, usize)>,
}

impl Spill {
    pub(super) fn new(budget: usize) -> Self {
        Self {
            budget,
            in_memory: 0,
            chunks: Vec::new(),
            file: None,
            end: 0,
        }
    }

    pub(super) fn budget(&self) -> usize {
        self.budget
    }

    /// How many chunks there are.
    pub(super) fn len(&self) -> usize {
        self.chunks.len()
    }

    pub(super) fn push(&mut self, chunk: usize, record: &Record<'_>) -> io::Result<()> {
        if chunk >= self.chunks.len() {
            self.chunks.resize_with(chunk + 1, Chunk::default);
        }
        let buffer = &mut self.chunks[chunk].buffer;
        let before = buffer.capacity();
        record.write(buffer);
        self.in_memory += buffer.capacity() - before;
        if self.in_memory > self.budget {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            empty => empty.insert(tempfile::tempfile()?),
        };
        file.seek(SeekFrom::Start(self.end))?;
        for chunk in self
            .chunks
            .iter_mut()
            .filter(|chunk| !chunk.buffer.is_empty())
        {
            let buffer = std::mem::take(&mut chunk.buffer);
            file.write_all(&buffer)?;
            chunk.extents.push((self.end, buffer.len()));
            self.end += buffer.len() as u64;
        }
        self.in_memory = 0;
        Ok(())
    }

    /// Takes a chunk out, in the order it was pushed.
    pub(super) fn take(&mut self, chunk: usize) -> io::Result<Vec<u8>> {
        let Some(chunk) = self.chunks.get_mut(chunk).map(std::mem::take) else {
            return Ok(Vec::new());
        };
        self.in_memory -= chunk.buffer.capacity();
        let Some(file) = &mut self.file else {
            return Ok(chunk.buffer);
        };
        let on_disk: usize = chunk.extents.iter().map(|(_, length)| length).sum();
        let mut bytes = vec![0; on_disk];
        let mut free = &mut bytes[..];
        for (offset, length) in chunk.extents {
            let (extent, rest) = free.split_at_mut(length);
            file.seek(SeekFrom::Start(offset))?;
            file.read_exact(extent)?;
            free = rest;
        }
        bytes.extend_from_slice(&chunk.buffer);
        Ok(bytes)
    }
}
