//! The shop over HTTP, on the loopback address.

mod pieces;
mod stream;

use std::io;
use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use http::HeaderValue;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, RANGE};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use self::pieces::{Pieces, Source};
use self::stream::{Fate, Wired};
use crate::fault::Wire;
use crate::shop::Shop;

/// Shorter bodies are not worth compressing.
const LEAST_COMPRESSED: u64 = 200;

/// The most bytes that the body of a request to GraphQL has.
const MOST: usize = 4 << 20;

/// The most bytes of an upload: more than the 100 MB of variables that a bulk operation takes.
const MOST_UPLOADED: usize = 128 << 20;

/// How long clients have to end once the shop closes, or their body is too long.
const GRACE: Duration = Duration::from_secs(1);

/// How long the shop waits before it accepts again after it could not, as without file handles.
const RETRY: Duration = Duration::from_millis(50);

/// A shop that listens. It is used like the [`Shop`] that it holds, and closes when it is dropped.
#[derive(Debug)]
pub struct Server {
    shop: Shop,
    address: SocketAddr,
    closing: watch::Sender<bool>,
    accepting: JoinHandle<()>,
}

impl Deref for Server {
    type Target = Shop;

    fn deref(&self) -> &Shop {
        &self.shop
    }
}

impl Server {
    pub(crate) async fn start(shop: Shop, address: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let (closing, closed) = watch::channel(false);
        let accepting = tokio::spawn(accept(listener, shop.clone(), closed));
        Ok(Self {
            shop,
            address,
            closing,
            accepting,
        })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its address as a URL, without a path: `http://127.0.0.1:40123`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The GraphQL endpoint of an API version.
    #[must_use]
    pub fn endpoint(&self, api_version: &str) -> String {
        format!("{}/admin/api/{api_version}/graphql.json", self.url())
    }

    /// Accepts no more connections, answers what was asked, and closes. Connections that are still
    /// busy after a second are cut off.
    pub async fn stop(mut self) {
        self.closing.send_replace(true);
        // The task ends by itself; when it panicked or was cancelled, the shop is closed as well.
        let _ = (&mut self.accepting).await;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, shop: Shop, mut closed: watch::Receiver<bool>) {
    // Dropped with this task, and every connection with it.
    let mut connections = JoinSet::new();
    // `closed` is borrowed while it is waited for.
    let closing = closed.clone();
    loop {
        tokio::select! {
            stream = next(&listener) => {
                connections.spawn(serve(stream, shop.clone(), closing.clone()));
            }
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            _ = closed.wait_for(|closed| *closed) => break,
        }
    }
    drop(listener);
    let ended = async { while connections.join_next().await.is_some() {} };
    // A client that does not finish its request does not keep the shop open.
    if tokio::time::timeout(GRACE, ended).await.is_err() {
        connections.shutdown().await;
    }
}

/// The next connection.
async fn next(listener: &TcpListener) -> TcpStream {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            // Only this connection is gone.
            Err(error)
                if matches!(
                    error.kind(),
                    ConnectionAborted | ConnectionReset | Interrupted
                ) => {}
            // It would fail again at once, until a connection ends.
            Err(_) => tokio::time::sleep(RETRY).await,
        }
    }
}

async fn serve(stream: TcpStream, shop: Shop, mut closed: watch::Receiver<bool>) {
    let fate = Arc::new(Fate::default());
    // Small answers at once; a failure only makes them slower.
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| respond(&shop, &fate, request));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).max_buf_size(1 << 20);
    let io = TokioIo::new(Wired::new(stream, Arc::clone(&fate)));
    let mut connection = std::pin::pin!(http.serve_connection(io, service));
    // An error is the end of this connection, by a fault or by its client.
    let ended = tokio::select! {
        _ = connection.as_mut() => true,
        _ = closed.wait_for(|closed| *closed) => false,
    };
    if !ended {
        connection.as_mut().graceful_shutdown();
        let _ = connection.await;
    }
}

async fn respond(
    shop: &Shop,
    fate: &Fate,
    request: http::Request<Incoming>,
) -> Result<http::Response<Pieces>, Failed> {
    let (head, mut body) = request.into_parts();
    let most = if head.uri.path().starts_with("/staged") {
        MOST_UPLOADED
    } else {
        MOST
    };
    let whole = match Limited::new(&mut body, most).collect().await {
        Ok(whole) => whole.to_bytes(),
        Err(error) if error.is::<LengthLimitError>() => {
            // Most clients write all of it before they read: closed at once, they see no answer.
            let rest = async { while let Some(Ok(_)) = body.frame().await {} };
            let _ = tokio::time::timeout(GRACE, rest).await;
            let refusal = shop.refuse_length().response;
            return Ok(refusal.map(|body| Pieces::new(Source::Bytes(body), None)));
        }
        Err(_) => return Err(Failed),
    };
    let request = http::Request::from_parts(head, whole);
    let reply = shop.reply(&request).await;
    let gzip = request.headers().get(ACCEPT_ENCODING);
    let gzip = gzip.is_some_and(|accepted| accepted.as_bytes().windows(4).any(|w| w == b"gzip"));
    let gzip = gzip && reply.wire.is_none() && !request.headers().contains_key(RANGE);
    let (mut head, body) = reply.response.into_parts();
    let source = match reply.file {
        Some(file) => Source::File(file),
        None => Source::Bytes(body),
    };
    match reply.wire {
        Some(Wire::Closed) => return Err(Failed),
        Some(Wire::Reset) => {
            fate.reset();
            return Err(Failed);
        }
        Some(Wire::Silent) => return std::future::pending().await,
        _ => {}
    }
    let body = if gzip && source.len() > LEAST_COMPRESSED {
        let encoding = HeaderValue::from_static("gzip");
        head.headers.insert(CONTENT_ENCODING, encoding);
        Pieces::compressed(source)?
    } else {
        Pieces::new(source, reply.wire)
    };
    Ok(http::Response::from_parts(head, body))
}

/// The connection is to be closed without an answer.
#[derive(Debug, thiserror::Error)]
#[error("the connection is closed by a fault")]
struct Failed;
