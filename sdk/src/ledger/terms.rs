//! The words that a ledger speaks with those who ask it.

use std::time::Instant;

use tollgate_cost::Points;

use super::Anomaly;

/// Points taken for one call. Hand it back with [`Ledger::settle`](super::Ledger::settle) or
/// [`Ledger::release`](super::Ledger::release).
#[derive(Debug)]
#[must_use = "points stay reserved until the ticket is settled or released"]
pub struct Ticket {
    pub(super) number: u64,
    pub(super) cost: Points,
    pub(super) sent: Instant,
    pub(super) charged_before: f64,
    pub(super) refunded_before: f64,
}

impl Ticket {
    /// What was reserved.
    #[must_use]
    pub const fn cost(&self) -> Points {
        self.cost
    }
}

/// What became of a call, as far as the bucket is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charge {
    /// It ran: `actualQueryCost`.
    Actual(Points),
    /// It was refused before it ran: throttled, invalid, or never sent.
    Nothing,
    /// Nobody knows: the answer was lost. Taken as charged in full; the next answers put it right.
    Unknown,
}

/// When points can be had.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Readiness {
    /// Now.
    Now,
    /// Not before this instant, unless a call in flight is settled earlier.
    At(Instant),
    /// Not by time alone: a call in flight has to be settled first.
    AfterSettling,
    /// Never: the cost is above the maximum. A minute after the last answer that is no longer
    /// certain, and one such call may go and ask.
    Never {
        /// The bucket's maximum, in points.
        maximum: f64,
    },
}

/// What an answer taught, beyond new numbers.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Lesson {
    /// Points that others took beyond what was predicted; negative when they took fewer.
    pub foreign: f64,
    /// Figures that made no sense and were not used as they stood.
    pub anomalies: Vec<Anomaly>,
}

/// The bucket at an instant, in points.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Level {
    /// What a new call can count on.
    pub available: f64,
    /// `maximumAvailable`.
    pub maximum: f64,
    /// `restoreRate`, in points per second.
    pub restore_rate: f64,
    /// Reserved by calls in flight.
    pub in_flight: f64,
    /// Calls in flight.
    pub calls: usize,
    /// What other spenders of the same app are expected to take, in points per second.
    pub foreign_rate: f64,
    /// Whether the server has confirmed the limits.
    pub known: bool,
}
