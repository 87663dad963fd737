use std::fmt::Display;
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tollgate_codegen::source::{SourceError, read_text};

use crate::file;

/// How far a run is, in a file beside what it writes: whatever ends the process, the next one goes
/// on from here. A line of JSON, and the digest of it.
#[derive(Deserialize, Serialize)]
pub(super) struct Bookmark {
    /// What runs: the output of one run is not gone on with by another.
    pub(super) run: Value,
    /// Bytes of the output that go before `at`; what is behind them is written again.
    pub(super) written: u64,
    /// Where to go on.
    pub(super) at: Value,
}

impl Bookmark {
    /// Where the bookmark of a part of an output is.
    pub(super) fn path(part: &Path) -> PathBuf {
        let mut path = part.to_owned().into_os_string();
        path.push(".at");
        path.into()
    }

    /// The one that a run left, if there is one.
    pub(super) fn read(path: &Path) -> io::Result<Option<Self>> {
        let text = match read_text(path) {
            Err(SourceError::Read { source, .. }) if source.kind() == ErrorKind::NotFound => {
                return Ok(None);
            }
            text => text.map_err(io::Error::other)?,
        };
        let refuse = |why: &dyn Display| {
            Err(io::Error::other(format!(
                "`{}` does not say how far the run was ({why}): delete it and the `.part` beside \
                 it to begin anew",
                path.display()
            )))
        };
        let (line, digest) = text.trim_end().split_once('\n').unwrap_or_default();
        // Rows would be lost, or be there twice.
        if digest != tollgate::digest(line.as_bytes()) {
            return refuse(&"it is not as it was written");
        }
        serde_json::from_str(line)
            .map(Some)
            .or_else(|error| refuse(&error))
    }

    /// Takes the place of the one before in one step.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let mut file = file::beside(path)?;
        let line = serde_json::to_string(self)?;
        writeln!(file, "{line}\n{}", tollgate::digest(line.as_bytes()))?;
        file.as_file().sync_data()?;
        file.persist(path)?;
        Ok(())
    }
}
