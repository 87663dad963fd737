use std::{error::Error as StdError, fmt, sync::Arc};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue};
use tokio::sync::Mutex;
use tracing::Instrument as _;

use crate::transport::BoxFuture;

/// An access token of the Admin API. Never shown: not by `Debug`, not in errors, not in events.
#[derive(Clone, PartialEq, Eq)]
pub struct AccessToken(Arc<str>);

impl AccessToken {
    /// Whether it can stand in a header at all.
    pub(crate) fn header(&self) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&self.0).ok()?;
        value.set_sensitive(true);
        Some(value).filter(|_| !self.0.trim().is_empty())
    }

    /// Takes the token out of a text that may have repeated it.
    pub(crate) fn scrub(&self, text: Bytes) -> Bytes {
        if !self.is_in(&text) {
            return text;
        }
        let text = String::from_utf8_lossy(&text);
        text.replace(&*self.0, "[token]").into()
    }

    /// Takes it out of headers.
    pub(crate) fn scrub_headers(&self, headers: &mut HeaderMap) {
        for value in headers.values_mut() {
            if self.is_in(value.as_bytes()) {
                *value = HeaderValue::from_static("[token]");
            }
        }
    }

    /// A text shorter than any token of the service, as tests have, is left in: it may be part of
    /// any word.
    fn is_in(&self, text: &[u8]) -> bool {
        const SHORTEST: usize = 8;
        self.0.len() >= SHORTEST && memchr::memmem::find(text, self.0.as_bytes()).is_some()
    }
}

impl<T: Into<String>> From<T> for AccessToken {
    fn from(token: T) -> Self {
        Self(token.into().into())
    }
}

impl fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AccessToken([hidden])")
    }
}

/// Where access tokens come from, for apps whose tokens expire.
///
/// # Promises
/// [`renew`](Self::renew) is called once for a token that the server did not accept, by one call
/// at a time while the others wait for its result. When it fails the call fails: it is not asked
/// again for that call, since a refresh token can be used only once and whether it was used is not
/// known here. Keep the old pair until the new one is stored.
///
/// What a source was asked runs to its end in a task of its own, also when the call that asked for
/// it is dropped or its deadline passes.
pub trait TokenSource: Send + Sync + 'static {
    /// The present token.
    fn token(&self) -> BoxFuture<'_, Result<AccessToken, Box<dyn StdError + Send + Sync>>>;

    /// Another token after `rejected` was answered with 401; `None` when there is none.
    fn renew(
        &self,
        rejected: AccessToken,
    ) -> BoxFuture<'_, Result<Option<AccessToken>, Box<dyn StdError + Send + Sync>>>;
}

/// One token that never changes.
#[derive(Debug)]
pub(crate) struct Fixed(pub(crate) AccessToken);

impl TokenSource for Fixed {
    fn token(&self) -> BoxFuture<'_, Result<AccessToken, Box<dyn StdError + Send + Sync>>> {
        let token = self.0.clone();
        Box::pin(async { Ok(token) })
    }

    fn renew(
        &self,
        _: AccessToken,
    ) -> BoxFuture<'_, Result<Option<AccessToken>, Box<dyn StdError + Send + Sync>>> {
        Box::pin(async { Ok(None) })
    }
}

/// The token in use, renewed by one call for all.
pub(crate) struct Tokens(Arc<Shared>);

struct Shared {
    source: Box<dyn TokenSource>,
    current: Mutex<Option<AccessToken>>,
}

/// Why a source gives no token.
pub(crate) type Failure = Box<dyn StdError + Send + Sync>;

impl Tokens {
    pub(crate) fn new(source: impl TokenSource) -> Self {
        Self(Arc::new(Shared {
            source: Box::new(source),
            current: Mutex::new(None),
        }))
    }

    pub(crate) async fn current(&self) -> Result<AccessToken, Failure> {
        if let Some(token) = &*self.0.current.lock().await {
            return Ok(token.clone());
        }
        let shared = Arc::clone(&self.0);
        to_its_end(async move { shared.first().await }).await
    }

    /// A token other than `rejected`, if there is one.
    pub(crate) async fn renew(
        &self,
        rejected: &AccessToken,
    ) -> Result<Option<AccessToken>, Failure> {
        let (shared, rejected) = (Arc::clone(&self.0), rejected.clone());
        to_its_end(async move { shared.other_than(rejected).await }).await
    }
}

impl Shared {
    async fn first(&self) -> Result<AccessToken, Failure> {
        let mut current = self.current.lock().await;
        if let Some(token) = &*current {
            // Another call was here first.
            return Ok(token.clone());
        }
        let token = self.source.token().await?;
        *current = usable(Some(&token));
        Ok(token)
    }

    async fn other_than(&self, rejected: AccessToken) -> Result<Option<AccessToken>, Failure> {
        let mut current = self.current.lock().await;
        if let Some(token) = &*current
            && *token != rejected
        {
            // Another call was here first.
            return Ok(Some(token.clone()));
        }
        let renewed = self.source.renew(rejected.clone()).await?;
        let renewed = renewed.filter(|token| *token != rejected);
        *current = usable(renewed.as_ref());
        Ok(renewed)
    }
}

/// A token that can be sent, to be kept: for any other the next call asks again.
fn usable(token: Option<&AccessToken>) -> Option<AccessToken> {
    token.filter(|token| token.header().is_some()).cloned()
}

/// Runs what asks a source even when the call that waits for it is dropped: a refresh token is of
/// use once, and the pair that the answer brings must not be lost.
async fn to_its_end<T: Send + 'static>(
    asking: impl Future<Output = Result<T, Failure>> + Send + 'static,
) -> Result<T, Failure> {
    tokio::spawn(asking.in_current_span()).await?
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tokens([hidden])")
    }
}
