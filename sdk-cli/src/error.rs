use std::path::PathBuf;

use tollgate_codegen::diagnostic::Diagnostics;
use tollgate_codegen::source::SourceError;

/// Why a command did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("error: {0}")]
    Source(#[from] SourceError),
    #[error("{0}")]
    Documents(#[from] Diagnostics),
    #[error("error: `{}` cannot be written: {source}", .path.display())]
    Write {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("error: the output cannot be written: {0}")]
    Output(#[from] std::io::Error),
}

impl Error {
    pub(crate) fn exit_code(&self) -> u8 {
        3
    }
}
