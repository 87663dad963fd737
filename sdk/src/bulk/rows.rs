use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use tokio::sync::mpsc;

use super::download::{File, Piece};
use super::scan::Keys;
use super::scanned::Scanned;
use super::spill::Room;
use super::{
    BulkError, BulkQuery, Counts, Grouping, Join, JsonlError, Line, Lines, RawRow, RawRows, Shape,
};
use crate::progress::Progress;
use crate::resume::{At, ResumeError, ResumeToken};

/// Pieces of the file, and lots of lines, that may wait: enough work for a thread to go on with
/// while another waits for its turn on a busy machine.
const PIECES: usize = 64;
/// Batches of rows that may wait.
const BATCHES: usize = 16;

/// The rows of a bulk query, as a stream.
///
/// The file is read by a task, cut into lines by one thread and joined by another, all a bounded
/// number of rows ahead; dropping the stream ends them.
#[must_use = "a stream does nothing unless it is polled"]
pub struct Rows<O: BulkQuery> {
    batches: mpsc::Receiver<Batch>,
    batch: RawRows,
    ended: bool,
    /// Rows that were taken before, still to pass.
    skip: u64,
    token: ResumeToken,
    progress: Progress,
    begun: tokio::time::Instant,
    operation: PhantomData<fn() -> O>,
}

/// Lines, then `None`; or why there are no more.
type Lot = Result<Option<Scanned>, BulkError>;
/// Rows, then `None`; or why there are no more.
type Batch = Result<Option<RawRows>, BulkError>;

impl<O: BulkQuery> Rows<O> {
    pub(super) fn open(
        file: Option<File>,
        shape: Shape,
        grouping: Grouping,
        counts: Option<(u64, u64)>,
        token: ResumeToken,
        room: Room,
    ) -> Self {
        let (sender, batches) = mpsc::channel(BATCHES);
        let ended = file.is_none();
        if let Some(file) = file {
            let (pieces, receiver) = mpsc::channel(PIECES);
            tokio::spawn(file.read(pieces));
            let (lots, lines) = sync_channel(PIECES);
            let join = Join::within(shape.clone(), grouping, &room);
            // Whoever does not listen any more does not need to be told how it ended.
            thread(move || {
                let end = scan(receiver, &shape, &lots);
                let _ = lots.send(end.map(|()| None));
            });
            thread(move || {
                let end = self::join(&lines, join, counts, &sender);
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
            batch: RawRows::default(),
            skip,
            token,
            progress: Progress {
                total: counts.map(|(_, roots)| roots.saturating_sub(skip)),
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

    /// How far the reading is, of the rows that had not been taken before.
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
                return Poll::Ready(match std::mem::take(&mut self.skip) {
                    0 => None,
                    beyond => Some(Err(ResumeError::Beyond(beyond).into())),
                });
            }
            match ready!(self.batches.poll_recv(context)).unwrap_or(Err(BulkError::Stopped)) {
                Ok(Some(batch)) => self.batch = batch,
                Ok(None) => self.ended = true,
                Err(error) => {
                    (self.ended, self.skip) = (true, 0);
                    return Poll::Ready(Some(Err(error)));
                }
            }
        }
    }
}

/// Cuts pieces of a file into lines and finds their keys.
fn scan(
    mut pieces: mpsc::Receiver<Piece>,
    shape: &Shape,
    lines: &SyncSender<Lot>,
) -> Result<(), BulkError> {
    let mut cutter = Lines::new();
    let send = |scanned: Scanned| {
        if scanned.is_empty() {
            return Ok(());
        }
        let sent = lines.send(Ok(Some(scanned)));
        sent.map_err(|_| BulkError::Stopped)
    };
    let mut scanned = Scanned::new();
    loop {
        let piece = match pieces.try_recv() {
            Ok(piece) => piece,
            // Nothing waits: what there is goes on meanwhile.
            Err(_) => {
                if !scanned.is_empty() {
                    send(scanned.take())?;
                }
                pieces.blocking_recv().unwrap_or(Err(BulkError::Stopped))
            }
        };
        let each = |line: Line<'_>| -> Result<(), BulkError> {
            scanned.push(line, Keys::of(shape, line)?);
            match scanned.is_full() {
                true => send(scanned.take()),
                false => Ok(()),
            }
        };
        let read = match piece {
            Ok(Some(piece)) => cutter.push(&piece, each).map(|()| true),
            Ok(None) => std::mem::take(&mut cutter).finish(each).map(|()| false),
            Err(error) => Err(error),
        };
        match read {
            Ok(true) => {}
            // What is before the end, or before what is at fault, counts: rows come up to it.
            Ok(false) => return send(scanned),
            Err(error) => {
                send(scanned)?;
                return Err(error);
            }
        }
    }
}

/// Joins lines into rows. What is complete before an error comes before it; without counts, which
/// a part of a result has not, that is all there is.
fn join(
    lines: &Receiver<Lot>,
    mut join: Join,
    counts: Option<(u64, u64)>,
    batches: &mpsc::Sender<Batch>,
) -> Result<(), BulkError> {
    let send = |rows: RawRows| {
        let sent = batches.blocking_send(Ok(Some(rows)));
        sent.map_err(|_| BulkError::Stopped)
    };
    let read = read(lines, &mut join, send);
    if counts.is_some() && read.is_err() {
        send(join.complete())?;
        return read;
    }
    check(join.counts(), counts)?;
    for rows in join.finish()? {
        send(rows?)?;
    }
    read
}

fn read(
    lines: &Receiver<Lot>,
    join: &mut Join,
    send: impl Fn(RawRows) -> Result<(), BulkError>,
) -> Result<(), BulkError> {
    loop {
        let lot = lines.recv().unwrap_or(Err(BulkError::Stopped))?;
        let Some(lot) = lot else { return Ok(()) };
        for (place, text, keys) in lot.iter() {
            if let Some(rows) = join.take(place, text, keys)? {
                send(rows)?;
            }
        }
    }
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
