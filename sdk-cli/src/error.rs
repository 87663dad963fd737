use std::path::PathBuf;

use tollgate_codegen::diagnostic::Diagnostics;
use tollgate_codegen::source::SourceError;

/// What was checked is not as it should be: documents, prices, drift.
const WRONG: u8 = 1;

/// Something needed could not be read, written or reached.
const UNABLE: u8 = 3;

/// Why a command did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// What was checked is not as it should be; the command has said what.
    #[error("error: {0}")]
    Wrong(String),
    #[error("error: there is no operation `{name}`{}", did_you_mean(.close.as_deref()))]
    NoOperation { name: String, close: Option<String> },
    #[error("error: `{}` cannot be read: {source}", .path.display())]
    Read {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("error: `{}` is not what it should be: {source}", .path.display())]
    Json {
        path: PathBuf,
        source: serde_json::Error,
    },
    #[error("error: `{operation}` has no price with these variables: {source}")]
    Cost {
        operation: String,
        source: tollgate_cost::CostError,
    },
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
    #[error("error: {0}{}", because(.0))]
    SharedLedger(#[from] tollgate::shared::RedisLedgerError),
}

impl Error {
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Wrong(_) | Self::Documents(_) | Self::Cost { .. } => WRONG,
            _ => UNABLE,
        }
    }
}

fn because(error: &dyn std::error::Error) -> String {
    error
        .source()
        .map(|cause| format!(": {cause}"))
        .unwrap_or_default()
}

fn did_you_mean(close: Option<&str>) -> String {
    close
        .map(|close| format!("; did you mean `{close}`?"))
        .unwrap_or_default()
}
