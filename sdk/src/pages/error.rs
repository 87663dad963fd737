use crate::Error;
use crate::resume::ResumeError;

/// Why a walk through a connection ended before its end.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum PageError {
    /// The call for a page failed; the walk can go on from `cursor`.
    #[error("page {page} failed")]
    Call {
        /// Which page, counted from 1.
        page: u64,
        /// The cursor it was asked with; `None` for the first.
        cursor: Option<String>,
        /// Why.
        source: Error,
    },
    /// The page says there is more, with a cursor that was there before: going on would never end.
    #[error(
        "page {page} leads back to the cursor `{cursor}`; is data there that the token may not read?"
    )]
    RepeatedCursor {
        /// Which page, counted from 1.
        page: u64,
        /// The cursor.
        cursor: String,
    },
    /// The page says there is more, and gives no cursor.
    #[error("page {page} has more after it, and no cursor to it")]
    NullCursor {
        /// Which page, counted from 1.
        page: u64,
    },
    /// The connection, or its `pageInfo`, is not in the answer: whether there is more is unknown.
    #[error(
        "page {page} has no connection with `pageInfo`; is the object it belongs to still there?"
    )]
    MissingPageInfo {
        /// Which page, counted from 1.
        page: u64,
    },
    /// A page size that no page can have.
    #[error("a page has 1 to {largest} nodes here, not {asked}")]
    Size {
        /// What was asked for.
        asked: i64,
        /// The largest page that the document and the service allow.
        largest: u32,
    },
    /// The token to resume from belongs to something else.
    #[error("cannot resume")]
    Resume(#[from] ResumeError),
    /// The runtime that fetched pages was shut down.
    #[error("the task that fetches pages was stopped")]
    Stopped,
}
