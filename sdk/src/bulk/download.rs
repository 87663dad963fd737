//! Files of the service: read as they come, taken up where they broke off.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, StatusCode, Uri, header};
use tokio::sync::mpsc;
use tokio::time::sleep;

use super::run::Pause;
use super::{BulkError, Snapshot, service};
use crate::shop::is_here;
use crate::transport::Chunks;
use crate::{Client, TransportError, TransportErrorKind};

/// Failures in a row, without a byte in between, that end a download.
const FAILURES: u32 = 6;
/// How much of a refusal is read for its error.
const SHOWN: usize = 300;

/// What a download hands on: pieces, then `None`; or why there are no more.
pub(super) type Piece = Result<Option<Bytes>, BulkError>;

/// A file to read.
pub(super) struct File {
    client: Client,
    url: String,
    /// The operation to ask for a fresh address.
    operation: Option<String>,
    size: Option<u64>,
}

/// How one request for the file ended.
enum End {
    Whole,
    /// Nobody listens any more.
    Unheard,
    Broken(TransportError),
    /// The address does not work any more.
    Stale(BulkError),
    /// The file server asks for patience.
    Refused(BulkError, Option<Duration>),
}

impl File {
    pub(super) fn whole(client: &Client, snapshot: &Snapshot, url: &str) -> Self {
        Self {
            client: client.clone(),
            url: url.to_owned(),
            operation: Some(snapshot.id.clone()),
            size: snapshot.file_size,
        }
    }

    pub(super) fn partial(client: &Client, url: &str) -> Self {
        Self {
            client: client.clone(),
            url: url.to_owned(),
            operation: None,
            size: None,
        }
    }

    /// Reads the file to its end.
    pub(super) async fn read(mut self, pieces: mpsc::Sender<Piece>) {
        let end = self.pump(&pieces).await;
        // Whoever does not listen any more does not need to be told.
        let _ = pieces.send(end.map(|()| None)).await;
    }

    async fn pump(&mut self, pieces: &mpsc::Sender<Piece>) -> Result<(), BulkError> {
        let (mut offset, mut failures, mut renewed) = (0, 0, false);
        let pauses = || Pause::new(Duration::from_millis(500), Duration::from_secs(30));
        let mut pause = pauses();
        loop {
            let before = offset;
            let end = self.request(&mut offset, pieces).await?;
            if offset > before {
                (failures, renewed) = (0, false);
                pause = pauses();
            }
            failures += 1;
            let (error, wait) = match end {
                End::Whole | End::Unheard => return Ok(()),
                End::Stale(error) => {
                    if renewed || !self.renew().await? {
                        return Err(error);
                    }
                    renewed = true;
                    continue;
                }
                End::Broken(source) => (BulkError::Download { offset, source }, None),
                End::Refused(error, wait) => (error, wait),
            };
            if failures >= FAILURES {
                return Err(error);
            }
            sleep(wait.unwrap_or_default().max(pause.next())).await;
        }
    }

    /// Asks the operation for a fresh address of its file.
    async fn renew(&mut self) -> Result<bool, BulkError> {
        let Some(id) = &self.operation else {
            return Ok(false);
        };
        let url = service::look(&self.client, id).await?.url;
        self.url = url.ok_or_else(|| BulkError::Expired { id: id.clone() })?;
        Ok(true)
    }

    /// One request, from `offset` on.
    async fn request(
        &self,
        offset: &mut u64,
        pieces: &mpsc::Sender<Piece>,
    ) -> Result<End, BulkError> {
        let uri = address(&self.url, self.client.endpoint())?;
        let mut request = http::Request::get(uri);
        if *offset > 0 {
            // Offsets are those of the file itself, so it must come as it is.
            request = request
                .header(header::RANGE, format!("bytes={offset}-"))
                .header(header::ACCEPT_ENCODING, "identity");
        }
        let request = request.body(Bytes::new());
        let request = request.map_err(|_| BulkError::Answer("url"))?;
        let response = match self.client.transport().open(request).await {
            Ok(response) => response,
            Err(error) => return Ok(End::Broken(error)),
        };
        let (parts, mut body) = response.into_parts();
        // A server that does not know ranges sends the whole again: what is known is passed over.
        let mut known = match parts.status {
            StatusCode::OK => *offset,
            StatusCode::PARTIAL_CONTENT => {
                if let Some(end) = self.check_range(&parts.headers, *offset)? {
                    return Ok(end);
                }
                0
            }
            StatusCode::RANGE_NOT_SATISFIABLE if self.size == Some(*offset) => {
                return Ok(End::Whole);
            }
            status => return Ok(refusal(status, &parts.headers, &mut *body).await),
        };
        loop {
            let mut chunk = match body.next().await {
                Ok(Some(chunk)) => chunk,
                Ok(None) => return Ok(self.at_end(*offset)),
                Err(error) => return Ok(End::Broken(error)),
            };
            let pass = usize::try_from(known)
                .unwrap_or(usize::MAX)
                .min(chunk.len());
            known -= pass as u64;
            let chunk = chunk.split_off(pass);
            if chunk.is_empty() {
                continue;
            }
            let length = chunk.len() as u64;
            if pieces.send(Ok(Some(chunk))).await.is_err() {
                return Ok(End::Unheard);
            }
            *offset += length;
            // Not only at the end: there may be none.
            if let Some(expected) = self.size
                && *offset > expected
            {
                let found = *offset;
                return Err(BulkError::FileChanged { expected, found });
            }
        }
    }

    /// The end of a body is the end of the file only when nothing is missing.
    fn at_end(&self, offset: u64) -> End {
        match self.size {
            Some(size) if offset < size => End::Broken(TransportError::new(
                TransportErrorKind::Closed,
                format!("{offset} of {size} bytes came"),
            )),
            _ => End::Whole,
        }
    }

    /// `bytes 7-99/100` must begin where the last answer ended, in a file of the same length.
    fn check_range(&self, headers: &HeaderMap, offset: u64) -> Result<Option<End>, BulkError> {
        let range = headers
            .get(header::CONTENT_RANGE)
            .and_then(|range| range.to_str().ok());
        let range = range.and_then(|range| range.strip_prefix("bytes "));
        let parts = range.and_then(|range| range.split_once('/'));
        let start = parts.and_then(|(range, _)| range.split_once('-')?.0.parse::<u64>().ok());
        let length = parts.and_then(|(_, length)| length.parse::<u64>().ok());
        if let (Some(expected), Some(found)) = (self.size, length)
            && expected != found
        {
            return Err(BulkError::FileChanged { expected, found });
        }
        if start == Some(offset) {
            return Ok(None);
        }
        Ok(Some(End::Broken(TransportError::new(
            TransportErrorKind::Other,
            format!("the file server gave another range than from byte {offset}"),
        ))))
    }
}

async fn refusal(status: StatusCode, headers: &HeaderMap, body: &mut dyn Chunks) -> End {
    let mut text = Vec::new();
    while let Ok(Some(chunk)) = body.next().await {
        text.extend_from_slice(&chunk);
        if text.len() >= SHOWN {
            break;
        }
    }
    let text = String::from_utf8_lossy(&text);
    let error = BulkError::FileServer {
        status: status.as_u16(),
        body: text.trim().chars().take(SHOWN).collect(),
    };
    match status.as_u16() {
        408 | 429 | 500..=599 => {
            let wait = headers
                .get(header::RETRY_AFTER)
                .and_then(|value| value.to_str().ok());
            let wait = wait.and_then(|seconds| seconds.trim().parse().ok());
            End::Refused(
                error,
                wait.map(|seconds: u64| Duration::from_secs(seconds.min(300))),
            )
        }
        _ => End::Stale(error),
    }
}

/// An address that it is safe to ask: the token is never sent there, but what comes from there is
/// believed.
pub(super) fn address(url: &str, endpoint: &Uri) -> Result<Uri, BulkError> {
    let uri: Uri = url.parse().map_err(|_| BulkError::Answer("url"))?;
    let is_local = |uri: &Uri| uri.scheme_str() == Some("http") && uri.host().is_some_and(is_here);
    if uri.scheme_str() == Some("https") || (is_local(&uri) && is_local(endpoint)) {
        return Ok(uri);
    }
    Err(BulkError::Address {
        scheme: uri.scheme_str().unwrap_or_default().to_owned(),
        host: uri.host().unwrap_or_default().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_safe_addresses_are_asked() {
        let shop: Uri = "https://a.myshopify.com/x".parse().unwrap();
        let local: Uri = "http://127.0.0.1:81/x".parse().unwrap();
        assert!(address("https://storage.example/f?sig=1", &shop).is_ok());
        assert!(address("https://storage.example/f", &local).is_ok());
        assert!(address("http://127.0.0.1:82/f", &local).is_ok());
        assert!(address("http://[::1]:82/f", &"http://127.0.0.2:1".parse().unwrap()).is_ok());
        for (url, endpoint) in [
            ("http://storage.example/f", &shop),
            ("http://storage.example/f", &local),
            ("http://127.0.0.1/f", &shop),
            ("http://localhost.example/f", &local),
            ("file:///etc/passwd", &local),
        ] {
            let error = address(url, endpoint).unwrap_err();
            assert!(
                matches!(error, BulkError::Address { .. } | BulkError::Answer("url")),
                "{url}"
            );
        }
    }
}
