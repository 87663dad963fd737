use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use tollgate::bulk::BulkError;
use tollgate_codegen::diagnostic::Diagnostics;
use tollgate_codegen::schema::introspection::IntrospectionError;
use tollgate_codegen::source::SourceError;
use tollgate_shop::StartError;

/// What was checked is not as it should be: documents, prices, drift.
const WRONG: u8 = 1;

/// The command line is wrong.
const USAGE: u8 = 2;

/// Something needed could not be read, written or reached.
const UNABLE: u8 = 3;

/// Where `tollgate shop` is.
const EMULATED: &str = "http://127.0.0.1:4010";

/// Why a command did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error("{0}")]
    Documents(#[from] Diagnostics),
    #[error("`{operation}` was not answered")]
    Call {
        operation: String,
        source: Box<tollgate::Error>,
    },
    #[error("`{}` cannot be written", .path.display())]
    Write {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error(transparent)]
    Bulk(#[from] BulkError),
    #[error(transparent)]
    Run(Box<dyn std::error::Error + Send + Sync>),
    #[error("{}", stopped(.part.as_deref(), *.resume, .variables.as_deref()))]
    Stopped {
        /// The file with the rows until then.
        part: Option<PathBuf>,
        /// Whether `--resume` goes on after them.
        resume: bool,
        /// The variables, as JSON, with which it goes on.
        variables: Option<String>,
        source: Box<Error>,
    },
    #[error(
        "the files and sockets that this needs cannot be opened; raise the limit, as by `ulimit -n 1024`"
    )]
    Handles(#[source] std::io::Error),
    /// What the command line asks for cannot be.
    #[error("{0}")]
    Usage(String),
    #[error("the output cannot be written")]
    Output(#[from] std::io::Error),
    /// What was checked is not as it should be; the command has said what.
    #[error("{0}")]
    Wrong(String),
    #[error(
        "there is no schema: `tollgate init` makes one to begin with, `tollgate schema pull` fetches \
         that of a shop"
    )]
    NoSchema(#[source] SourceError),
    #[error("there is no baseline `{}`: `--save` writes it", .0.display())]
    NoBaseline(PathBuf),
    #[error("there is no operation `{name}`{}", did_you_mean(.close.as_deref()))]
    NoOperation { name: String, close: Option<String> },
    #[error("`{}` is not what it should be", .path.display())]
    Json {
        path: PathBuf,
        source: serde_json::Error,
    },
    #[error("`{operation}` has no price with these variables")]
    Cost {
        operation: String,
        source: tollgate_cost::CostError,
    },
    #[error("`{url}` cannot be fetched")]
    Fetch {
        url: String,
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    #[error("no access token: set TOLLGATE_TOKEN to that of the shop")]
    NoToken,
    #[error(
        "no shop to ask: name yours with --shop and set TOLLGATE_TOKEN to its access token, or \
         take an emulated one with --endpoint {EMULATED} and `tollgate shop` in another terminal"
    )]
    NoShop,
    #[error(
        "nothing to pull from: name a file or a URL, or a shop, which is asked with its token:\n\
         \n  TOLLGATE_TOKEN=… tollgate schema pull --shop my-shop.myshopify.com\
         \n  tollgate schema pull https://example.com/schema.graphql\
         \n  tollgate schema pull --endpoint {EMULATED}    of `tollgate shop`"
    )]
    NothingToPull,
    #[error(transparent)]
    Client(#[from] tollgate::BuildError),
    #[error("the shop does not answer the introspection")]
    Shop(#[from] tollgate::Error),
    #[error("what was fetched is not a schema")]
    Introspection(#[from] IntrospectionError),
    #[error("what was pulled is not a schema:\n{0}")]
    NotSchema(Diagnostics),
    #[error("the emulated shop cannot be started{}", other_port(.0))]
    Start(#[from] StartError),
    #[error("the shared ledger cannot be read")]
    SharedLedger(#[from] tollgate::shared::RedisLedgerError),
}

impl Error {
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Stopped { source, .. } => source.exit_code(),
            Self::Wrong(_) | Self::Documents(_) | Self::Cost { .. } => WRONG,
            Self::Usage(_) | Self::NoToken | Self::NoShop | Self::NothingToPull => USAGE,
            Self::Client(error) => match error {
                tollgate::BuildError::Transport(_) => UNABLE,
                _ => USAGE,
            },
            _ => UNABLE,
        }
    }
}

fn other_port(error: &StartError) -> &'static str {
    match error {
        StartError::Listen { source, .. } if source.kind() == ErrorKind::AddrInUse => {
            ": choose another port with --port; 0 is any free one"
        }
        _ => "",
    }
}

fn stopped(part: Option<&Path>, resume: bool, variables: Option<&str>) -> String {
    let mut text = "the run stopped".to_owned();
    if let Some(part) = part {
        text.push_str(&format!("; `{}` has the rows until then", part.display()));
    }
    if resume {
        text.push_str("; go on with `--resume`");
    }
    if let Some(variables) = variables {
        // As a shell takes it.
        let variables = variables.replace('\'', r"'\''");
        text.push_str(&format!(
            "; go on after them with --variables '{variables}'"
        ));
    }
    text
}

fn did_you_mean(close: Option<&str>) -> String {
    close
        .map(|close| format!("; did you mean `{close}`?"))
        .unwrap_or_default()
}
