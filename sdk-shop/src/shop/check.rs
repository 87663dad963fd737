//! What a test asks of the shop afterwards.

use tokio::sync::mpsc::Receiver;

use super::Shop;
use crate::log::{Outcome, Record, Summary};
use crate::sync::lock;

/// # What happened
impl Shop {
    /// The requests so far, in the order in which they ended. Of very many only the last are
    /// kept; the [`summary`](Self::summary) counts all.
    #[must_use]
    pub fn log(&self) -> Vec<Record> {
        self.state(|state, _| state.log.records())
    }

    /// The requests so far, counted.
    #[must_use]
    pub fn summary(&self) -> Summary {
        self.state(|state, _| state.log.summary.clone())
    }

    /// Every request from now on, as it is answered. While 4,096 wait to be received, or 16 MB of
    /// them, others are left out; the [`summary`](Self::summary) counts all.
    #[must_use]
    pub fn follow(&self) -> Receiver<Record> {
        self.state(|state, _| state.log.follow())
    }

    /// Forgets the requests so far. What mutations did stays.
    pub fn clear_log(&self) {
        self.state(|state, _| state.log.clear());
    }

    /// How often a mutation took effect. A repetition of an idempotency key does not count.
    #[must_use]
    pub fn runs(&self, mutation: &str) -> u64 {
        let effects = lock(&self.0.effects);
        effects.runs.get(mutation).copied().unwrap_or_default()
    }

    /// Whether a mutation ran under this idempotency key.
    #[must_use]
    pub fn knows_key(&self, key: &str) -> bool {
        lock(&self.0.effects).knows_key(key)
    }

    /// # Panics
    /// When a request was refused with `THROTTLED`.
    #[track_caller]
    pub fn assert_no_throttles(&self) {
        let log = self.log();
        let throttled = log.iter().find(|r| r.outcome == Outcome::Throttled);
        if let Some(first) = throttled {
            panic!(
                "{} of {} requests were throttled; the first: {first:?}",
                self.summary().throttled(),
                self.summary().requests
            );
        }
    }

    /// # Panics
    /// When the operation was not sent exactly so many times.
    #[track_caller]
    pub fn assert_sent(&self, operation: &str, times: usize) {
        let log = self.log();
        let sent = log
            .iter()
            .filter(|record| record.operation.as_deref() == Some(operation))
            .count();
        let all: Vec<_> = log.iter().map(|record| &record.operation).collect();
        assert!(
            sent == times,
            "`{operation}` was sent {sent} times, not {times}; sent were {all:?}"
        );
    }

    /// # Panics
    /// When the requests were charged more than so many points in all.
    #[track_caller]
    pub fn assert_spent_at_most(&self, points: u64) {
        let spent = self.summary().spent;
        assert!(
            spent.get() <= points,
            "{spent} points were spent, more than {points}"
        );
    }
}
