//! Where the rows go.

use std::fs::{self, File, Permissions, TryLockError};
use std::io::{self, BufWriter, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::bookmark::Bookmark;
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
    /// What runs, for its bookmark.
    run: Value,
    bookmark: PathBuf,
}

/// What a run that stopped leaves.
#[derive(Default)]
pub(super) struct Left {
    /// The file with the rows until then.
    pub(super) part: Option<PathBuf>,
    /// Whether there is a bookmark to go on from.
    pub(super) bookmark: bool,
}

impl<'w> Output<'w> {
    /// Opens the file, if there is one; what it holds stays until [`Output::finish`]. Where to
    /// resume, if a run that stopped has left a bookmark.
    pub(super) fn open(
        path: Option<&Path>,
        standard: &'w mut dyn Write,
        run: Value,
        resume: bool,
    ) -> Result<(Self, Option<Value>), Error> {
        let Some(path) = path else {
            return Ok((Self::Standard(standard), None));
        };
        let open = || {
            let target = file::target(path)?;
            match file::existing(&target)? {
                Some(old) if !old.is_file() => {
                    let device = Self::Device(BufWriter::new(file::open(&target)?));
                    Ok((device, None))
                }
                old => {
                    let permissions = old.map(|old| old.permissions());
                    let (part, at) = Part::open(target, permissions, run, resume)?;
                    Ok((Self::Part(part), at))
                }
            }
        };
        open().map_err(|source| Error::Write {
            path: path.to_owned(),
            source,
        })
    }

    /// What was written is whole, and a later run can go on after it at `at`.
    pub(super) fn mark(&mut self, at: Value) -> Result<(), Error> {
        self.flush()?;
        let Self::Part(part) = self else {
            return Ok(());
        };
        part.file.get_ref().sync_data()?;
        let bookmark = Bookmark {
            run: part.run.clone(),
            written: part.whole,
            at,
        };
        bookmark
            .write(&part.bookmark)
            .map_err(|source| Error::Write {
                path: part.bookmark.clone(),
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
            // In this order: rows without a bookmark are not written over, nor gone on with.
            remove(&part.bookmark)?;
            fs::rename(&part.path, &part.target)
        };
        place().map_err(|source| Error::Write {
            path: part.target.clone(),
            source,
        })
    }

    /// Ends in the middle: what was written until then stays, cut to what is whole; the bookmark
    /// too, where the run `goes_on` from there.
    pub(super) fn keep(mut self, error: &Error, goes_on: bool) -> Left {
        if !matches!(error, Error::Output(_)) {
            // The rows still in memory; if they cannot be written, they are cut off below.
            let _ = self.flush();
        }
        let Self::Part(part) = self else {
            return Left::default();
        };
        if !goes_on {
            // One that stays is of no use, and no harm.
            let _ = remove(&part.bookmark);
        }
        let bookmark = part.bookmark.exists();
        let (file, _) = part.file.into_parts();
        if part.whole == 0 {
            // Nothing to keep; one that cannot be removed is empty.
            let _ = file.set_len(0).and_then(|()| fs::remove_file(&part.path));
            let part = None;
            return Left { part, bookmark };
        }
        let part = file.set_len(part.whole).ok().map(|()| part.path);
        Left { part, bookmark }
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Whether nobody else writes a file: it is locked while it is open.
fn is_ours(file: &File, path: &Path) -> io::Result<bool> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Ok(false),
        // There are file systems without locks; what is written there is not refused for that.
        Ok(()) | Err(TryLockError::Error(_)) => is_at(file, path),
    }
}

/// Whether a file is still at its path: who had it before may have put it in its place.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let identity = |found: fs::Metadata| (found.dev(), found.ino());
    match fs::metadata(path) {
        Ok(found) => Ok(identity(found) == identity(file.metadata()?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

impl Part {
    fn open(
        target: PathBuf,
        permissions: Option<Permissions>,
        run: Value,
        resume: bool,
    ) -> io::Result<(Self, Option<Value>)> {
        let mut path = target.clone().into_os_string();
        path.push(".part");
        let path = PathBuf::from(path);
        let refuse = |what: &str| Err(io::Error::other(format!("`{}` {what}", path.display())));
        let mut file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)?;
        if !is_ours(&file, &path)? {
            return refuse("is being written by another run: wait for it, or choose another file");
        }
        let bookmark = Bookmark::path(&path);
        let left = Bookmark::read(&bookmark)?;
        let length = file.metadata()?.len();
        let (written, at) = match left {
            Some(left) if resume && left.run != run => {
                return refuse("is of another run: another operation, other variables or shop");
            }
            Some(left) if resume && left.written > length => {
                return refuse(&format!(
                    "is shorter than it was: delete it and `{}` to begin anew",
                    bookmark.display()
                ));
            }
            Some(left) if resume => (left.written, Some(left.at)),
            Some(_) => {
                return refuse(&format!(
                    "is of a run that stopped: go on with `--resume`, or delete it and `{}`",
                    bookmark.display()
                ));
            }
            None if length > 0 => {
                return refuse("has the rows of a run that stopped: move it away, or delete it");
            }
            None => (0, None),
        };
        file.set_len(written)?;
        file.seek(SeekFrom::Start(written))?;
        let part = Self {
            file: BufWriter::new(file),
            path,
            target,
            permissions,
            whole: written,
            run,
            bookmark,
        };
        Ok((part, at))
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
