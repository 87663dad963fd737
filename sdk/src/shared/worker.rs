use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::{runtime::Handle, sync::oneshot, time::timeout};

use super::{Application, Bid, Ending, Grant, Settlement, Store, StoreError};
use crate::{
    gate,
    ledger::{Limits, ThrottleStatus},
    ledgers::Bucket,
};

/// How often a store that is away is tried.
const TRY_AGAIN_AFTER: Duration = Duration::from_millis(500);

/// This process as one of the workers that share a store, and what it knows of the store's health.
pub(crate) struct Worker {
    store: Arc<dyn Store>,
    name: String,
    last_number: AtomicU64,
    patience: Duration,
    /// The parts of the store that are away.
    away: Mutex<HashMap<u64, Away>>,
}

struct Away {
    error: Arc<StoreError>,
    try_at: Instant,
}

impl Worker {
    pub(crate) fn new(store: Arc<dyn Store>, name: String, patience: Duration) -> Self {
        Self {
            store,
            name,
            last_number: AtomicU64::new(0),
            patience,
            away: Mutex::default(),
        }
    }

    /// Why the store of `bucket` is away, if it is.
    pub(crate) fn away(&self, bucket: &Bucket) -> Option<Arc<StoreError>> {
        let part = self.store.part(bucket);
        self.with_away(|away| away.get(&part).map(|away| Arc::clone(&away.error)))
    }

    /// Asks the store for points. `None` when it is away; what it grants later goes back.
    ///
    /// The numbers of the leases begin with the second value.
    pub(super) async fn apply(
        self: &Arc<Self>,
        bucket: &Arc<Bucket>,
        guess: Limits,
        lease: Duration,
        bids: Vec<Bid>,
        stay: bool,
    ) -> Option<(Grant, u64)> {
        let count = u64::try_from(bids.len()).unwrap_or(u64::MAX);
        let first = self.last_number.fetch_add(count, Ordering::Relaxed);
        let application = Application {
            worker: self.name.clone(),
            guess,
            lease,
            first,
            bids,
            stay,
        };
        let give_back = {
            let (worker, bucket) = (Arc::clone(self), Arc::clone(bucket));
            let handle = Handle::current();
            move |grant: Grant| {
                let granted = u64::try_from(grant.granted).unwrap_or(u64::MAX);
                for number in first..first.saturating_add(granted) {
                    worker.settle(&handle, &bucket, Some(number), guess, Ending::Released);
                }
            }
        };
        let part = self.store.part(bucket);
        let (store, bucket) = (Arc::clone(&self.store), Arc::clone(bucket));
        let work = async move { store.apply(&bucket, &application).await };
        let grant = self.patiently(part, work, give_back).await?;
        Some((grant, first))
    }

    /// Tells the store what an answer said of the bucket. `false` when it is away.
    pub(super) async fn observe(
        self: &Arc<Self>,
        bucket: &Arc<Bucket>,
        guess: Limits,
        status: ThrottleStatus,
    ) -> bool {
        let settlement = Settlement {
            worker: self.name.clone(),
            lease: None,
            guess,
            ending: Ending::Sent {
                charge: crate::ledger::Charge::Unknown,
                status,
            },
        };
        let part = self.store.part(bucket);
        let (store, bucket) = (Arc::clone(&self.store), Arc::clone(bucket));
        let work = async move { store.settle(&bucket, &settlement).await };
        self.patiently(part, work, |()| ()).await.is_some()
    }

    /// Books the end of a call, without waiting. If the store is away the lease runs out.
    pub(super) fn settle(
        &self,
        handle: &Handle,
        bucket: &Arc<Bucket>,
        lease: Option<u64>,
        guess: Limits,
        ending: Ending,
    ) {
        let settlement = Settlement {
            worker: self.name.clone(),
            lease,
            guess,
            ending,
        };
        let (store, bucket) = (Arc::clone(&self.store), Arc::clone(bucket));
        handle.spawn(async move {
            if let Err(error) = store.settle(&bucket, &settlement).await {
                tracing::debug!(target: "tollgate", shop = bucket.shop(), error = %error, "not settled");
            }
        });
    }

    /// Until this worker is called in `bucket`.
    pub(super) async fn called(&self, bucket: &Bucket) {
        self.store.called(bucket, &self.name).await;
    }

    /// Runs `work` to its end, but waits for it only as long as the patience lasts; `late` gets
    /// what it brings when nobody waits for it any more.
    async fn patiently<T: Send + 'static>(
        &self,
        part: u64,
        work: impl Future<Output = Result<T, StoreError>> + Send + 'static,
        late: impl FnOnce(T) + Send + 'static,
    ) -> Option<T> {
        if !self.may_try(part) {
            return None;
        }
        let (done, outcome) = oneshot::channel();
        tokio::spawn(async move {
            // What cannot be delivered is dropped.
            let _ = done.send(Outcome(Some((work.await, late))));
        });
        let result = match timeout(self.patience, outcome).await {
            Ok(outcome) => outcome.ok().and_then(Outcome::read),
            Err(_) => None,
        };
        let result = result.unwrap_or_else(|| Err(StoreError::slow(self.patience)));
        match result {
            Ok(result) => {
                self.with_away(|away| away.remove(&part));
                Some(result)
            }
            Err(error) => {
                let away = Away {
                    error: Arc::new(error),
                    try_at: gate::now() + TRY_AGAIN_AFTER,
                };
                self.with_away(|all| all.insert(part, away));
                None
            }
        }
    }

    /// Whether to ask the store: while a part is away only one call at a time tries it.
    fn may_try(&self, part: u64) -> bool {
        let now = gate::now();
        self.with_away(|away| match away.get_mut(&part) {
            None => true,
            Some(away) if now < away.try_at => false,
            Some(away) => {
                away.try_at = now + TRY_AGAIN_AFTER;
                true
            }
        })
    }

    fn with_away<R>(&self, act: impl FnOnce(&mut HashMap<u64, Away>) -> R) -> R {
        act(&mut self.away.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What a command brought. Unread, wherever it is dropped, it goes to whom it is meant for then: to
/// be sent is not to be received.
struct Outcome<T, L: FnOnce(T)>(Option<(Result<T, StoreError>, L)>);

impl<T, L: FnOnce(T)> Outcome<T, L> {
    fn read(mut self) -> Option<Result<T, StoreError>> {
        self.0.take().map(|(result, _)| result)
    }
}

impl<T, L: FnOnce(T)> Drop for Outcome<T, L> {
    fn drop(&mut self) {
        if let Some((Ok(result), late)) = self.0.take() {
            late(result);
        }
    }
}
