//! Bodies, whole or as a fault has them.

use std::io::Write;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http_body::{Body, Frame, SizeHint};
use tokio::time::{Sleep, sleep};

use super::Failed;
use crate::fault::Wire;
use crate::shop::FilePart;

/// How much of a file is read at a time.
const BLOCK: usize = 64 * 1024;

/// Where a body comes from.
#[derive(Debug)]
pub(super) enum Source {
    Bytes(Bytes),
    File(FilePart),
}

impl Source {
    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => u64::try_from(bytes.len()).unwrap_or(u64::MAX),
            Self::File(file) => file.len(),
        }
    }

    /// The next bytes, at most so many; none at the end.
    fn read(&mut self, most: usize) -> Bytes {
        match self {
            Self::Bytes(bytes) => bytes.split_to(bytes.len().min(most)),
            Self::File(file) => file.read(most.min(BLOCK)),
        }
    }
}

/// A body that is sent piece by piece.
#[derive(Debug)]
pub(super) struct Pieces {
    source: Source,
    /// Bytes of the source that are still to be sent.
    left: u64,
    /// The length that is announced when it is never reached: the client knows by it that the end
    /// came too early.
    promised: u64,
    piece: usize,
    pause: Option<Duration>,
    sleep: Option<Pin<Box<Sleep>>>,
    gzip: Option<GzEncoder<Vec<u8>>>,
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
    pub(super) fn new(source: Source, wire: Option<Wire>) -> Self {
        let length = source.len();
        let pieces = u64::from(Wire::PIECES);
        let (left, piece, pause, end) = match wire {
            Some(Wire::CutOff(at)) => {
                let at = at.unwrap_or(length / 2).min(length);
                (at, u64::MAX, None, End::CutOff)
            }
            Some(Wire::Stalled) => (length / 2, u64::MAX, None, End::Silence),
            Some(Wire::Endless) => (length, u64::MAX, None, End::Never),
            Some(Wire::Drip(pause)) => {
                let piece = length.div_ceil(pieces).max(1);
                (length, piece, Some(pause), End::Clean)
            }
            _ => (length, u64::MAX, None, End::Clean),
        };
        Self {
            source,
            left,
            promised: length.max(left + 1),
            piece: usize::try_from(piece).unwrap_or(usize::MAX),
            pause,
            sleep: None,
            gzip: None,
            end,
            flushed: false,
        }
    }

    /// The whole source, compressed: at once when it is in memory, a file on its way.
    pub(super) fn compressed(source: Source) -> Result<Self, Failed> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        if let Source::Bytes(bytes) = &source {
            gzip.write_all(bytes).map_err(|_| Failed)?;
            let bytes = gzip.finish().map_err(|_| Failed)?;
            return Ok(Self::new(Source::Bytes(bytes.into()), None));
        }
        Ok(Self {
            gzip: Some(gzip),
            ..Self::new(source, None)
        })
    }

    fn read(&mut self) -> Option<Bytes> {
        let left = usize::try_from(self.left).unwrap_or(usize::MAX);
        let bytes = self.source.read(left.min(self.piece));
        self.left -= u64::try_from(bytes.len()).unwrap_or(0);
        (!bytes.is_empty()).then_some(bytes)
    }

    /// The next compressed bytes; none at the end.
    fn read_compressed(&mut self) -> Result<Option<Bytes>, Failed> {
        while let Some(bytes) = self.read() {
            let Some(gzip) = &mut self.gzip else { break };
            gzip.write_all(&bytes).map_err(|_| Failed)?;
            if !gzip.get_ref().is_empty() {
                return Ok(Some(std::mem::take(gzip.get_mut()).into()));
            }
        }
        match self.gzip.take() {
            Some(gzip) => Ok(Some(gzip.finish().map_err(|_| Failed)?.into())),
            None => Ok(None),
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
        if self.gzip.is_some() {
            let frame = self.read_compressed().transpose();
            return Poll::Ready(frame.map(|frame| frame.map(Frame::data)));
        }
        if let Some(pause) = self.pause
            && self.left > 0
        {
            let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep(pause)));
            ready!(sleep.as_mut().poll(context));
            self.sleep = None;
        }
        if let Some(bytes) = self.read() {
            return Poll::Ready(Some(Ok(Frame::data(bytes))));
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
        self.end == End::Clean && self.left == 0 && self.gzip.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        if self.gzip.is_some() {
            return SizeHint::default();
        }
        match self.end {
            End::Clean => SizeHint::with_exact(self.left),
            End::CutOff | End::Silence => SizeHint::with_exact(self.promised),
            End::Never => SizeHint::default(),
        }
    }
}
