use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use crate::{
    gate::{self, Gate, Queue},
    learning::Prices,
    ledger::{Ledger, Limits},
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
}

#[derive(Default)]
struct Gates {
    by_key: HashMap<Key, Arc<Gate>>,
    sweep_at: usize,
}

/// Whose bucket it is: the bucket belongs to app and shop, not to a token.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) app: String,
    /// The shop, and the server that stands for it.
    pub(crate) shop: String,
}

/// Below this many ledgers none is looked at for being idle.
const FEW: usize = 64;

impl Ledgers {
    /// An empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
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
        self.gates(|gates| gates.by_key.len())
    }

    /// Whether none is held.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn prices(&self) -> Arc<Prices> {
        Arc::clone(&self.0.prices)
    }

    /// The gate of a bucket; a new one starts from `limits`, as a guess.
    pub(crate) fn gate(&self, key: Key, limits: Limits) -> Arc<Gate> {
        let now = gate::now();
        self.gates(|gates| {
            if gates.by_key.len() >= gates.sweep_at.max(FEW) {
                gates.by_key.retain(|_, gate| {
                    // A second owner is a client, or a call of one.
                    Arc::strong_count(gate) > 1 || !gate.is_idle(now)
                });
                gates.sweep_at = 2 * gates.by_key.len();
            }
            let gate = gates.by_key.entry(key).or_insert_with(|| {
                let ledger = Ledger::guess(limits, now);
                Arc::new(Gate::new(Queue::new(ledger)))
            });
            Arc::clone(gate)
        })
    }

    fn gates<R>(&self, act: impl FnOnce(&mut Gates) -> R) -> R {
        act(&mut self.0.gates.lock().unwrap_or_else(PoisonError::into_inner))
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

    use super::{FEW, Key, Ledgers};
    use crate::ledger::Limits;

    fn key(shop: usize) -> Key {
        Key {
            app: String::new(),
            shop: shop.to_string(),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn ten_thousand_shops_leave_only_those_in_use() {
        let ledgers = Ledgers::new();
        let held = ledgers.gate(key(0), Limits::default());
        for shop in 1..10_000 {
            let _ = ledgers.gate(key(shop), Limits::default());
        }
        assert!(ledgers.len() <= 2 * FEW, "{}", ledgers.len());
        let again = ledgers.gate(key(0), Limits::default());
        assert!(std::sync::Arc::ptr_eq(&held, &again));
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}
