use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, LazyLock, Mutex, PoisonError},
    time::{Duration, Instant},
};

use crate::{
    gate::{self, Entrance, Gate, Queue},
    learning::Prices,
    ledger::{Ledger, Limits},
    shared::{Line, Store, Worker},
};

/// The ledgers of a process, one per app and shop, shared by all clients that use the same set.
///
/// Clients use one set for the whole process unless told otherwise, or given a transport of their
/// own. A ledger is dropped when no client holds it, nothing waits and its bucket is full: then a
/// new one knows as much.
#[derive(Clone, Default)]
pub struct Ledgers(Arc<Shared>);

#[derive(Default)]
struct Shared {
    gates: Mutex<Gates>,
    prices: Arc<Prices>,
    /// Where the buckets are kept that other processes spend from, too.
    worker: Option<Arc<Worker>>,
}

#[derive(Default)]
struct Gates {
    by_bucket: HashMap<Bucket, (Arc<Gate>, Option<Arc<Line>>)>,
    sweep_at: usize,
}

/// Whose bucket it is: the bucket belongs to app and shop, not to a token.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bucket {
    app: String,
    shop: String,
}

impl Bucket {
    /// The bucket of an app on a shop.
    pub fn new(app: impl Into<String>, shop: impl Into<String>) -> Self {
        Self {
            app: app.into(),
            shop: shop.into(),
        }
    }

    /// The app, as [`ClientBuilder::app_id`](crate::ClientBuilder::app_id) names it.
    #[must_use]
    pub fn app(&self) -> &str {
        &self.app
    }

    /// The shop, and the server that stands for it if that is not the shop's own.
    #[must_use]
    pub fn shop(&self) -> &str {
        &self.shop
    }
}

/// Below this many ledgers none is looked at for being idle.
const FEW: usize = 64;

impl Ledgers {
    /// An empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty set of ledgers that are kept in `store`. `name` tells this process from all others
    /// that use the store; calls go by the process's own ledger when the store does not reply
    /// within `patience`.
    pub fn in_store(store: impl Store, name: impl Into<String>, patience: Duration) -> Self {
        let worker = Worker::new(Arc::new(store), name.into(), patience);
        Self(Arc::new(Shared {
            worker: Some(Arc::new(worker)),
            ..Shared::default()
        }))
    }

    /// The set of the process.
    #[must_use]
    pub fn of_process() -> Self {
        static PROCESS: LazyLock<Ledgers> = LazyLock::new(Ledgers::new);
        PROCESS.clone()
    }

    /// How many ledgers are held at present.
    #[must_use]
    pub fn len(&self) -> usize {
        self.gates(|gates| gates.by_bucket.len())
    }

    /// Whether none is held.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn prices(&self) -> Arc<Prices> {
        Arc::clone(&self.0.prices)
    }

    /// The way into a bucket; a new one starts from `limits`, as a guess. A call takes `longest`
    /// at most.
    pub(crate) fn entrance(&self, bucket: Bucket, limits: Limits, longest: Duration) -> Entrance {
        let now = gate::now();
        let (gate, line) = self.gates(|gates| {
            if gates.by_bucket.len() >= gates.sweep_at.max(FEW) {
                gates
                    .by_bucket
                    .retain(|_, (gate, line)| is_in_use(gate, line.as_ref(), now));
                gates.sweep_at = 2 * gates.by_bucket.len();
            }
            let entry = gates.by_bucket.entry(bucket);
            let entry = entry.or_insert_with_key(|bucket| {
                let ledger = Ledger::guess(limits, now);
                let gate = Arc::new(Gate::new(Queue::new(ledger)));
                let line = self.0.worker.as_ref().map(|worker| {
                    let (worker, gate) = (Arc::clone(worker), Arc::clone(&gate));
                    Arc::new(Line::new(worker, bucket.clone(), gate, limits))
                });
                (gate, line)
            });
            entry.clone()
        });
        Entrance::new(gate, line, longest)
    }

    fn gates<R>(&self, act: impl FnOnce(&mut Gates) -> R) -> R {
        act(&mut self.0.gates.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Another owner than the set is a client, or a call of one.
fn is_in_use(gate: &Arc<Gate>, line: Option<&Arc<Line>>, now: Instant) -> bool {
    let by_line = usize::from(line.is_some());
    Arc::strong_count(gate) > 1 + by_line
        || line.is_some_and(|line| Arc::strong_count(line) > 1)
        || !gate.is_idle(now)
}

impl From<&Ledgers> for Ledgers {
    fn from(ledgers: &Ledgers) -> Self {
        ledgers.clone()
    }
}

impl fmt::Debug for Ledgers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ledgers").field("len", &self.len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Bucket, FEW, Ledgers};
    use crate::{gate::Entrance, ledger::Limits, shared::InProcess};

    fn entrance(ledgers: &Ledgers, shop: usize) -> Entrance {
        let bucket = Bucket::new("", shop.to_string());
        ledgers.entrance(bucket, Limits::default(), Duration::from_secs(60))
    }

    #[tokio::test(start_paused = true)]
    async fn ten_thousand_shops_leave_only_those_in_use() {
        let patience = Duration::from_millis(50);
        for ledgers in [
            Ledgers::new(),
            Ledgers::in_store(InProcess::new(), "a", patience),
        ] {
            let held = entrance(&ledgers, 0);
            for shop in 1..10_000 {
                let _ = entrance(&ledgers, shop);
            }
            assert!(ledgers.len() <= 2 * FEW, "{}", ledgers.len());
            assert!(entrance(&ledgers, 0).is_same(&held));
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
}
