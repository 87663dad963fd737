use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_core::Stream;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::mpsc;

use super::download::{File, Piece};
use super::record::Record;
use super::row::unknown;
use super::rows::{each_line, thread};
use super::spill::{Room, Spill};
use super::{BulkError, BulkMutation, JsonlError, Line, Place};
use crate::{GraphQlError, UserError, answer};

/// Results that are kept and read back together.
const CHUNK: u64 = 512;

/// The result of one call of a bulk mutation.
#[derive(Debug)]
#[non_exhaustive]
pub struct LineResult<T> {
    /// The index of its input, from 0.
    pub index: u64,
    /// The input, as JSON text.
    pub input: String,
    /// How it ended.
    pub outcome: Outcome<T>,
}

/// How one call of a bulk mutation ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome<T> {
    /// It ran.
    Done(T),
    /// The shop refused: the entries of `userErrors`, and the payload beside them.
    UserErrors(Vec<UserError>, T),
    /// It failed as a whole.
    Failed(Vec<GraphQlError>),
    /// The service gives no result for it: it was not come to.
    Missing,
}

impl<T> Outcome<T> {
    /// The payload of a call that ran without a complaint.
    #[must_use]
    pub fn done(self) -> Option<T> {
        match self {
            Self::Done(data) => Some(data),
            Self::UserErrors(..) | Self::Failed(_) | Self::Missing => None,
        }
    }
}

/// The results of a bulk mutation, one for every input, in the order of the inputs.
#[must_use = "a stream does nothing unless it is polled"]
pub struct Results<O: BulkMutation> {
    results: mpsc::Receiver<Found>,
    inputs: Bytes,
    index: u64,
    count: u64,
    /// A result that is ahead of the inputs.
    ahead: Option<Raw>,
    ended: bool,
    operation: PhantomData<fn() -> O>,
}

/// A result line, its number counted from 0.
struct Raw {
    index: u64,
    place: Place,
    text: String,
}

type Found = Result<Option<Raw>, BulkError>;

#[derive(Deserialize)]
struct ResultLine<'a> {
    #[serde(rename = "__lineNumber")]
    number: u64,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
    #[serde(borrow)]
    errors: Option<&'a RawValue>,
}

impl<O: BulkMutation> Results<O> {
    pub(super) fn open(file: Option<File>, inputs: Bytes, count: u64) -> Self {
        let (sender, results) = mpsc::channel(64);
        let ended = file.is_none();
        if let Some(file) = file {
            let (pieces, receiver) = mpsc::channel(16);
            tokio::spawn(file.read(pieces));
            thread(move || {
                let end = sort(receiver, count, &sender);
                // Whoever does not listen any more does not need to be told.
                let _ = sender.blocking_send(end.map(|()| None));
            });
        }
        Self {
            results,
            inputs,
            index: 0,
            count,
            ahead: None,
            ended,
            operation: PhantomData,
        }
    }

    /// The next result; `None` after the last input's.
    pub async fn next(&mut self) -> Option<Result<LineResult<O::Data>, BulkError>> {
        std::future::poll_fn(|context| self.poll(context)).await
    }

    fn poll(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<LineResult<O::Data>, BulkError>>> {
        if self.index == self.count {
            return Poll::Ready(None);
        }
        if self.ahead.is_none() && !self.ended {
            match ready!(self.results.poll_recv(context)).unwrap_or(Err(BulkError::Stopped)) {
                Ok(Some(result)) => self.ahead = Some(result),
                Ok(None) => self.ended = true,
                Err(error) => {
                    self.index = self.count;
                    return Poll::Ready(Some(Err(error)));
                }
            }
        }
        let index = self.index;
        self.index += 1;
        let end = memchr::memchr(b'\n', &self.inputs).unwrap_or(self.inputs.len());
        let input = String::from_utf8_lossy(&self.inputs.split_to(end)).into_owned();
        let _ = self.inputs.split_to(self.inputs.len().min(1));
        let outcome = match self.ahead.take_if(|ahead| ahead.index == index) {
            Some(raw) => outcome::<O>(&raw),
            None => Ok(Outcome::Missing),
        };
        Poll::Ready(Some(outcome.map(|outcome| LineResult {
            index,
            input,
            outcome,
        })))
    }
}

fn outcome<O: BulkMutation>(raw: &Raw) -> Result<Outcome<O::Data>, BulkError> {
    let line = parse(raw.place, &raw.text)?;
    let errors = line.errors.map(answer::errors).unwrap_or_default();
    let data = match line.data.map(RawValue::get) {
        Some(data) if data != "null" && errors.is_empty() => data,
        _ => return Ok(Outcome::Failed(errors)),
    };
    let place = raw.place;
    let data = O::decode(data).map_err(|source| JsonlError::Row { place, source })?;
    let user_errors = O::user_errors(&data);
    if user_errors.is_empty() {
        return Ok(Outcome::Done(data));
    }
    Ok(Outcome::UserErrors(user_errors, data))
}

fn parse(place: Place, text: &str) -> Result<ResultLine<'_>, JsonlError> {
    serde_json::from_str(text).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => unknown(place, text),
        _ => JsonlError::NotAnObject {
            place,
            at: place.offset + u64::try_from(error.column()).unwrap_or(0),
            reason: "not JSON",
        },
    })
}

/// Puts result lines into the order of their inputs.
fn sort(
    pieces: mpsc::Receiver<Piece>,
    count: u64,
    results: &mpsc::Sender<Found>,
) -> Result<(), BulkError> {
    let mut spill = Spill::new(CHUNK, Room::default());
    // Versions of the service have counted from 0 and from 1: a line 0 settles it.
    let mut base = 1;
    each_line(pieces, |line| {
        let number = numbered(line)?;
        base = base.min(number);
        if number > count {
            return Err(unknown(line.place, line.text).into());
        }
        let record = Record {
            place: line.place,
            root: number,
            parent: 0,
            connection: 0,
        };
        Ok(spill.push(record, |to| to.push_str(line.text))?)
    })?;
    let mut last = None;
    for chunk in 0..spill.len() {
        for (record, text) in spill.chunk(chunk)?.iter() {
            let index = record.root - base;
            // A second result for one input, or one for an input that there was not.
            if last == Some(index) || index >= count {
                return Err(unknown(record.place, text).into());
            }
            last = Some(index);
            let raw = Raw {
                index,
                place: record.place,
                text: text.to_owned(),
            };
            if results.blocking_send(Ok(Some(raw))).is_err() {
                return Err(BulkError::Stopped);
            }
        }
    }
    Ok(())
}

fn numbered(line: Line<'_>) -> Result<u64, BulkError> {
    match parse(line.place, line.text) {
        Ok(parsed) => Ok(parsed.number),
        Err(JsonlError::NotAnObject { place, .. }) if line.open_ended => {
            Err(JsonlError::Truncated { place }.into())
        }
        Err(error) => Err(error.into()),
    }
}

impl<O: BulkMutation> Stream for Results<O> {
    type Item = Result<LineResult<O::Data>, BulkError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll(context)
    }
}

impl<O: BulkMutation> fmt::Debug for Results<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Results")
            .field("operation", &O::NAME)
            .field("index", &self.index)
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}
