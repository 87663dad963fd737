//! The leaky bucket of one app on one shop: pure arithmetic, time is an argument.

use std::time::Duration;

use tollgate_cost::Points;

use crate::Spender;

/// Points are held in billionths: points per second times nanoseconds is exact.
const NANO: u64 = 1_000_000_000;

/// The state of the bucket as an answer reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Level {
    /// `maximumAvailable`, in points.
    pub maximum: Points,
    /// `currentlyAvailable`, in whole points, rounded down.
    pub available: Points,
    /// `restoreRate`, in points per second.
    pub restore_rate: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Bucket {
    maximum: u64,
    rate: u64,
    nano: u64,
    at: Duration,
    spenders: Vec<Spender>,
}

impl Bucket {
    pub(crate) fn new(maximum: Points, rate: u64, start: Points, spenders: Vec<Spender>) -> Self {
        Self {
            maximum: maximum.get(),
            rate,
            nano: start.get().min(maximum.get()).saturating_mul(NANO),
            at: Duration::ZERO,
            spenders,
        }
    }

    /// Brings the level to `now`, foreign calls on the way included. An earlier time changes
    /// nothing: the clock of a bucket only moves forward.
    fn advance(&mut self, now: Duration) {
        while let Some((spender, due)) = self.next_foreign(now) {
            self.restore(due);
            let cost = self.spenders[spender].cost.get().saturating_mul(NANO);
            // A foreign call that does not fit is throttled and spends nothing.
            if self.nano >= cost {
                self.nano -= cost;
            }
            self.spenders[spender].pay_next();
        }
        self.restore(now);
    }

    fn next_foreign(&self, now: Duration) -> Option<(usize, Duration)> {
        let due = self.spenders.iter().map(Spender::due).enumerate();
        due.filter(|(_, due)| *due <= now)
            .min_by_key(|(_, due)| *due)
    }

    fn restore(&mut self, now: Duration) {
        let Some(elapsed) = now.checked_sub(self.at) else {
            return;
        };
        let nanos = u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX);
        let restored = self.rate.saturating_mul(nanos);
        let full = self.maximum.saturating_mul(NANO);
        self.nano = self.nano.saturating_add(restored).min(full);
        self.at = now;
    }

    /// Takes the points when all of them are there.
    pub(crate) fn take(&mut self, now: Duration, points: Points) -> bool {
        self.advance(now);
        match self.nano.checked_sub(points.get().saturating_mul(NANO)) {
            Some(rest) => {
                self.nano = rest;
                true
            }
            None => false,
        }
    }

    /// Gives back what a call was charged too much.
    pub(crate) fn refund(&mut self, now: Duration, points: Points) {
        self.advance(now);
        let full = self.maximum.saturating_mul(NANO);
        self.nano = self
            .nano
            .saturating_add(points.get().saturating_mul(NANO))
            .min(full);
    }

    pub(crate) fn level(&mut self, now: Duration) -> Level {
        self.advance(now);
        Level {
            maximum: Points(self.maximum),
            available: Points(self.nano / NANO),
            restore_rate: self.rate,
        }
    }

    pub(crate) fn set_level(&mut self, now: Duration, points: Points) {
        self.advance(now);
        self.nano = points.get().min(self.maximum).saturating_mul(NANO);
    }

    pub(crate) fn set_limits(&mut self, now: Duration, maximum: Points, rate: u64) {
        self.advance(now);
        self.maximum = maximum.get();
        self.rate = rate;
        self.nano = self.nano.min(self.maximum.saturating_mul(NANO));
    }

    pub(crate) fn set_spenders(&mut self, now: Duration, spenders: Vec<Spender>) {
        self.advance(now);
        self.spenders = spenders.into_iter().map(|s| s.starting_at(now)).collect();
    }
}

#[cfg(test)]
mod tests;
