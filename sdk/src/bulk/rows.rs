use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use tokio::sync::mpsc;

use super::download::{File, Piece};
use super::{BulkError, BulkQuery, Counts, Grouping, Join, JsonlError, Line, Lines, RawRow, Shape};
use crate::progress::Progress;
use crate::resume::{At, ResumeToken};

/// Pieces of the file that may wait to be joined.
const PIECES: usize = 16;
/// Rows that are handed on together, and how many such batches may wait.
const BATCH: usize = 128;
const BATCHES: usize = 4;

/// The rows of a bulk query, as a stream.
///
/// The file is read by a task and joined by a blocking thread, both a bounded number of rows ahead;
/// dropping the stream ends them.
#[must_use = "a stream does nothing unless it is polled"]
pub struct Rows<O: BulkQuery> {
    batches: mpsc::Receiver<Batch>,
    batch: std::vec::IntoIter<RawRow>,
    ended: bool,
    /// Rows that were taken before, still to pass.
    skip: u64,
    token: ResumeToken,
    progress: Progress,
    begun: tokio::time::Instant,
    operation: PhantomData<fn() -> O>,
}

/// Rows, then `None`; or why there are no more.
type Batch = Result<Option<Vec<RawRow>>, BulkError>;

impl<O: BulkQuery> Rows<O> {
    pub(super) fn open(
        file: Option<File>,
        grouping: Grouping,
        counts: Option<(u64, u64)>,
        token: ResumeToken,
    ) -> Self {
        let (sender, batches) = mpsc::channel(BATCHES);
        let ended = file.is_none();
        if let Some(file) = file {
            let (pieces, receiver) = mpsc::channel(PIECES);
            tokio::spawn(file.read(pieces));
            let shape = O::shape().clone();
            thread(move || {
                let end = join(receiver, shape, grouping, counts, &sender);
                // Whoever does not listen any more does not need to be told.
                let _ = sender.blocking_send(end.map(|()| None));
            });
        }
        let skip = match token.at {
            At::Bulk { taken, .. } => taken,
            At::Page { .. } => 0,
        };
        Self {
            ended,
            batches,
            batch: Vec::new().into_iter(),
            skip,
            token,
            progress: Progress {
                total: counts.map(|(_, roots)| roots),
                ..Progress::default()
            },
            begun: tokio::time::Instant::now(),
            operation: PhantomData,
        }
    }

    /// Where the reading stands: [`Bulk::resume`](super::Bulk::resume) goes on after the rows that
    /// were taken.
    #[must_use]
    pub fn token(&self) -> &ResumeToken {
        &self.token
    }

    /// How far the reading is.
    #[must_use]
    pub fn progress(&self) -> Progress {
        Progress {
            elapsed: self.begun.elapsed(),
            ..self.progress
        }
    }

    /// The next row; `None` at the end.
    pub async fn next(&mut self) -> Option<Result<O::Row, BulkError>> {
        let row = self.next_raw().await?;
        Some(row.and_then(|row| Ok(row.decode(O::decode_row)?)))
    }

    /// The next row as JSON text; `None` at the end.
    pub async fn next_raw(&mut self) -> Option<Result<RawRow, BulkError>> {
        std::future::poll_fn(|context| self.poll(context)).await
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<RawRow, BulkError>>> {
        loop {
            if let Some(row) = self.batch.next() {
                if self.skip > 0 {
                    self.skip -= 1;
                    continue;
                }
                self.progress.done += 1;
                if let At::Bulk { taken, .. } = &mut self.token.at {
                    *taken += 1;
                }
                return Poll::Ready(Some(Ok(row)));
            }
            if self.ended {
                return Poll::Ready(None);
            }
            match ready!(self.batches.poll_recv(context)).unwrap_or(Err(BulkError::Stopped)) {
                Ok(Some(batch)) => self.batch = batch.into_iter(),
                Ok(None) => self.ended = true,
                Err(error) => {
                    self.ended = true;
                    return Poll::Ready(Some(Err(error)));
                }
            }
        }
    }
}

/// Joins pieces of a file into batches of rows, on a thread of its own.
fn join(
    pieces: mpsc::Receiver<Piece>,
    shape: Shape,
    grouping: Grouping,
    counts: Option<(u64, u64)>,
    batches: &mpsc::Sender<Batch>,
) -> Result<(), BulkError> {
    let mut join = Join::new(shape, grouping);
    let mut batch = Vec::new();
    let mut push = |row: RawRow| {
        batch.push(row);
        if batch.len() < BATCH {
            return Ok(());
        }
        let full = std::mem::take(&mut batch);
        batches
            .blocking_send(Ok(Some(full)))
            .map_err(|_| BulkError::Stopped)
    };
    each_line(pieces, |line| match join.push(line)? {
        Some(row) => push(row),
        None => Ok(()),
    })?;
    check(join.counts(), counts)?;
    for row in join.finish()? {
        push(row?)?;
    }
    let rest = batches.blocking_send(Ok(Some(batch)));
    rest.map_err(|_| BulkError::Stopped)
}

/// Runs what reads a file on a thread of its own rather than on one of the runtime's: it lives as
/// long as the download, and a runtime of a test with paused time would stand still for it.
pub(super) fn thread(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().name("tollgate-bulk".into());
    if let Err(error) = thread.spawn(work) {
        // The sender went with the closure: the stream ends with `BulkError::Stopped`.
        tracing::error!(target: "tollgate", %error, "no thread to read a bulk result on");
    }
}

/// Cuts the pieces of a file into lines.
pub(super) fn each_line(
    mut pieces: mpsc::Receiver<Piece>,
    mut each: impl FnMut(Line<'_>) -> Result<(), BulkError>,
) -> Result<(), BulkError> {
    let mut lines = Lines::new();
    loop {
        match pieces.blocking_recv().unwrap_or(Err(BulkError::Stopped))? {
            Some(piece) => lines.push(&piece, &mut each)?,
            None => return lines.finish(each),
        }
    }
}

fn check(found: Counts, expected: Option<(u64, u64)>) -> Result<(), JsonlError> {
    let Some((objects, roots)) = expected else {
        return Ok(());
    };
    for (what, expected, found) in [
        ("objects", objects, found.objects),
        ("root objects", roots, found.roots),
    ] {
        if expected != found {
            return Err(JsonlError::CountMismatch {
                what,
                expected,
                found,
            });
        }
    }
    Ok(())
}

impl<O: BulkQuery> Stream for Rows<O> {
    type Item = Result<O::Row, BulkError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let row = ready!(self.poll(context));
        Poll::Ready(row.map(|row| Ok(row?.decode(O::decode_row)?)))
    }
}

impl<O: BulkQuery> fmt::Debug for Rows<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows")
            .field("operation", &O::NAME)
            .field("progress", &self.progress)
            .finish_non_exhaustive()
    }
}
