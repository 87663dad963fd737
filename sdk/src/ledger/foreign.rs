use std::time::{Duration, Instant};

/// How fast the measured rate follows what answers show.
const FOLLOWS_WITHIN: f64 = 5.0;

/// Without new evidence others are taken to have stopped after this time.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(15);

/// The margin halves in this time, in seconds.
const MARGIN_HALVES_IN: f64 = 20.0;

/// Others never slow the predicted restore by more than this share: we keep asking.
const MOST_OF_RESTORE: f64 = 0.9;

/// What other spenders of the same app take from the bucket: other processes, users, jobs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Foreign {
    /// Points per second.
    rate: f64,
    /// How far the balance was lately found below the prediction, in points.
    swing: f64,
    /// When the rate was last corrected.
    at: Instant,
    /// When others were last seen to take anything.
    seen: Option<Instant>,
}

impl Foreign {
    pub(super) const fn none(now: Instant) -> Self {
        Self {
            rate: 0.0,
            swing: 0.0,
            at: now,
            seen: None,
        }
    }

    /// Until when the rate is predicted to last.
    pub(super) fn until(&self) -> Instant {
        self.seen.map_or(self.at, |seen| seen + FORGOTTEN_AFTER)
    }

    pub(super) fn is_about(&self, now: Instant) -> bool {
        self.seen.is_some() && now < self.until()
    }

    pub(super) fn rate_at(&self, now: Instant) -> f64 {
        if self.is_about(now) { self.rate } else { 0.0 }
    }

    pub(super) fn slowing(&self, now: Instant, restore_rate: f64) -> f64 {
        self.rate_at(now).min(MOST_OF_RESTORE * restore_rate)
    }

    /// Points to keep free while others are about, since they may be quicker than our call.
    pub(super) fn margin(&self, now: Instant) -> f64 {
        if self.is_about(now) { self.swing } else { 0.0 }
    }

    /// Books that the level was found `taken` points below the prediction (above it if negative).
    pub(super) fn correct(&mut self, taken: f64, restore_rate: f64, now: Instant) {
        let elapsed = now.saturating_duration_since(self.at).as_secs_f64();
        if !self.is_about(now) {
            (self.rate, self.swing) = (0.0, 0.0);
        }
        self.swing *= 0.5_f64.powf(elapsed / MARGIN_HALVES_IN);
        if taken > super::NOISE {
            self.seen = Some(now);
            self.swing = self.swing.max(taken);
        }
        // The share of an exponential average, in a form that stays finite for no time at all.
        let weight = if elapsed > 1e-3 {
            (1.0 - (-elapsed / FOLLOWS_WITHIN).exp()) / elapsed
        } else {
            1.0 / FOLLOWS_WITHIN
        };
        self.rate = (self.rate + taken * weight).clamp(0.0, restore_rate);
        self.at = now;
    }
}
