//! What can go wrong with a call, by kind, with all that the server said.

mod causes;
#[cfg(test)]
mod tests;
mod words;

use std::{
    borrow::Cow,
    error::Error as StdError,
    fmt,
    time::{Duration, Instant},
};

use tollgate_cost::{CostError, Points};

use self::{
    causes::with_causes,
    words::{Asks, Beside, Errors, Needs, UserErrors},
};
use crate::{
    DecodeError, Operation, UserError,
    answer::{Body, BodyError, GraphQlError, Said},
    event::WaitReason,
    response::{Cost, Waits},
    transport::TransportError,
};

/// Why a call failed, and what is known about it.
///
/// [`kind`](Self::kind) says what happened, [`context`](Self::context) to which call. The access
/// token is in none of it. `{:?}` is what a `main` that fails prints: the message with its causes;
/// `{:#?}` shows all there is.
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    context: Context,
    body: Option<Body>,
}

/// The call that an [`Error`] belongs to.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Context {
    /// The operation's name.
    pub operation: Cow<'static, str>,
    /// The shop's domain.
    pub shop: String,
    /// Requests that were sent.
    pub attempts: u32,
    /// The HTTP status of the last answer.
    pub status: Option<u16>,
    /// The server's id of the last request: quote it to the vendor's support.
    pub request_id: Option<String>,
    /// What the last answer said about cost.
    pub cost: Cost,
    /// Where the time went.
    pub waits: Waits,
}

/// What happened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The variables have no price. Nothing was sent.
    #[error(transparent)]
    Cost(#[from] CostError),

    /// The call costs more than it ever may. Said by our own arithmetic before sending, or by the
    /// server (`MAX_COST_EXCEEDED`).
    #[error(
        "it costs {cost} points, and {limit} allows {maximum}: ask for less at once, with smaller pages, fewer nested connections or shorter lists"
    )]
    TooDear {
        /// The price, in points.
        cost: Points,
        /// What is allowed, in points.
        maximum: Points,
        /// By which limit.
        limit: CostLimit,
    },

    /// The deadline passed, or a wait that is needed would pass it.
    #[error("the deadline comes before the end of the wait ({reason})")]
    Deadline {
        /// What was waited for.
        reason: WaitReason,
        /// When the call could go on, as far as that is known.
        retry_at: Option<Instant>,
    },

    /// Throttled by the bucket in each of the attempts allowed.
    #[error("throttled in all attempts{}", Needs(*requested, *available))]
    Throttled {
        /// What the server wanted for the call, in points.
        requested: Option<Points>,
        /// What was in the bucket, in points.
        available: Option<f64>,
        /// When the bucket should hold enough.
        retry_at: Option<Instant>,
    },

    /// Throttled although the bucket holds enough: another limit than the cost, which some fields
    /// have, in each of the few attempts made.
    #[error("throttled by another limit than the cost: {}", Said(message))]
    OtherThrottle {
        /// What the server said.
        message: String,
    },

    /// HTTP 429 or 430: too many requests.
    #[error("too many requests (HTTP {status}){}", Asks(*retry_after))]
    TooManyRequests {
        /// 429, or 430 for requests that look malicious.
        status: u16,
        /// The server's `Retry-After`.
        retry_after: Option<Duration>,
    },

    /// A limit that lasts: a number of new variants a day, and the like.
    #[error("a lasting limit is reached ({}): {}", Said(code), Said(message))]
    ResourceLimit {
        /// `extensions.code`.
        code: String,
        /// What the server said.
        message: String,
    },

    /// HTTP 401: the token is not accepted.
    #[error("the access token is not accepted: {message}")]
    Unauthorized {
        /// What the server said.
        message: String,
    },

    /// HTTP 403 for this *kind* of token: public apps need expiring tokens now.
    #[error("this kind of access token is no longer accepted: {message}")]
    TokenKindRejected {
        /// What the server said.
        message: String,
    },

    /// The token source failed. Whether a refresh took place at its server is not known here, so
    /// it is not asked again.
    #[error("no access token could be had")]
    Token(#[source] Box<dyn StdError + Send + Sync>),

    /// HTTP 403, or `ACCESS_DENIED` for the whole of the request.
    #[error("access denied: {}", Said(message))]
    AccessDenied {
        /// What the server said, with the scope that is missing.
        message: String,
    },

    /// The shop cannot be reached through the API now.
    #[error("the shop is unavailable ({reason}): {}", Said(message))]
    ShopUnavailable {
        /// Why.
        reason: Unavailable,
        /// What the server said.
        message: String,
    },

    /// HTTP 404: there is no such shop, or no such API version.
    #[error("not found, is the shop's name and the API version right? {message}")]
    NotFound {
        /// What the server said.
        message: String,
    },

    /// A redirect, which is never followed: it would carry the token to another host.
    #[error("redirected to {}: use the shop's `.myshopify.com` domain", host.as_deref().unwrap_or("another page"))]
    Redirected {
        /// The host of the `Location` header; `None` when it names a page of the same host, as that
        /// of a shop behind a password.
        host: Option<String>,
    },

    /// Any other HTTP status of refusal.
    #[error("refused with HTTP {status}: {message}")]
    Refused {
        /// The status.
        status: u16,
        /// What the server said.
        message: String,
    },

    /// An HTTP status of 500 or above.
    #[error("the server failed with HTTP {status}: {message}")]
    Server {
        /// The status.
        status: u16,
        /// What the server said, or how its page begins.
        message: String,
    },

    /// `INTERNAL_SERVER_ERROR` (or `TIMEOUT`) inside an answer of status 200.
    #[error("the server failed: {}", Said(message))]
    Internal {
        /// What the server said.
        message: String,
    },

    /// The answer cannot be read as a GraphQL answer.
    #[error("the answer cannot be read")]
    Body(#[from] BodyError),

    /// There is no answer.
    #[error("no answer")]
    Transport(#[from] TransportError),

    /// The answer has errors. Data beside them is reachable by [`Error::partial`].
    #[error("{}", Errors(.0))]
    GraphQl(Vec<GraphQlError>),

    /// A mutation's payload has `userErrors`, and the caller asked for that to be an error. Its
    /// data is reachable by [`Error::partial`].
    #[error("{}", UserErrors(.0))]
    UserErrors(Vec<UserError>),

    /// `data` is not of the generated type.
    #[error("the data is not of the expected shape{}", Beside(errors))]
    Decode {
        /// Where.
        source: DecodeError,
        /// The errors beside it: a required field may be null for want of a scope.
        errors: Vec<GraphQlError>,
    },

    /// The answer has neither data nor errors.
    #[error("the answer has no data")]
    NoData,

    /// A mutation was sent, and in one of its attempts it may have run. Without `@idempotent` it
    /// is never repeated by us: look before you do, or declare the directive in the document where
    /// the server supports it.
    #[error("whether the mutation ran is not known")]
    UnknownOutcome(#[source] Box<ErrorKind>),
}

/// Which limit a price is above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CostLimit {
    /// The most that a single query may cost, on any plan.
    SingleQuery,
    /// The size of the shop's bucket, `maximumAvailable`.
    Bucket,
}

impl fmt::Display for CostLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SingleQuery => "the limit of a single query",
            Self::Bucket => "the shop's bucket",
        })
    }
}

/// Why a shop is unavailable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unavailable {
    /// HTTP 402: the shop has not paid its bill.
    Unpaid,
    /// HTTP 423: the shop is locked.
    Locked,
    /// HTTP 403 "unavailable shop", or `SHOP_INACTIVE`: closed or paused.
    Inactive,
    /// `SHOP_PENDING_TERMINATION`: about to be closed.
    Closing,
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unpaid => "unpaid",
            Self::Locked => "locked",
            Self::Inactive => "inactive",
            Self::Closing => "closing",
        })
    }
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, context: Context, body: Option<Body>) -> Self {
        Self(Box::new(Inner {
            kind,
            context,
            body,
        }))
    }

    /// What happened.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// What happened, by value.
    #[must_use]
    pub fn into_kind(self) -> ErrorKind {
        self.0.kind
    }

    /// To which call it happened.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// When it is worth trying again, where that is known.
    #[must_use]
    pub fn retry_at(&self) -> Option<Instant> {
        match self.0.kind.known() {
            ErrorKind::Deadline { retry_at, .. } | ErrorKind::Throttled { retry_at, .. } => {
                *retry_at
            }
            _ => None,
        }
    }

    /// Whether a mutation may have run all the same.
    #[must_use]
    pub fn outcome_is_unknown(&self) -> bool {
        matches!(self.0.kind, ErrorKind::UnknownOutcome(_))
    }

    /// The GraphQL errors of the answer, whatever the kind.
    #[must_use]
    pub fn graphql_errors(&self) -> &[GraphQlError] {
        match (self.0.kind.known(), &self.0.body) {
            (ErrorKind::GraphQl(errors) | ErrorKind::Decode { errors, .. }, _) => errors,
            (_, Some(body)) => &body.errors,
            _ => &[],
        }
    }

    /// The text of the answer's `data`, if it has any.
    #[must_use]
    pub fn data(&self) -> Option<&str> {
        self.0.body.as_ref()?.data()
    }

    /// The data that came beside the errors, decoded: partial data of a query, or the payload of a
    /// mutation with `userErrors`.
    #[must_use]
    pub fn partial<O: Operation>(&self) -> Option<Result<O::Data, DecodeError>> {
        self.data().map(O::decode)
    }
}

impl ErrorKind {
    /// What is known of an unknown outcome; itself otherwise.
    fn known(&self) -> &Self {
        match self {
            Self::UnknownOutcome(known) => known.known(),
            known => known,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Context {
            operation,
            shop,
            attempts,
            request_id,
            ..
        } = &self.0.context;
        write!(f, "`{operation}` on {shop} failed")?;
        if *attempts > 1 {
            write!(f, " after {attempts} attempts")?;
        }
        write!(f, ": {}", self.0.kind)?;
        if let Some(id) = request_id {
            write!(f, " (request id {id})")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            return f.debug_tuple("Error").field(&self.0).finish();
        }
        with_causes(self, f)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.kind.source()
    }
}
