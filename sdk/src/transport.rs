//! The seam to an HTTP stack.
//!
//! [`Transport`] carries one request and brings one answer; everything else (prices, waiting,
//! repeating, reading the answer) is above it. The default is reqwest (feature `reqwest`); a test
//! can put the emulated shop of `tollgate-shop` in its place, in process and on paused time.

use std::{error::Error as StdError, fmt, future::Future, pin::Pin};

use bytes::Bytes;

#[cfg(feature = "reqwest")]
mod over_reqwest;

#[cfg(feature = "reqwest")]
pub(crate) use over_reqwest::ReqwestTransport;

/// A future that a trait object can return.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// An HTTP stack.
///
/// # Promises
/// - One call of [`send`](Self::send) sends the request at most once: no retries, no redirects
///   followed. Do not put a retrying layer below the client; it would repeat mutations.
/// - The body comes decompressed, and reading stops with [`TransportErrorKind::TooLarge`] as soon
///   as it has more than `limit` bytes.
/// - Errors tell [`TransportErrorKind::Connect`] only when no byte of the request has left.
/// - Dropping the future gives up the call.
pub trait Transport: Send + Sync + 'static {
    /// Sends `request` and reads the whole answer, whatever its status.
    fn send(
        &self,
        request: http::Request<Bytes>,
        limit: usize,
    ) -> BoxFuture<'_, Result<http::Response<Bytes>, TransportError>>;

    /// Sends `request` and hands the body over as it comes, for files larger than memory. Unless
    /// overridden, the whole body is read first.
    fn open(
        &self,
        request: http::Request<Bytes>,
    ) -> BoxFuture<'_, Result<http::Response<Box<dyn Chunks>>, TransportError>> {
        Box::pin(async {
            let whole = self.send(request, usize::MAX).await?;
            Ok(whole.map(|body| Box::new(Some(body)) as Box<dyn Chunks>))
        })
    }
}

/// A body that comes piece by piece, decompressed.
pub trait Chunks: Send {
    /// The next piece; `None` after the last. A body that was cut is an error, never an end.
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Bytes>, TransportError>>;
}

/// A body that is there already.
impl Chunks for Option<Bytes> {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Bytes>, TransportError>> {
        let chunk = self.take();
        Box::pin(async { Ok(chunk) })
    }
}

impl<T: Transport + ?Sized> Transport for std::sync::Arc<T> {
    fn send(
        &self,
        request: http::Request<Bytes>,
        limit: usize,
    ) -> BoxFuture<'_, Result<http::Response<Bytes>, TransportError>> {
        (**self).send(request, limit)
    }

    fn open(
        &self,
        request: http::Request<Bytes>,
    ) -> BoxFuture<'_, Result<http::Response<Box<dyn Chunks>>, TransportError>> {
        (**self).open(request)
    }
}

/// Why there is no answer.
#[derive(Debug)]
pub struct TransportError {
    kind: TransportErrorKind,
    /// Host and port that there is no connection to, where they are known.
    to: Option<String>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// The kinds of [`TransportError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TransportErrorKind {
    /// No connection: refused, unreachable, name not found, TLS failure. The request was not sent.
    Connect,
    /// The time for an attempt ran out after the request was sent, or while the body was read.
    Timeout,
    /// The connection ended before the answer was complete: reset, closed while idle, cut off.
    Closed,
    /// The answer is larger than the limit.
    TooLarge {
        /// The limit, in bytes.
        limit: usize,
    },
    /// Anything else. Taken as "perhaps sent".
    Other,
}

impl TransportError {
    /// An error of a kind, with its cause.
    pub fn new(
        kind: TransportErrorKind,
        source: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        Self {
            kind,
            to: None,
            source: Some(source.into()),
        }
    }

    /// With the host and the port that were asked.
    #[cfg(feature = "reqwest")]
    pub(crate) fn asked(mut self, to: Option<String>) -> Self {
        self.to = to;
        self
    }

    /// The answer is larger than `limit` bytes.
    #[must_use]
    pub const fn too_large(limit: usize) -> Self {
        Self {
            kind: TransportErrorKind::TooLarge { limit },
            to: None,
            source: None,
        }
    }

    /// The time for an attempt ran out.
    #[must_use]
    pub const fn timeout() -> Self {
        Self {
            kind: TransportErrorKind::Timeout,
            to: None,
            source: None,
        }
    }

    /// What kind of failure it was.
    #[must_use]
    pub const fn kind(&self) -> TransportErrorKind {
        self.kind
    }

    /// Whether the server may have seen the request.
    #[must_use]
    pub const fn may_have_been_sent(&self) -> bool {
        !matches!(self.kind, TransportErrorKind::Connect)
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            TransportErrorKind::Connect => match &self.to {
                Some(to) => write!(f, "no connection to {to}"),
                None => f.write_str("no connection"),
            },
            TransportErrorKind::Timeout => f.write_str("no answer in time"),
            TransportErrorKind::Closed => f.write_str("the connection closed before the answer"),
            TransportErrorKind::TooLarge { limit } => {
                write!(f, "the answer is larger than {limit} bytes")
            }
            TransportErrorKind::Other => f.write_str("the request failed on its way"),
        }
    }
}

impl StdError for TransportError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source
            .as_deref()
            .map(|source| source as &(dyn StdError + 'static))
    }
}
