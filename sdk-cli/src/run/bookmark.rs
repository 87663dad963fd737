use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::file;

/// How far a run is, in a file beside what it writes: whatever ends the process, the next one goes
/// on from here.
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
        match fs::read(path) {
            Ok(text) => serde_json::from_slice(&text).map(Some).map_err(|source| {
                io::Error::other(format!(
                    "`{}` does not say how far the run was ({source}): delete it and the `.part` \
                     beside it to begin anew",
                    path.display()
                ))
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Takes the place of the one before in one step.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let mut file = file::beside(path)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        file.as_file().sync_data()?;
        file.persist(path)?;
        Ok(())
    }
}
