//! The file that a job writes: in memory while it is small, then on disk.

use std::io::{Read, Seek, SeekFrom, Write};

use bytes::Bytes;
use tempfile::SpooledTempFile;

/// Up to so many bytes stay in memory.
const IN_MEMORY: usize = 1 << 20;

#[derive(Debug)]
pub(super) struct ResultFile {
    file: SpooledTempFile,
    length: u64,
    broken: bool,
}

impl Default for ResultFile {
    fn default() -> Self {
        Self {
            file: SpooledTempFile::new(IN_MEMORY),
            length: 0,
            broken: false,
        }
    }
}

impl ResultFile {
    /// Takes lines and writes them, each with its end. Returns how many.
    pub(super) fn append(&mut self, lines: impl IntoIterator<Item = Vec<u8>>) -> u64 {
        let mut text = Vec::new();
        let mut count = 0;
        for line in lines {
            text.extend_from_slice(&line);
            text.push(b'\n');
            count += 1;
        }
        let end = self.file.seek(SeekFrom::End(0));
        match end.and_then(|_| self.file.write_all(&text)) {
            Ok(()) => self.length += u64::try_from(text.len()).unwrap_or(0),
            // A full disk: the job fails, as at the server.
            Err(_) => self.broken = true,
        }
        count
    }

    pub(super) const fn length(&self) -> u64 {
        self.length
    }

    pub(super) const fn is_broken(&self) -> bool {
        self.broken
    }

    /// Up to `most` bytes from an offset on; none where the file cannot be read.
    pub(super) fn read(&mut self, offset: u64, most: usize) -> Bytes {
        let left = self.length.saturating_sub(offset);
        let length = usize::try_from(left).unwrap_or(usize::MAX).min(most);
        let mut bytes = vec![0; length];
        let read = self.file.seek(SeekFrom::Start(offset));
        match read.and_then(|_| self.file.read_exact(&mut bytes)) {
            Ok(()) => bytes.into(),
            Err(_) => Bytes::new(),
        }
    }
}
