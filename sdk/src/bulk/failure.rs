use std::time::Duration;

use super::{ErrorCode, JsonlError};
use crate::answer::Said;
use crate::resume::ResumeError;
use crate::{Error, TransportError, UserError};

/// Why a bulk operation, or the reading of its result, failed.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum BulkError {
    /// A call to start, follow or cancel it failed.
    #[error("a call for a bulk operation failed")]
    Call(#[from] Error),
    /// The service refused the document or the input.
    #[error("the bulk operation is refused: {}", join(.0))]
    Refused(Vec<UserError>),
    /// As many operations as the service allows run already, and did until the deadline where a
    /// slot was waited for.
    #[error("another bulk operation{} holds the slot: {}", named(.id.as_deref()), Said(message))]
    Busy {
        /// Which, where the service says so.
        id: Option<String>,
        /// What the service says.
        message: String,
    },
    /// It was not done within the deadline. It goes on: follow it with its token, or cancel it.
    #[error("the bulk operation `{id}` is not done after {} seconds", after.as_secs())]
    Deadline {
        /// The operation.
        id: String,
        /// The deadline.
        after: Duration,
    },
    /// There is no operation of that id.
    #[error("there is no bulk operation `{id}`")]
    NotFound {
        /// The id.
        id: String,
    },
    /// It failed.
    #[error("the bulk operation `{id}` failed: {}", code.as_ref().map_or("no reason given".to_owned(), ToString::to_string))]
    Failed {
        /// The operation.
        id: String,
        /// Why; [`ErrorCode::is_retryable`] says whether to run it again.
        code: Option<ErrorCode>,
        /// Whether a part of the result can be had, see [`Job::partial_rows`](super::Job::partial_rows).
        partial: bool,
    },
    /// It was canceled.
    #[error("the bulk operation `{id}` was canceled")]
    Canceled {
        /// The operation.
        id: String,
        /// Whether a part of the result can be had, see [`Job::partial_rows`](super::Job::partial_rows).
        partial: bool,
    },
    /// Its result is gone: results are kept for seven days.
    #[error("the result of the bulk operation `{id}` has expired")]
    Expired {
        /// The operation.
        id: String,
    },
    /// It completed with objects, and has no file of them.
    #[error("the bulk operation `{id}` has {objects} objects and no file")]
    NoFile {
        /// The operation.
        id: String,
        /// Objects it counted.
        objects: u64,
    },
    /// The address of a file is not one that is safe to use: only `https`, and `http` on this
    /// machine for a shop on this machine.
    #[error("the service names a file at an address that is not used: {scheme}://{host}")]
    Address {
        /// Its scheme.
        scheme: String,
        /// Its host.
        host: String,
    },
    /// The file server refused.
    #[error("the file server answered HTTP {status}{}", if body.is_empty() { String::new() } else { format!(": {body}") })]
    FileServer {
        /// The HTTP status.
        status: u16,
        /// How its answer begins.
        body: String,
    },
    /// The file server could not be reached, or broke off, again and again.
    #[error("the file cannot be read beyond byte {offset}")]
    Download {
        /// Bytes that were read.
        offset: u64,
        /// What happened last.
        source: TransportError,
    },
    /// The input could not be uploaded, again and again.
    #[error("the input cannot be uploaded")]
    Upload(#[source] TransportError),
    /// The file was another when the download went on.
    #[error("the file changed while it was read: {found} bytes long, not {expected}")]
    FileChanged {
        /// The length that the service gave.
        expected: u64,
        /// The length now.
        found: u64,
    },
    /// The lines do not give rows.
    #[error("the result cannot be read")]
    Lines(#[from] JsonlError),
    /// The variables of a query, which are to be written into its document, cannot be read.
    #[error("the variables cannot be written into the document of a bulk query")]
    Variables(#[source] serde_json::Error),
    /// Input that the service does not take.
    #[error("the input of a bulk mutation is {0}")]
    Input(&'static str),
    /// The answer to a call lacks what the vendor documents.
    #[error("the answer has no `{0}`")]
    Answer(&'static str),
    /// A client identifier that the service does not take.
    #[error("a client identifier has 10 to 255 letters, not {0}")]
    ClientIdentifier(usize),
    /// The token to resume from belongs to something else.
    #[error("cannot resume")]
    Resume(#[from] ResumeError),
    /// The runtime that read the result was shut down.
    #[error("the task that reads the result was stopped")]
    Stopped,
}

fn join(errors: &[UserError]) -> String {
    let texts: Vec<_> = errors.iter().map(ToString::to_string).collect();
    texts.join("; ")
}

fn named(id: Option<&str>) -> String {
    id.map(|id| format!(" `{id}`")).unwrap_or_default()
}
