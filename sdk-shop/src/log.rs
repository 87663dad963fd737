//! What the shop was asked, and what it answered.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tollgate_cost::Points;

/// How many requests are kept one by one; older ones only count in the [`Summary`].
const KEPT: usize = 200_000;

/// How many requests wait for a follower; those beyond it misses.
const WAITING: usize = 4096;

/// One request.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Record {
    /// When it arrived, since the shop opened.
    pub at: Duration,
    /// The name of the operation; `None` when it had none or could not be read. The file of a
    /// bulk operation is a `bulk download` or a `bulk upload`.
    pub operation: Option<String>,
    /// The variables, as they were sent.
    pub variables: Map<String, Value>,
    /// What the bucket had to hold, in points; `None` when it was refused before it was priced.
    pub requested: Option<Points>,
    /// What it was charged in the end, in points; `None` when it did not run.
    pub actual: Option<Points>,
    /// What the shop answered.
    pub outcome: Outcome,
    /// The mutations that took effect, by field name. A repetition of an idempotency key is not
    /// among them.
    pub ran: Vec<String>,
    /// Whether a fault struck.
    pub faulty: bool,
}

/// What the shop answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// `data` without errors.
    Answered,
    /// `data` beside errors.
    Partial,
    /// `THROTTLED`: the bucket did not hold enough.
    Throttled,
    /// The price is above the single-query maximum.
    TooDear,
    /// Errors without data: the document, the variables or an input did not pass.
    Refused,
    /// Another HTTP status than 200.
    Status(u16),
    /// No answer, or no whole answer: the connection failed.
    Lost,
}

/// Requests, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// All requests.
    pub requests: u64,
    /// Requests by what was answered.
    pub outcomes: BTreeMap<Outcome, u64>,
    /// Requests that met a fault.
    pub faults: u64,
    /// Points charged, refunds taken off.
    pub spent: Points,
    /// Mutations that took effect, by field name.
    pub mutations: BTreeMap<String, u64>,
    /// When the last request arrived, since the shop opened.
    pub last: Duration,
}

impl Summary {
    /// Requests refused with `THROTTLED`.
    #[must_use]
    pub fn throttled(&self) -> u64 {
        self.outcomes
            .get(&Outcome::Throttled)
            .copied()
            .unwrap_or_default()
    }
}

#[derive(Debug, Default)]
pub(crate) struct Log {
    records: VecDeque<Record>,
    pub(crate) summary: Summary,
    followers: Vec<Sender<Record>>,
}

impl Log {
    pub(crate) fn push(&mut self, record: Record) {
        let summary = &mut self.summary;
        summary.requests += 1;
        *summary.outcomes.entry(record.outcome).or_default() += 1;
        summary.faults += u64::from(record.faulty);
        summary.spent.0 += record.actual.unwrap_or_default().get();
        summary.last = summary.last.max(record.at);
        for mutation in &record.ran {
            *summary.mutations.entry(mutation.clone()).or_default() += 1;
        }
        self.followers.retain(|follower| {
            let sent = follower
                .try_reserve()
                .map(|place| place.send(record.clone()));
            !matches!(sent, Err(TrySendError::Closed(())))
        });
        if self.records.len() == KEPT {
            self.records.pop_front();
        }
        self.records.push_back(record);
    }

    pub(crate) fn follow(&mut self) -> Receiver<Record> {
        let (follower, records) = channel(WAITING);
        self.followers.push(follower);
        records
    }

    pub(crate) fn records(&self, wanted: impl Fn(&Record) -> bool) -> Vec<Record> {
        let wanted = self.records.iter().filter(|record| wanted(record));
        wanted.cloned().collect()
    }

    pub(crate) fn clear(&mut self) {
        self.records.clear();
        self.summary = Summary::default();
    }
}
