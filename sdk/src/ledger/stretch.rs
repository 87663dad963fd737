use std::time::{Duration, Instant};

use super::{Ledger, NOISE};

/// Longer than anything waits: stands for instants that the clock cannot express.
const FAR: Duration = Duration::from_secs(365 * 24 * 3600);

/// A span of time in which the level rises along one straight line up to one cap.
pub(super) struct Stretch {
    from: Instant,
    to: Option<Instant>,
    level: f64,
    slope: f64,
    cap: f64,
}

impl Stretch {
    /// The level at `now`, unless that lies beyond this stretch.
    pub(super) fn level_at(&self, now: Instant) -> Option<f64> {
        if self.to.is_some_and(|to| now > to) {
            return None;
        }
        Some(self.after(now.saturating_duration_since(self.from)))
    }

    fn after(&self, time: Duration) -> f64 {
        (self.level + self.slope * time.as_secs_f64()).min(self.cap)
    }

    /// When the level reaches `need`, if it does within this stretch.
    pub(super) fn reaches(&self, need: f64) -> Option<Instant> {
        if need > self.cap + NOISE {
            return None;
        }
        let missing = need - self.level;
        if missing <= NOISE {
            return Some(self.from);
        }
        let wait = Duration::try_from_secs_f64(missing / self.slope).map_or(FAR, |w| w.min(FAR));
        // Whole microseconds, upward: waking a breath early would only mean to wait again.
        let wait = wait + Duration::from_micros(1);
        let at = self.from.checked_add(wait)?;
        self.to.is_none_or(|to| at <= to).then_some(at)
    }
}

/// The future of a ledger if nothing is settled: one stretch after the other, the last endless.
pub(super) struct Stretches<'a> {
    ledger: &'a Ledger,
    from: Instant,
    level: f64,
    landed: f64,
    next_landing: usize,
    /// Whether others are expected to go on spending.
    others: bool,
    ended: bool,
}

impl<'a> Stretches<'a> {
    pub(super) fn of(ledger: &'a Ledger, others: bool) -> Self {
        Self {
            ledger,
            from: ledger.at,
            level: ledger.level,
            landed: ledger.landed,
            next_landing: 0,
            others,
            ended: false,
        }
    }
}

impl Iterator for Stretches<'_> {
    type Item = Stretch;

    fn next(&mut self) -> Option<Stretch> {
        if self.ended {
            return None;
        }
        let Ledger {
            limits,
            landing,
            foreign,
            ..
        } = self.ledger;
        // An emptied entry changes nothing.
        while landing
            .get(self.next_landing)
            .is_some_and(|l| l.cost == 0.0)
        {
            self.next_landing += 1;
        }
        let landing = landing.get(self.next_landing);
        let forgotten = foreign.until().filter(|until| *until > self.from);
        let to = [landing.map(|l| l.at.max(self.from)), forgotten]
            .into_iter()
            .flatten()
            .min();
        let slowing = if self.others {
            foreign.slowing(self.from, limits.restore_rate())
        } else {
            0.0
        };
        let stretch = Stretch {
            from: self.from,
            to,
            level: self.level,
            slope: limits.restore_rate() - slowing,
            cap: limits.maximum() + self.landed,
        };
        match to {
            None => self.ended = true,
            Some(to) => {
                self.level = stretch.after(to.saturating_duration_since(self.from));
                self.from = to;
                if let Some(landing) = landing
                    && landing.at <= to
                {
                    self.landed += landing.cost;
                    self.next_landing += 1;
                }
            }
        }
        Some(stretch)
    }
}
