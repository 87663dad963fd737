//! A server on a real socket that answers with whatever bytes a test wants.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use tollgate::{Client, ClientBuilder};

/// What is written to a connection, piece by piece.
pub(crate) type Script = Arc<dyn Fn(usize) -> Option<Vec<u8>> + Send + Sync>;

/// The server; it closes when it is dropped.
pub(crate) struct Wire {
    url: String,
    sent: Arc<AtomicUsize>,
    accepting: JoinHandle<()>,
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Wire {
    /// Answers every request with the pieces that `script` gives, with a pause before each.
    pub(crate) async fn scripted(pause: Duration, script: Script) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let sent = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&sent);
        let accepting = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let (script, count) = (Arc::clone(&script), Arc::clone(&count));
                tokio::spawn(async move { answer(socket, pause, &*script, &count).await });
            }
        });
        Self {
            url,
            sent,
            accepting,
        }
    }

    /// Answers every request with these bytes.
    pub(crate) async fn raw(bytes: Vec<u8>) -> Self {
        let script = move |piece| (piece == 0).then(|| bytes.clone());
        Self::scripted(Duration::ZERO, Arc::new(script)).await
    }

    /// Answers every request with status 200 and this body.
    pub(crate) async fn body(headers: &str, body: &[u8]) -> Self {
        let head = format!(
            "HTTP/1.1 200 OK\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n",
            body.len()
        );
        Self::raw([head.as_bytes(), body].concat()).await
    }

    /// Bytes that were sent so far.
    pub(crate) fn sent(&self) -> usize {
        self.sent.load(Ordering::Relaxed)
    }

    /// A client of this server that tries once.
    pub(crate) fn client(&self) -> ClientBuilder {
        Client::builder("hostile.myshopify.com", "shpat_hostile")
            .endpoint(&self.url)
            .retry(tollgate::RetryPolicy::once())
    }
}

async fn answer(
    mut socket: TcpStream,
    pause: Duration,
    script: &(dyn Fn(usize) -> Option<Vec<u8>> + Send + Sync),
    sent: &AtomicUsize,
) {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    // The client sends its body at once; where it ends does not matter here.
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        match socket.read(&mut buffer).await {
            Ok(read) if read > 0 => request.extend_from_slice(&buffer[..read]),
            _ => return,
        }
    }
    for piece in 0.. {
        tokio::time::sleep(pause).await;
        let Some(bytes) = script(piece) else { break };
        if socket.write_all(&bytes).await.is_err() {
            return;
        }
        sent.fetch_add(bytes.len(), Ordering::Relaxed);
    }
    // What is left of the request is read, or closing would reset the connection.
    let _ = socket.shutdown().await;
    while matches!(socket.read(&mut buffer).await, Ok(read) if read > 0) {}
}
