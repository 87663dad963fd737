use std::{error::Error as StdError, io, sync::Arc, time::Duration};

use bytes::{Bytes, BytesMut};
use reqwest::redirect::Policy;
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use rustls_platform_verifier::BuilderVerifierExt as _;

use super::{BoxFuture, Chunks, Transport, TransportError, TransportErrorKind};

/// Shorter than any keep-alive seen of servers, so that a connection is seldom picked in the
/// moment the server closes it.
const IDLE: Duration = Duration::from_secs(20);

const CONNECT: Duration = Duration::from_secs(10);

/// HTTP over reqwest and rustls.
#[derive(Clone, Debug)]
pub(crate) struct ReqwestTransport {
    client: reqwest::Client,
    quiet: Duration,
}

impl ReqwestTransport {
    /// `quiet`: how long a connection may stay silent while a body is read. (That of reqwest begins
    /// with the request: it would cut long uploads, and calls that the server thinks about.)
    ///
    /// Without `tls`, which is for loopback addresses only, the client trusts nobody and goes
    /// through no proxy: that of the environment would be handed the token.
    pub(crate) fn new(
        user_agent: &str,
        quiet: Duration,
        tls: bool,
    ) -> Result<Self, Box<dyn StdError + Send + Sync>> {
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?;
        let builder = reqwest::Client::builder();
        let (config, builder) = if tls {
            (config.with_platform_verifier()?, builder)
        } else {
            let trusting_nobody = config.with_root_certificates(RootCertStore::empty());
            (trusting_nobody, builder.no_proxy())
        };
        let client = builder
            .tls_backend_preconfigured(config.with_no_client_auth())
            .user_agent(user_agent)
            // On a change of host reqwest strips only the standard credential headers.
            .redirect(Policy::none())
            // Repeating is decided above, where mutations are told from queries.
            .retry(reqwest::retry::never())
            .referer(false)
            .connect_timeout(CONNECT)
            .pool_idle_timeout(IDLE)
            .build()?;
        Ok(Self { client, quiet })
    }

    async fn exchange(
        &self,
        request: http::Request<Bytes>,
        limit: usize,
    ) -> Result<http::Response<Bytes>, TransportError> {
        let request = reqwest::Request::try_from(request).map_err(error)?;
        let mut response = self.client.execute(request).await.map_err(error)?;
        let announced = response.content_length().unwrap_or(0);
        if usize::try_from(announced).map_or(true, |announced| announced > limit) {
            return Err(TransportError::too_large(limit));
        }
        let mut body = BytesMut::new();
        while let Some(chunk) = heard(self.quiet, response.chunk()).await? {
            if body.len() + chunk.len() > limit {
                return Err(TransportError::too_large(limit));
            }
            body.extend_from_slice(&chunk);
        }
        let mut answer = http::Response::new(body.freeze());
        *answer.status_mut() = response.status();
        *answer.headers_mut() = std::mem::take(response.headers_mut());
        Ok(answer)
    }
}

impl Transport for ReqwestTransport {
    fn send(
        &self,
        request: http::Request<Bytes>,
        limit: usize,
    ) -> BoxFuture<'_, Result<http::Response<Bytes>, TransportError>> {
        Box::pin(self.exchange(request, limit))
    }

    fn open(
        &self,
        request: http::Request<Bytes>,
    ) -> BoxFuture<'_, Result<http::Response<Box<dyn Chunks>>, TransportError>> {
        Box::pin(async {
            let request = reqwest::Request::try_from(request).map_err(error)?;
            let quiet = self.quiet;
            let mut response = heard(quiet, self.client.execute(request)).await?;
            let (status, headers) = (response.status(), std::mem::take(response.headers_mut()));
            let body = Body { response, quiet };
            let mut answer = http::Response::new(Box::new(body) as Box<dyn Chunks>);
            *answer.status_mut() = status;
            *answer.headers_mut() = headers;
            Ok(answer)
        })
    }
}

struct Body {
    response: reqwest::Response,
    quiet: Duration,
}

impl Chunks for Body {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Bytes>, TransportError>> {
        Box::pin(heard(self.quiet, self.response.chunk()))
    }
}

/// What comes before the connection was silent for too long.
async fn heard<T>(
    quiet: Duration,
    coming: impl Future<Output = reqwest::Result<T>>,
) -> Result<T, TransportError> {
    match tokio::time::timeout(quiet, coming).await {
        Ok(came) => came.map_err(error),
        Err(_) => Err(TransportError::timeout()),
    }
}

/// Sorts by what the error is, never by its text.
fn error(error: reqwest::Error) -> TransportError {
    let kind = if error.is_connect() || error.is_builder() {
        TransportErrorKind::Connect
    } else if error.is_timeout() || timed_out(&error) {
        TransportErrorKind::Timeout
    } else if error.is_body() || error.is_decode() || error.is_request() {
        TransportErrorKind::Closed
    } else {
        TransportErrorKind::Other
    };
    // No more of the address: that of a file carries its signature.
    let to = error.url().and_then(|url| {
        let (host, port) = (url.host_str()?, url.port_or_known_default()?);
        Some(format!("{host}:{port}"))
    });
    TransportError::new(kind, error.without_url()).asked(to)
}

/// Whether a socket timed out below, which reqwest calls a body that cannot be decoded.
fn timed_out(error: &(dyn StdError + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        let io = error.downcast_ref::<io::Error>();
        if io.is_some_and(|io| io.kind() == io::ErrorKind::TimedOut) {
            return true;
        }
        next = error.source();
    }
    false
}
