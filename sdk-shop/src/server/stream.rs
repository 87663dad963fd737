//! Connections and bodies that fail on demand.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

use super::Failed;
use crate::fault::Wire;

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

/// A body, whole or as a fault has it.
pub(super) struct Pieces {
    rest: Bytes,
    piece: usize,
    pause: Option<Duration>,
    sleep: Option<Pin<Box<Sleep>>>,
    end: End,
    flushed: bool,
}

/// What comes after the last piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Clean,
    CutOff,
    Silence,
    Never,
}

impl Pieces {
    pub(super) fn new(body: Bytes, wire: Option<Wire>) -> Self {
        let half = body.slice(..body.len() / 2);
        let (rest, piece, pause, end) = match wire {
            Some(Wire::CutOff) => (half, usize::MAX, None, End::CutOff),
            Some(Wire::Stalled) => (half, usize::MAX, None, End::Silence),
            Some(Wire::Endless) => (body, usize::MAX, None, End::Never),
            Some(Wire::Drip(pause)) => {
                let piece = body.len().div_ceil(16).max(1);
                (body, piece, Some(pause), End::Clean)
            }
            _ => (body, usize::MAX, None, End::Clean),
        };
        Self {
            rest,
            piece,
            pause,
            sleep: None,
            end,
            flushed: false,
        }
    }
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = Failed;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Failed>>> {
        if let Some(pause) = self.pause
            && !self.rest.is_empty()
        {
            let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep(pause)));
            std::task::ready!(sleep.as_mut().poll(context));
            self.sleep = None;
        }
        let length = self.rest.len().min(self.piece);
        if length > 0 {
            let piece = self.rest.split_to(length);
            return Poll::Ready(Some(Ok(Frame::data(piece))));
        }
        match self.end {
            End::Clean => Poll::Ready(None),
            // What was written goes out before the error ends the connection.
            End::CutOff if !self.flushed => {
                self.flushed = true;
                context.waker().wake_by_ref();
                Poll::Pending
            }
            End::CutOff => Poll::Ready(Some(Err(Failed))),
            End::Silence => Poll::Pending,
            End::Never => Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&[b' '; 8192]))))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.end == End::Clean && self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        let length = u64::try_from(self.rest.len()).unwrap_or(u64::MAX);
        match self.end {
            End::Clean => SizeHint::with_exact(length),
            // A length that is never reached: the client knows that the end came too early.
            End::CutOff | End::Silence => SizeHint::with_exact(length.saturating_mul(2).max(1)),
            End::Never => SizeHint::default(),
        }
    }
}
