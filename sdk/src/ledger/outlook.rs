//! When a call can go.

use std::time::{Duration, Instant};

use tollgate_cost::Points;

use super::{
    LANDS_WITHIN, Ledger, NOISE, Readiness, Ticket, float, stands_still, stretch::Stretches,
};

/// Until the first answer tells the limits one call goes ahead, but holds up the others no longer
/// than this.
const FIRST_ANSWER_WITHIN: Duration = Duration::from_secs(1);

/// So long after they were told the limits are certain. Later a call that they would stop may go
/// and ask the server, one at a time: they may have changed, and nobody else would find out.
const LIMITS_HOLD_FOR: Duration = Duration::from_secs(60);

impl Ledger {
    /// When `cost` can be reserved so that `spare` points stay free for others.
    ///
    /// The instant does not depend on `now`: asking later gives the same answer.
    #[must_use]
    pub fn readiness(&self, cost: Points, spare: f64, now: Instant) -> Readiness {
        let mut readiness = self.readiness_among(cost, spare, true, now);
        if self.foreign.is_about(now) {
            // The margin grows with the time until the call goes, which grows with the margin:
            // two rounds come close enough.
            for _ in 0..2 {
                let goes = match readiness {
                    Readiness::At(at) => at.max(now),
                    _ => now,
                };
                let margin = self.foreign.margin(goes);
                readiness = self.readiness_among(cost, spare + margin, true, now);
            }
        }
        readiness
    }

    /// Whether others were caught spending more than once, and are expected to go on.
    pub(crate) fn others_at_work(&self, now: Instant) -> bool {
        self.foreign.is_at_work(now)
    }

    /// When `cost` can be reserved if nobody else spends: what a call waits for that was throttled
    /// and knows the exact deficit.
    #[must_use]
    pub fn readiness_alone(&self, cost: Points, now: Instant) -> Readiness {
        self.readiness_among(cost, 0.0, false, now)
    }

    fn readiness_among(&self, cost: Points, spare: f64, others: bool, now: Instant) -> Readiness {
        let (cost, maximum) = (float(cost), self.limits.maximum());
        // Another thread may have looked at the clock later and been here first.
        let now = now.max(self.at);
        if cost > maximum + NOISE {
            return match self.asks_at() {
                Some(at) if at <= now => Readiness::Now,
                _ => Readiness::Never { maximum },
            };
        }
        if !self.known && self.calls > 0 {
            let patience = self.at_first_call() + FIRST_ANSWER_WITHIN;
            if now < patience {
                return Readiness::At(patience);
            }
        }
        // What is kept free can never lock out a call that the empty shop would serve.
        let spare = spare.clamp(0.0, (maximum - cost).max(0.0));
        let need = cost + spare + self.in_flight;
        let mut ready = Stretches::of(self, others).find_map(|stretch| stretch.reaches(need));
        if self.stands_still() {
            ready = [ready, self.asks_at()].into_iter().flatten().min();
        }
        match ready {
            Some(ready) if ready <= now => Readiness::Now,
            Some(ready) => Readiness::At(ready),
            None => Readiness::AfterSettling,
        }
    }

    /// Takes points when they are there.
    ///
    /// # Errors
    /// The [`Readiness`] when they are not.
    pub fn reserve(&mut self, cost: Points, spare: f64, now: Instant) -> Result<Ticket, Readiness> {
        match self.readiness(cost, spare, now) {
            Readiness::Now => Ok(self.take(cost, now)),
            other => Err(other),
        }
    }

    /// When `points` more will have been there in all, if nothing is given back and no cap stops
    /// the restore: what a queue of that many points needs. `None` beyond the clock, or where the
    /// restore is not waited for.
    pub(crate) fn spent_by(&self, points: f64, now: Instant) -> Option<Instant> {
        if self.stands_still() {
            return None;
        }
        let missing = points - self.available(now);
        let wait = (missing / self.limits.restore_rate()).max(0.0);
        now.checked_add(Duration::try_from_secs_f64(wait).ok()?)
    }

    fn stands_still(&self) -> bool {
        stands_still(self.limits.maximum(), self.limits.restore_rate())
    }

    /// When a call that the limits would stop may ask for them.
    fn asks_at(&self) -> Option<Instant> {
        (self.calls == 0).then(|| self.told + LIMITS_HOLD_FOR)
    }

    fn at_first_call(&self) -> Instant {
        self.landing
            .front()
            .map_or(self.at, |landing| landing.at - LANDS_WITHIN)
    }
}
