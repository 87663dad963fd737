use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file that grows, and beside it how far it is known to be right: after a crash, whatever was
/// written beyond that is cut off, so nothing is in it twice and nothing is missing.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    out: BufWriter<File>,
    written: u64,
    state: PathBuf,
}

impl Checkpoint {
    /// Opens both. Gives the token that was kept last, if there is one; the file ends where it did
    /// then.
    ///
    /// # Errors
    /// When a file cannot be opened, or is shorter than it was.
    pub(crate) fn open(out: &Path, state: &Path) -> io::Result<(Self, Option<String>)> {
        let kept = match fs::read_to_string(state) {
            Ok(kept) => kept,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        let (length, token) = kept.split_once('\n').unwrap_or(("0", ""));
        let written = length.parse().map_err(io::Error::other)?;
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(out)?;
        if file.metadata()?.len() < written {
            return Err(io::Error::other("the output is shorter than it was"));
        }
        file.set_len(written)?;
        file.seek(SeekFrom::End(0))?;
        let checkpoint = Self {
            out: BufWriter::new(file),
            written,
            state: state.to_owned(),
        };
        Ok((checkpoint, Some(token.to_owned()).filter(|t| !t.is_empty())))
    }

    /// Keeps what was written so far, and the token that goes on after it. Both or neither: the
    /// state is replaced in one step, after the output is on disk.
    ///
    /// # Errors
    /// When the disk fails.
    pub(crate) fn keep(&mut self, token: &str) -> io::Result<()> {
        self.out.flush()?;
        self.out.get_ref().sync_data()?;
        let new = self.state.with_extension("new");
        fs::write(&new, format!("{}\n{token}", self.written))?;
        fs::rename(new, &self.state)
    }

    /// Ends the output; there is nothing to go on with any more.
    ///
    /// # Errors
    /// When the disk fails.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.out.flush()?;
        self.out.get_ref().sync_data()?;
        fs::remove_file(&self.state)
    }
}

impl Write for Checkpoint {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.written += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
