//! Ledgers in a store that several processes share.
//!
//! The bucket belongs to app and shop, so the workers of a fleet have to spend it as one. With a
//! [`Store`] they do: points are taken where all can see it, and who has waited longest goes first,
//! whichever process it waits in.
//!
//! ```no_run
//! # #[cfg(feature = "redis")]
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! use tollgate::{Client, shared::RedisLedger};
//!
//! let ledger = RedisLedger::connect("redis://127.0.0.1").await?;
//! let shop = Client::builder("my-shop.myshopify.com", "shpat_…").ledger(&ledger).build()?;
//! # Ok(())
//! # }
//! ```
//!
//! # When the store is away
//! A call never fails for want of the store. Each process keeps its own ledger beside it, fed by
//! the same answers; when the store does not reply within its patience (50 ms unless set
//! otherwise), refuses, or is gone, calls go by that one, and an event says so once. Every half
//! second one call tries the store again (on a cluster, one call of each shop that is concerned);
//! when it replies, the process first tells it what the answers have taught meanwhile.
//!
//! # A store of one's own
//! Implement [`Store`], and run [`conformance`] against it. [`InProcess`] is the smallest example.

pub mod conformance;
mod in_process;
mod lease;
mod line;
#[cfg(feature = "redis")]
mod redis;
mod sign;
mod worker;

use std::{error::Error as StdError, fmt, future::pending, time::Duration};

pub use in_process::InProcess;
pub(crate) use lease::Lease;
pub(crate) use line::{Line, Turned};
#[cfg(all(feature = "redis", fuzzing))]
#[doc(hidden)]
pub use redis::fuzz_reply;
#[cfg(feature = "redis")]
pub use redis::{RedisLedger, RedisLedgerBuilder, RedisLedgerError};
use tollgate_cost::Points;
pub(crate) use worker::Worker;

use crate::{
    ledger::{Charge, Level, Limits, ThrottleStatus},
    transport::BoxFuture,
};

pub use crate::ledgers::Bucket;

/// A place outside the process where the ledgers of a fleet are kept.
///
/// # Promises
/// A bucket in the store behaves as one [`Ledger`](crate::ledger::Ledger), whoever calls:
///
/// - **Atomic.** Each call of a method happens as a whole, at one instant. Nothing is read by the
///   worker, computed there and written back.
/// - **One clock.** Points restore by the store's clock, which never steps back in a bucket. A
///   worker passes only lengths of time.
/// - **In order.** Calls are admitted in order of *rank*: the instant a call began, put back by
///   [`Bid::gives_way`]. A call is admitted only if its points are there and no worker waits with a
///   call of lower rank; so a dear call gets through a stream of cheap ones. A worker that does not
///   ask within about a quarter of a second after its time has come is passed by.
/// - **Leases.** Points that were granted stay taken until the lease is settled or runs out, not
///   earlier. A lease that runs out counts as spent, since the server may have charged its call.
/// - **Answers.** What an answer says replaces what the store thinks, but an answer of a call
///   granted earlier never raises the level above what calls granted later leave.
/// - **Unknown is not full.** A bucket the store knows nothing of lets one call go ahead and the
///   others wait until its answer has told the limits, or for one second. Nothing may be forgotten
///   of a bucket that is not full.
/// - **Limits change.** When no call is in flight and a minute has passed since an answer told the
///   limits, a call that they stop may go and ask.
/// - **Figures** are points, and points per second; none of them is NaN or infinite.
///
/// Dropping a returned future may leave the work done or undone; the caller waits for all of them.
pub trait Store: Send + Sync + 'static {
    /// Takes points for the calls of an application, in their order, up to the first that has to
    /// wait.
    ///
    /// With [`Application::stay`] that one takes the worker's place in the queue; a worker has one
    /// place in each bucket, which every application replaces, and one without bids gives up.
    fn apply<'a>(
        &'a self,
        bucket: &'a Bucket,
        application: &'a Application,
    ) -> BoxFuture<'a, Result<Grant, StoreError>>;

    /// Books the end of a call. Without a lease, or with one the store no longer has, it is an
    /// observation: it may lower the level, and tells the limits.
    fn settle<'a>(
        &'a self,
        bucket: &'a Bucket,
        settlement: &'a Settlement,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// How a bucket stands; `None` if the store knows nothing of it.
    fn read<'a>(
        &'a self,
        bucket: &'a Bucket,
    ) -> BoxFuture<'a, Result<Option<Standing>, StoreError>>;

    /// The part of the store that keeps a bucket. When one bucket cannot be reached, none of its
    /// part is asked for until one can be again. This default has all in one part.
    fn part(&self, _bucket: &Bucket) -> u64 {
        0
    }

    /// Waits until `worker` is called because its place in the queue can go earlier than it was
    /// told. A call that comes before this is asked for is not lost. Without calls, as this default
    /// has it, workers come at the time they were told.
    fn called<'a>(&'a self, _bucket: &'a Bucket, _worker: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(pending())
    }
}

/// What a worker asks for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Application {
    /// Which worker, unique among all.
    pub worker: String,
    /// The limits to assume for a bucket of which nothing is known.
    pub guess: Limits,
    /// How long a granted call may take at the longest.
    pub lease: Duration,
    /// The number of the first bid's lease; the others follow. A worker uses each number once.
    pub first: u64,
    /// The calls, in order.
    pub bids: Vec<Bid>,
    /// Whether the first call that has to wait takes a place in the queue.
    pub stay: bool,
}

impl Application {
    /// An application of `worker` for `bids`, with leases of 90 seconds, that stays.
    #[must_use]
    pub fn new(worker: impl Into<String>, first: u64, bids: Vec<Bid>) -> Self {
        Self {
            worker: worker.into(),
            guess: Limits::default(),
            lease: Duration::from_secs(90),
            first,
            bids,
            stay: true,
        }
    }
}

/// One call that wants to go.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Bid {
    /// Its price, in points.
    pub cost: Points,
    /// Points to leave in the bucket for calls of high priority, until the call has aged.
    pub spare: f64,
    /// Since when the call is under way.
    pub waited: Duration,
    /// How much later a call of the highest priority may begin and still go first.
    pub gives_way: Duration,
    /// It is not to go before this has passed.
    pub not_before: Duration,
    /// It goes only while fewer calls than this are in flight on the bucket.
    pub in_flight: usize,
}

impl Bid {
    /// A call of high priority that begins now.
    #[must_use]
    pub const fn new(cost: Points) -> Self {
        Self {
            cost,
            spare: 0.0,
            waited: Duration::ZERO,
            gives_way: Duration::ZERO,
            not_before: Duration::ZERO,
            in_flight: usize::MAX,
        }
    }
}

/// The reply to an [`Application`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Grant {
    /// How many of the bids were granted: always the first ones.
    pub granted: usize,
    /// What becomes of the bid after those.
    pub next: Next,
    /// The bucket afterwards.
    pub standing: Standing,
}

impl Grant {
    /// A reply.
    #[must_use]
    pub const fn new(granted: usize, next: Next, standing: Standing) -> Self {
        Self {
            granted,
            next,
            standing,
        }
    }
}

/// What becomes of the first bid that was not granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// There is none.
    Done,
    /// It has to wait. The times are until it is worth asking again; `None` where only a settled
    /// call helps.
    Wait {
        /// Behind those who wait already.
        in_turn: Option<Duration>,
        /// If nobody else waited.
        alone: Option<Duration>,
    },
    /// It costs more than the bucket's maximum.
    Never,
}

/// The end of a call.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settlement {
    /// Which worker made the call.
    pub worker: String,
    /// The number of its lease; `None` for a call that went without.
    pub lease: Option<u64>,
    /// The limits to assume for a bucket of which nothing is known.
    pub guess: Limits,
    /// What became of it.
    pub ending: Ending,
}

impl Settlement {
    /// The end of the call that has `lease`.
    #[must_use]
    pub fn new(worker: impl Into<String>, lease: Option<u64>, ending: Ending) -> Self {
        Self {
            worker: worker.into(),
            lease,
            guess: Limits::default(),
            ending,
        }
    }
}

/// What became of a call that had a lease.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ending {
    /// It was never sent.
    Released,
    /// It was sent.
    Sent {
        /// What the server charged.
        charge: Charge,
        /// What its answer said of the bucket; figures that make no sense are missing.
        status: ThrottleStatus,
    },
}

/// How a bucket in the store stands.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Standing {
    /// The figures of its ledger. Stores do not predict other spenders: `foreign_rate` is 0.
    pub level: Level,
    /// Workers that wait.
    pub waiting: usize,
    /// Throttled calls within the last minute.
    pub throttles: f64,
}

impl Standing {
    /// How a bucket stands.
    #[must_use]
    pub const fn new(level: Level, waiting: usize, throttles: f64) -> Self {
        Self {
            level,
            waiting,
            throttles,
        }
    }
}

/// Why a store did not reply as it should.
#[derive(Debug)]
pub struct StoreError(StoreErrorKind);

#[derive(Debug)]
enum StoreErrorKind {
    Slow(Duration),
    Failed(Box<dyn StdError + Send + Sync>),
}

impl StoreError {
    /// The store failed for this reason.
    pub fn new(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self(StoreErrorKind::Failed(source.into()))
    }

    pub(crate) const fn slow(patience: Duration) -> Self {
        Self(StoreErrorKind::Slow(patience))
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            StoreErrorKind::Slow(patience) => {
                write!(
                    f,
                    "the store did not reply within {} ms",
                    patience.as_millis()
                )
            }
            StoreErrorKind::Failed(source) => write!(f, "the store failed: {source}"),
        }
    }
}

impl StdError for StoreError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &self.0 {
            StoreErrorKind::Slow(_) => None,
            StoreErrorKind::Failed(source) => Some(&**source),
        }
    }
}
