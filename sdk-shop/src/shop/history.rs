//! What a test asks of the shop afterwards.

use tokio::sync::mpsc::Receiver;

use super::Shop;
use crate::log::{Record, Summary};
use crate::sync::lock;

/// # What happened
impl Shop {
    /// The requests so far, in the order in which they ended. Of very many only the last are
    /// kept; the [`summary`](Self::summary) counts all.
    #[must_use]
    pub fn log(&self) -> Vec<Record> {
        self.state(|state, _| state.log.records(|_| true))
    }

    /// The requests of an operation so far, in the order in which they ended.
    ///
    /// ```
    /// # use serde_json::json;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let shop = tollgate_shop::Shop::builder().build()?;
    /// # let client = tollgate::Client::builder("test.myshopify.com", "shpat_test")
    /// #     .transport(shop.clone())
    /// #     .build()?;
    /// let query = "query Page($first: Int!) { products(first: $first) { nodes { id } } }";
    /// client.raw(query, &json!({ "first": 20 })).await?;
    ///
    /// let sent = shop.sent("Page");
    /// assert_eq!(sent[0].variables["first"], 20);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn sent(&self, operation: &str) -> Vec<Record> {
        let of = |record: &Record| record.operation.as_deref() == Some(operation);
        self.state(|state, _| state.log.records(of))
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

    /// Asserts that the bucket paid for every request.
    ///
    /// # Panics
    /// When a request was refused with `THROTTLED`.
    #[track_caller]
    pub fn assert_no_throttles(&self) {
        let summary = self.summary();
        assert!(
            summary.throttled() == 0,
            "{} of {} requests were throttled",
            summary.throttled(),
            summary.requests
        );
    }

    /// Asserts how often an operation was sent, repetitions included.
    ///
    /// # Panics
    /// When it was not sent exactly so many times.
    #[track_caller]
    pub fn assert_sent(&self, operation: &str, times: usize) {
        let sent = self.sent(operation).len();
        if sent != times {
            let log = self.log();
            let all: Vec<_> = log.iter().map(|record| &record.operation).collect();
            panic!("`{operation}` was sent {sent} times, not {times}; sent were {all:?}");
        }
    }

    /// Asserts what all requests were charged, in points, refunds taken off.
    ///
    /// # Panics
    /// When it is more.
    #[track_caller]
    pub fn assert_spent_at_most(&self, points: u64) {
        let spent = self.summary().spent;
        assert!(
            spent.get() <= points,
            "{spent} points were spent, more than {points}"
        );
    }
}
