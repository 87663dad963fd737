//! What changes while the shop is open.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tollgate_cost::Points;

use crate::bucket::Bucket;
use crate::fault::{Fault, Storm};
use crate::latency::Latency;
use crate::log::Log;
use crate::overrides::Overrides;

#[derive(Debug)]
pub(super) struct State {
    pub(super) bucket: Bucket,
    pub(super) overrides: Arc<Overrides>,
    pub(super) answers: HashMap<String, Answers>,
    pub(super) faults: Faults,
    pub(super) latency: Latency,
    /// How much dearer than its price an operation is, by name.
    pub(super) drift: BTreeMap<String, f64>,
    pub(super) drain: Option<Drain>,
    pub(super) log: Log,
    /// Requests so far.
    pub(super) requests: u64,
}

/// The answers that a test gave for an operation.
#[derive(Debug, Default)]
pub(super) struct Answers {
    pub(super) once: VecDeque<Given>,
    pub(super) always: Option<Given>,
}

/// The data that a test gave, or how it is made.
#[derive(Clone)]
pub(super) enum Given {
    Data(Arc<RawValue>),
    Made(Arc<Answering>),
}

impl Given {
    /// The data for a call. Not while the state is locked: what makes it may ask the shop.
    pub(super) fn data(self, variables: &Map<String, Value>) -> Option<Arc<RawValue>> {
        match self {
            Self::Data(data) => Some(data),
            Self::Made(make) => {
                let data = serde_json::value::to_raw_value(&make(variables));
                data.ok().map(Arc::from)
            }
        }
    }
}

/// What a test makes of the variables of a call.
pub(super) type Answering = dyn Fn(&Map<String, Value>) -> Value + Send + Sync;

impl fmt::Debug for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Data(data) => f.debug_tuple("Data").field(data).finish(),
            Self::Made(_) => f.debug_tuple("Made").finish_non_exhaustive(),
        }
    }
}

impl State {
    /// The answer that a test gave for the next call of an operation.
    pub(super) fn given(&mut self, operation: &str) -> Option<Given> {
        let answers = self.answers.get_mut(operation)?;
        let once = answers.once.pop_front();
        once.or_else(|| answers.always.clone())
    }

    /// What the server makes of a price, drift included.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "prices are far below 2^53, and factors are not negative"
    )]
    pub(super) fn drifted(&self, operation: &str, price: Points) -> Points {
        match self.drift.get(operation) {
            Some(factor) => Points((price.get() as f64 * factor.max(0.0)).round() as u64),
            None => price,
        }
    }
}

/// The faults in store.
#[derive(Debug, Default)]
pub(super) struct Faults {
    next: VecDeque<Fault>,
    next_of: HashMap<String, VecDeque<Fault>>,
    every: Option<Fault>,
    every_of: HashMap<String, Fault>,
    storm: Option<Storm>,
}

impl Faults {
    /// The fault that a request meets: the next one for its operation, the next one for any, the
    /// standing one of its operation, that of all, the storm's.
    pub(super) fn strike(&mut self, request: u64, operation: Option<&str>) -> Option<Fault> {
        let of = operation.and_then(|name| self.next_of.get_mut(name));
        of.and_then(VecDeque::pop_front)
            .or_else(|| self.next.pop_front())
            .or_else(|| self.every_of.get(operation?).cloned())
            .or_else(|| self.every.clone())
            .or_else(|| self.storm.as_ref()?.strike(request).cloned())
    }

    pub(super) fn add(&mut self, operation: Option<&str>, fault: Fault) {
        match operation {
            Some(name) => self
                .next_of
                .entry(name.to_owned())
                .or_default()
                .push_back(fault),
            None => self.next.push_back(fault),
        }
    }

    pub(super) fn stand(&mut self, operation: Option<&str>, fault: Fault) {
        match operation {
            Some(name) => {
                self.every_of.insert(name.to_owned(), fault);
            }
            None => self.every = Some(fault),
        }
    }

    pub(super) fn blow(&mut self, storm: Storm) {
        self.storm = Some(storm);
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

/// Empties the bucket before every call, but not before the repetition of a throttled one.
#[derive(Debug, Default)]
pub(super) struct Drain {
    /// Bodies that were throttled and have not come back.
    throttled: HashMap<u64, u32>,
}

impl Drain {
    /// Before a request: the bucket is emptied unless it repeats a throttled one.
    pub(super) fn before(&mut self, body: &[u8], bucket: &mut Bucket, now: Duration) {
        match self.throttled.get_mut(&digest(body)) {
            Some(waiting) if *waiting > 0 => *waiting -= 1,
            _ => bucket.set_level(now, Points::ZERO),
        }
    }

    pub(super) fn throttled(&mut self, body: &[u8]) {
        *self.throttled.entry(digest(body)).or_default() += 1;
    }
}

fn digest(body: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    body.hash(&mut hasher);
    hasher.finish()
}
