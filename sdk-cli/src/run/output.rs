//! Where the rows go.

use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Seek as _, Write};
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::file;

pub(super) enum Output<'w> {
    /// Standard output.
    Standard(&'w mut dyn Write),
    /// A pipe or a device.
    Device(BufWriter<File>),
    Part(Part),
}

/// A file beside the one to write, which takes its place when all is written.
pub(super) struct Part {
    file: BufWriter<File>,
    path: PathBuf,
    target: PathBuf,
    permissions: Option<Permissions>,
    /// Bytes at the last flush: whole lines, and of pages whole pages.
    whole: u64,
}

impl<'w> Output<'w> {
    /// Opens the file, if there is one; what it holds stays until [`Output::finish`].
    pub(super) fn open(path: Option<&Path>, standard: &'w mut dyn Write) -> Result<Self, Error> {
        let Some(path) = path else {
            return Ok(Self::Standard(standard));
        };
        let open = || {
            let target = file::target(path)?;
            match file::existing(&target)? {
                Some(old) if !old.is_file() => {
                    Ok(Self::Device(BufWriter::new(file::open(&target)?)))
                }
                old => Part::open(target, old.map(|old| old.permissions())).map(Self::Part),
            }
        };
        open().map_err(|source| Error::Write {
            path: path.to_owned(),
            source,
        })
    }

    /// Everything is written: puts the file in its place.
    pub(super) fn finish(&mut self) -> Result<(), Error> {
        self.flush()?;
        let Self::Part(part) = self else {
            return Ok(());
        };
        let place = || {
            if let Some(permissions) = &part.permissions {
                fs::set_permissions(&part.path, permissions.clone())?;
            }
            part.file.get_ref().sync_all()?;
            fs::rename(&part.path, &part.target)
        };
        place().map_err(|source| Error::Write {
            path: part.target.clone(),
            source,
        })
    }

    /// Ends in the middle: the file that has what was written until then, cut to what is whole.
    pub(super) fn keep(mut self, error: &Error) -> Option<PathBuf> {
        if !matches!(error, Error::Output(_)) {
            // The rows still in memory; if they cannot be written, they are cut off below.
            let _ = self.flush();
        }
        let Self::Part(part) = self else {
            return None;
        };
        let (file, _) = part.file.into_parts();
        if part.whole == 0 {
            // Nothing to keep; one that cannot be removed is empty.
            let _ = file.set_len(0).and_then(|()| fs::remove_file(&part.path));
            return None;
        }
        file.set_len(part.whole).ok().map(|()| part.path)
    }
}

impl Part {
    fn open(target: PathBuf, permissions: Option<Permissions>) -> io::Result<Self> {
        let mut path = target.clone().into_os_string();
        path.push(".part");
        let path = PathBuf::from(path);
        if fs::metadata(&path).is_ok_and(|left| left.len() > 0) {
            return Err(io::Error::other(format!(
                "`{}` has the rows of a run that stopped: move it away, or delete it",
                path.display()
            )));
        }
        Ok(Self {
            file: BufWriter::new(File::create(&path)?),
            path,
            target,
            permissions,
            whole: 0,
        })
    }
}

impl Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Standard(out) => out.write(bytes),
            Self::Device(file) => file.write(bytes),
            Self::Part(part) => part.file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Standard(out) => out.flush(),
            Self::Device(file) => file.flush(),
            Self::Part(part) => {
                part.file.flush()?;
                part.whole = part.file.get_mut().stream_position()?;
                Ok(())
            }
        }
    }
}
