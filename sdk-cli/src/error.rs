use std::path::PathBuf;

use tollgate_codegen::diagnostic::Diagnostics;
use tollgate_codegen::schema::introspection::IntrospectionError;
use tollgate_codegen::source::SourceError;

/// Why a command did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error("{0}")]
    Documents(#[from] Diagnostics),
    #[error("`{}` cannot be written", .path.display())]
    Write {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("the output cannot be written")]
    Output(#[from] std::io::Error),
    /// A check that found something, which is printed already.
    #[error("{0}")]
    Found(String),
    #[error("`{url}` cannot be fetched")]
    Fetch {
        url: String,
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    #[error("no access token: set TOLLGATE_TOKEN to the token of the shop")]
    NoToken,
    #[error("the client cannot be made")]
    Client(#[from] tollgate::BuildError),
    #[error("the shop does not answer the introspection")]
    Shop(#[from] tollgate::Error),
    #[error("what was fetched is not a schema")]
    Introspection(#[from] IntrospectionError),
    #[error("the emulated shop cannot be started")]
    Start(#[from] tollgate_shop::StartError),
}

impl Error {
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Found(_) => 1,
            _ => 3,
        }
    }
}
