//! What the shop was asked, and what it answered.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tollgate_cost::Points;

/// How many requests are kept one by one; older ones only count in the [`Summary`].
const KEPT: usize = 200_000;

/// How many bytes they may take, with their variables.
const KEPT_BYTES: usize = 64 << 20;

/// How many requests wait for a follower; those beyond it misses.
const WAITING: usize = 4096;

/// How many bytes may wait for a follower.
const WAITING_BYTES: usize = 16 << 20;

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
    weights: Weights,
    pub(crate) summary: Summary,
    followers: Vec<Follower>,
}

/// The bytes of some records, oldest first.
#[derive(Debug, Default)]
struct Weights {
    each: VecDeque<usize>,
    all: usize,
}

impl Weights {
    fn push(&mut self, weight: usize) {
        self.each.push_back(weight);
        self.all += weight;
    }

    fn pop(&mut self) {
        self.all -= self.each.pop_front().unwrap_or_default();
    }
}

#[derive(Debug)]
struct Follower {
    sender: Sender<Record>,
    /// Of what waits to be received.
    waiting: Weights,
}

impl Follower {
    /// Sends a record, if there is room for it. `false` when nobody receives any more.
    fn tell(&mut self, record: &Record, weight: usize) -> bool {
        let waiting = self.sender.max_capacity() - self.sender.capacity();
        while self.waiting.each.len() > waiting {
            self.waiting.pop();
        }
        if self.waiting.all + weight > WAITING_BYTES {
            return !self.sender.is_closed();
        }
        match self.sender.try_reserve() {
            Ok(place) => {
                place.send(record.clone());
                self.waiting.push(weight);
                true
            }
            Err(TrySendError::Full(())) => true,
            Err(TrySendError::Closed(())) => false,
        }
    }
}

/// About how many bytes of memory a record takes.
fn weight(record: &Record) -> usize {
    let name = record.operation.as_ref().map_or(0, String::len);
    let ran: usize = record.ran.iter().map(String::len).sum();
    let fields = record.variables.iter();
    let variables = fields.map(|(name, value)| name.len() + of_value(value));
    size_of::<Record>() + name + ran + variables.sum::<usize>()
}

fn of_value(value: &Value) -> usize {
    let below = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(of_value).sum(),
        Value::Object(fields) => {
            let fields = fields.iter();
            fields
                .map(|(name, value)| name.len() + of_value(value))
                .sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    // With the place that it has in what it is part of.
    2 * size_of::<Value>() + below
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
        let weight = weight(&record);
        self.followers
            .retain_mut(|follower| follower.tell(&record, weight));
        self.records.push_back(record);
        self.weights.push(weight);
        while self.records.len() > KEPT || self.weights.all > KEPT_BYTES {
            self.records.pop_front();
            self.weights.pop();
        }
    }

    pub(crate) fn follow(&mut self) -> Receiver<Record> {
        let (sender, records) = channel(WAITING);
        self.followers.push(Follower {
            sender,
            waiting: Weights::default(),
        });
        records
    }

    pub(crate) fn records(&self, wanted: impl Fn(&Record) -> bool) -> Vec<Record> {
        let wanted = self.records.iter().filter(|record| wanted(record));
        wanted.cloned().collect()
    }

    pub(crate) fn clear(&mut self) {
        self.records.clear();
        self.weights = Weights::default();
        self.summary = Summary::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(bytes: usize) -> Record {
        let text = Value::String("x".repeat(bytes));
        Record {
            at: Duration::ZERO,
            operation: None,
            variables: Map::from_iter([("text".to_owned(), text)]),
            requested: None,
            actual: None,
            outcome: Outcome::Answered,
            ran: Vec::new(),
            faulty: false,
        }
    }

    #[test]
    fn large_requests_push_older_ones_out() {
        let mut log = Log::default();
        let large = KEPT_BYTES / 8;
        for _ in 0..20 {
            log.push(record(large));
        }
        assert_eq!((log.records(|_| true).len(), log.summary.requests), (7, 20));
        log.push(record(KEPT_BYTES));
        assert_eq!(log.records(|_| true).len(), 0);
        log.push(record(1));
        log.push(record(1));
        assert_eq!(log.records(|_| true).len(), 2);
        log.clear();
        log.push(record(KEPT_BYTES / 2));
        assert_eq!(log.records(|_| true).len(), 1);
    }

    #[test]
    fn a_slow_follower_misses_what_would_not_fit() {
        let mut log = Log::default();
        let mut records = log.follow();
        for _ in 0..10 {
            log.push(record(WAITING_BYTES / 4));
        }
        for _ in 0..3 {
            records.try_recv().unwrap();
        }
        assert!(records.try_recv().is_err());
        // What was received makes room.
        log.push(record(WAITING_BYTES / 2));
        assert!(records.try_recv().is_ok());
        drop(records);
        log.push(record(1));
        assert!(log.followers.is_empty());
    }
}
