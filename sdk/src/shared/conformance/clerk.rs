use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tollgate_cost::Points;

use crate::{
    ledger::{Charge, Limits, ThrottleStatus},
    ledgers::Bucket,
    shared::{Application, Bid, Ending, Grant, Next, Settlement, Standing, Store},
};

/// A rate by which nothing restores within a test.
pub(super) const STILL: f64 = 1e-3;

/// Writes down what several workers do with one bucket of their own.
#[derive(Clone)]
pub(super) struct Clerk {
    handles: Vec<Arc<dyn Store>>,
    bucket: Bucket,
    last_number: Arc<AtomicU64>,
}

/// A lease, to settle it with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number(pub(super) usize, u64);

impl Clerk {
    pub(super) fn new(handles: &[Arc<dyn Store>]) -> Self {
        Self {
            handles: handles.to_vec(),
            bucket: Bucket::new("conformance", uuid::Uuid::new_v4().to_string()),
            last_number: Arc::default(),
        }
    }

    /// A bucket of which `available` points of `maximum` are there.
    pub(super) async fn with(self, maximum: f64, available: f64, rate: f64) -> Self {
        let status = ThrottleStatus::new(maximum, available, rate);
        self.observe(status).await;
        self
    }

    pub(super) async fn observe(&self, status: ThrottleStatus) {
        let charge = Charge::Unknown;
        self.book(0, None, Ending::Sent { charge, status }).await;
    }

    fn store(&self, worker: usize) -> &dyn Store {
        &*self.handles[worker % self.handles.len()]
    }

    pub(super) fn name(worker: usize) -> String {
        format!("worker-{worker}")
    }

    /// Applies for calls; the numbers are those of the granted ones.
    pub(super) async fn apply(
        &self,
        worker: usize,
        bids: &[Bid],
        change: impl FnOnce(&mut Application),
    ) -> (Grant, Vec<Number>) {
        let count = u64::try_from(bids.len()).expect("a few");
        let first = self.last_number.fetch_add(count, Ordering::Relaxed);
        let mut application = Application::new(Self::name(worker), first, bids.to_vec());
        change(&mut application);
        let applied = self.store(worker).apply(&self.bucket, &application).await;
        let grant = applied.expect("the store replies");
        let numbers = (first..).take(grant.granted);
        (
            grant,
            numbers.map(|number| Number(worker, number)).collect(),
        )
    }

    pub(super) async fn ask(&self, worker: usize, bid: Bid) -> Result<Number, Next> {
        let (grant, numbers) = self.apply(worker, &[bid], |_| ()).await;
        numbers.first().copied().ok_or(grant.next)
    }

    pub(super) async fn take(&self, worker: usize, cost: u64) -> Result<Number, Next> {
        self.ask(worker, Bid::new(Points(cost))).await
    }

    /// How long a call has to wait.
    #[track_caller]
    pub(super) fn wait_of(asked: Result<Number, Next>) -> Duration {
        match asked {
            Err(Next::Wait {
                in_turn: Some(wait),
                ..
            }) => wait,
            other => panic!("it should have to wait for a time, but: {other:?}"),
        }
    }

    pub(super) async fn answer(&self, number: Number, actual: u64, available: Option<f64>) {
        let status = ThrottleStatus {
            available,
            ..ThrottleStatus::default()
        };
        self.settle(number, Charge::Actual(Points(actual)), status)
            .await;
    }

    pub(super) async fn settle(&self, number: Number, charge: Charge, status: ThrottleStatus) {
        self.book(number.0, Some(number.1), Ending::Sent { charge, status })
            .await;
    }

    pub(super) async fn release(&self, number: Number) {
        self.book(number.0, Some(number.1), Ending::Released).await;
    }

    async fn book(&self, worker: usize, lease: Option<u64>, ending: Ending) {
        let settlement = Settlement::new(Self::name(worker), lease, ending);
        let settled = self.store(worker).settle(&self.bucket, &settlement).await;
        settled.expect("the store replies");
    }

    pub(super) async fn called(&self, worker: usize) {
        let name = Self::name(worker);
        self.store(worker).called(&self.bucket, &name).await;
    }

    pub(super) async fn known(&self) -> Option<Standing> {
        let read = self.store(0).read(&self.bucket).await;
        read.expect("the store replies")
    }

    pub(super) async fn standing(&self) -> Standing {
        self.known().await.expect("the store knows the bucket")
    }

    pub(super) async fn available(&self) -> f64 {
        self.standing().await.level.available
    }

    pub(super) fn guess() -> Limits {
        Limits::default()
    }
}

#[track_caller]
pub(super) fn assert_near(left: f64, right: f64, by: f64) {
    assert!((left - right).abs() <= by, "{left} is not about {right}");
}
