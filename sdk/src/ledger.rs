//! The arithmetic of one bucket: what may be spent now, and when the next call can go.
//!
//! Pure: no clock, no waiting, no I/O; every function takes the instant it speaks of. The bucket
//! belongs to an app on a shop, restores continuously up to a maximum, is charged with the
//! requested cost when a call begins and given back the difference to the actual cost when it
//! ends.
//!
//! # How it stays true
//! A client does not know when a call in flight is charged. The ledger therefore keeps `level`,
//! what the bucket *would* hold had no call in flight been charged yet, and offers
//! `level − in flight`. While nobody else spends, that is never more than the server has at the
//! moment a call arrives, whatever the latencies.
//!
//! An answer's `currentlyAvailable` was computed some time between sending and receiving, with an
//! unknown part of the other calls charged in it. So it *bounds* the level from both sides, and
//! the ledger's own account is moved only as far as these bounds demand: down when somebody else
//! spent (which is measured and predicted), up when the account was too dark. With no other call
//! under way the two bounds meet, and the server's number replaces ours.

mod figures;
mod foreign;
mod outlook;
mod stretch;
mod terms;
#[cfg(test)]
mod tests;

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

pub(crate) use figures::stands_still;
pub use figures::{Anomaly, Limits, ThrottleStatus};
use foreign::Foreign;
use stretch::Stretches;
pub use terms::{Charge, Lesson, Level, Readiness, Ticket};
use tollgate_cost::Points;

/// Below this, two amounts of points are the same: the noise of adding fractions.
const NOISE: f64 = 1e-6;

/// A call that was sent this long ago has been charged, if it ever is: then what it took restores
/// again even under a full bucket.
const LANDS_WITHIN: Duration = Duration::from_secs(1);

/// The account of one bucket. See the [module](self).
#[derive(Clone, Debug)]
pub struct Ledger {
    limits: Limits,
    /// When an answer told the limits.
    told: Instant,
    known: bool,
    /// Points in the bucket at `at`, had no call in flight been charged.
    level: f64,
    at: Instant,
    in_flight: f64,
    calls: usize,
    /// The part of `in_flight` sent long enough ago to have been charged for sure.
    landed: f64,
    landing: VecDeque<Landing>,
    /// How far the level has been above the maximum since some call landed: so much of a refund
    /// the full bucket may have lost.
    overflow: f64,
    /// Sums over all settled calls, to tell what was settled while a call was under way.
    charged: f64,
    refunded: f64,
    last_sent: u64,
    newest_answered: u64,
    foreign: Foreign,
}

#[derive(Clone, Copy, Debug)]
struct Landing {
    number: u64,
    at: Instant,
    cost: f64,
}

impl Ledger {
    /// A bucket of which nothing is known but a guess. One call at a time goes ahead until the
    /// first answer has told the limits, or for one second.
    #[must_use]
    pub fn guess(limits: Limits, now: Instant) -> Self {
        Self {
            limits,
            told: now,
            known: false,
            level: limits.maximum(),
            at: now,
            in_flight: 0.0,
            calls: 0,
            landed: 0.0,
            landing: VecDeque::new(),
            overflow: 0.0,
            charged: 0.0,
            refunded: 0.0,
            last_sent: 0,
            newest_answered: 0,
            foreign: Foreign::none(now),
        }
    }

    /// A bucket with known limits that holds `available` points.
    #[must_use]
    pub fn known(limits: Limits, available: f64, now: Instant) -> Self {
        let mut ledger = Self::guess(limits, now);
        ledger.known = true;
        ledger.level = if available.is_finite() {
            available.min(limits.maximum())
        } else {
            0.0
        };
        ledger
    }

    /// The limits in force.
    #[must_use]
    pub const fn limits(&self) -> Limits {
        self.limits
    }

    /// Points that a new call can count on at `now`; below zero in debt.
    #[must_use]
    pub fn available(&self, now: Instant) -> f64 {
        self.level_at(now) - self.in_flight
    }

    /// Calls in flight.
    #[must_use]
    pub const fn calls(&self) -> usize {
        self.calls
    }

    /// Whether a new ledger would know as much: nothing in flight, and full.
    #[must_use]
    pub fn is_idle(&self, now: Instant) -> bool {
        self.calls == 0 && self.level_at(now) >= self.limits.maximum() - NOISE
    }

    /// All figures at `now`.
    #[must_use]
    pub fn read(&self, now: Instant) -> Level {
        Level {
            available: self.available(now),
            maximum: self.limits.maximum(),
            restore_rate: self.limits.restore_rate(),
            in_flight: self.in_flight,
            calls: self.calls,
            foreign_rate: self.foreign.rate_at(now).min(self.limits.restore_rate()),
            known: self.known,
        }
    }

    /// Takes points whether they are there or not.
    pub(crate) fn take(&mut self, cost: Points, now: Instant) -> Ticket {
        self.advance(now);
        let points = float(cost);
        self.last_sent += 1;
        self.in_flight += points;
        self.calls += 1;
        self.landing.push_back(Landing {
            number: self.last_sent,
            at: now + LANDS_WITHIN,
            cost: points,
        });
        Ticket {
            number: self.last_sent,
            cost,
            sent: now,
            charged_before: self.charged,
            refunded_before: self.refunded,
        }
    }

    /// Gives back a reservation whose call was never sent.
    pub fn release(&mut self, ticket: Ticket, now: Instant) {
        self.advance(now);
        let cost = float(ticket.cost);
        self.close(&ticket, 0.0);
        self.refunded += cost;
        self.level = self.level.min(self.cap());
    }

    /// Books the end of a call: what it was charged, and what the answer said of the bucket.
    pub fn settle(
        &mut self,
        ticket: Ticket,
        charge: Charge,
        status: &ThrottleStatus,
        now: Instant,
    ) -> Lesson {
        self.advance(now);
        let cost = float(ticket.cost);
        let charged = match charge {
            Charge::Actual(actual) => float(actual),
            Charge::Nothing => 0.0,
            Charge::Unknown => cost,
        };
        self.close(&ticket, charged);
        // Settled by others while this call was under way: perhaps not yet in its answer.
        let charged_meanwhile = self.charged - ticket.charged_before;
        let refunded_meanwhile = self.refunded - ticket.refunded_before;
        self.charged += charged;
        self.refunded += (cost - charged).max(0.0);

        let mut lesson = Lesson::default();
        let newest = ticket.number > self.newest_answered;
        if newest {
            self.learn(status, &mut lesson.anomalies, now);
        }
        if let Some(available) = status.available_within(self.limits, &mut lesson.anomalies) {
            let answer = Answered {
                available,
                // Whole points may have been cut or rounded.
                slack: if available.fract() == 0.0 { 1.0 } else { NOISE },
                charged_meanwhile,
                refunded_meanwhile,
                under_way: now.saturating_duration_since(ticket.sent),
                throttled: charge == Charge::Nothing,
                newest,
            };
            lesson.foreign = self.correct(&answer, now);
            self.newest_answered = self.newest_answered.max(ticket.number);
            self.known = true;
        } else if charge != Charge::Unknown {
            // An answer without figures: no use to keep the others waiting for one.
            self.known = true;
        }
        self.level = self.level.min(self.cap());
        lesson
    }

    /// Takes note of an answer to a call that was not booked here: it tells the limits, and may
    /// lower the level.
    pub(crate) fn observe(&mut self, status: &ThrottleStatus, now: Instant) {
        self.advance(now);
        let mut anomalies = Vec::new();
        self.learn(status, &mut anomalies, now);
        if let Some(available) = status.available_within(self.limits, &mut anomalies) {
            let ceiling = available + self.in_flight;
            if !self.known || self.level > ceiling {
                self.level = ceiling;
            }
            self.known = true;
        }
        self.level = self.level.min(self.cap());
    }

    fn learn(&mut self, status: &ThrottleStatus, anomalies: &mut Vec<Anomaly>, now: Instant) {
        self.limits.learn(status, anomalies);
        if status.maximum.is_some() {
            self.told = now;
        }
    }

    /// Moves the level into the bounds that an answer sets; returns what others took.
    fn correct(&mut self, answer: &Answered, now: Instant) -> f64 {
        let floor = answer.available - answer.slack - answer.charged_meanwhile;
        if !self.known {
            self.level = answer.available - answer.charged_meanwhile;
            return 0.0;
        }
        // At most, all calls in flight were charged in the answer, those settled meanwhile had
        // not been refunded, and the bucket restored during the whole way.
        let loose = answer.slack
            + answer.refunded_meanwhile
            + self.limits.restore_rate() * answer.under_way.as_secs_f64();
        // A throttle, or others about: then the answer is nearer the truth than our account.
        let strict = answer.newest && (answer.throttled || self.foreign.is_about(now));
        let ceiling = answer.available + self.in_flight + if strict { 0.0 } else { loose };
        let before = self.level;
        if before > ceiling {
            self.level = ceiling;
        } else if before < floor && answer.newest {
            // An older answer than the newest cannot raise the level: it misses what younger
            // calls, ours and others', have taken since.
            self.level = floor.min(self.cap());
        }
        let taken = before - self.level;
        let rate = self.limits.restore_rate();
        self.foreign.correct(taken, rate, answer.under_way, now);
        taken
    }

    /// Takes a call out of those in flight and its charge off the level.
    fn close(&mut self, ticket: &Ticket, charged: f64) {
        let cost = float(ticket.cost);
        self.level -= charged;
        self.in_flight = (self.in_flight - cost).max(0.0);
        self.calls = self.calls.saturating_sub(1);
        let found = self
            .landing
            .binary_search_by_key(&ticket.number, |landing| landing.number);
        match found {
            // Only emptied: removal from the middle would cost more than the entry does.
            Ok(index) => self.landing[index].cost = 0.0,
            Err(_) => {
                self.landed = (self.landed - cost).max(0.0);
                self.level -= self.overflow.min((cost - charged).max(0.0));
            }
        }
        if self.calls == 0 {
            // Sheds the noise of many additions.
            self.in_flight = 0.0;
            self.landed = 0.0;
            self.landing.clear();
        }
        if self.landed == 0.0 {
            self.overflow = 0.0;
        }
    }

    /// Brings the anchor of the account to `now`. Time never runs backward here.
    fn advance(&mut self, now: Instant) {
        if now <= self.at {
            return;
        }
        self.level = self.level_at(now);
        self.at = now;
        self.overflow = self.overflow.max(self.level - self.limits.maximum());
        while let Some(landing) = self.landing.front()
            && landing.at <= now
        {
            self.landed += landing.cost;
            self.landing.pop_front();
        }
    }

    fn level_at(&self, now: Instant) -> f64 {
        Stretches::of(self, true)
            .find_map(|stretch| stretch.level_at(now))
            .unwrap_or(self.level)
    }

    fn cap(&self) -> f64 {
        self.limits.maximum() + self.landed
    }
}

struct Answered {
    available: f64,
    slack: f64,
    charged_meanwhile: f64,
    refunded_meanwhile: f64,
    under_way: Duration,
    throttled: bool,
    newest: bool,
}

/// Points as a real number, for arithmetic with rates.
#[expect(
    clippy::cast_precision_loss,
    reason = "prices are far below 2^53; beyond, the nearest number is as good"
)]
pub(crate) const fn float(points: Points) -> f64 {
    points.get() as f64
}
