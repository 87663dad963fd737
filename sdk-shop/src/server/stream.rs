//! Connections that fail on demand.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// How a connection ends.
#[derive(Debug, Default)]
pub(super) struct Fate(AtomicBool);

impl Fate {
    pub(super) fn reset(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A connection that can be reset instead of closed.
#[derive(Debug)]
pub(super) struct Wired {
    stream: TcpStream,
    fate: Arc<Fate>,
}

impl Wired {
    pub(super) fn new(stream: TcpStream, fate: Arc<Fate>) -> Self {
        Self { stream, fate }
    }
}

impl Drop for Wired {
    fn drop(&mut self) {
        if self.fate.0.load(Ordering::Relaxed) {
            // Closing with a linger of zero sends RST; if it cannot be set, FIN is close enough.
            let _ = self.stream.set_zero_linger();
        }
    }
}

impl AsyncRead for Wired {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Wired {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.fate.0.load(Ordering::Relaxed) {
            // A FIN before the RST would make it a clean end.
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
