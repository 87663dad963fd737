use std::time::{Duration, Instant};

/// How fast the measured rate follows what answers show, in seconds.
const FOLLOWS_WITHIN: f64 = 5.0;

/// The most that one answer moves the rate, as a share of the way: somebody may have emptied the
/// bucket once, and never again.
const MOST_AT_ONCE: f64 = 0.3;

/// Without evidence the rate fades in this time, in seconds.
const FADES_WITHIN: f64 = 30.0;

/// Without new evidence others are taken to have stopped after this time.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(15);

/// The margin halves in this time, in seconds.
const MARGIN_HALVES_IN: f64 = 20.0;

/// The margin is at most what others take in this time, in seconds.
const MARGIN_AT_MOST: f64 = 3.0;

/// Others never slow the predicted restore by more than this share: we keep asking.
const MOST_OF_RESTORE: f64 = 0.75;

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
    pub(super) fn until(&self) -> Option<Instant> {
        self.seen.map(|seen| seen + FORGOTTEN_AFTER)
    }

    pub(super) fn is_about(&self, now: Instant) -> bool {
        self.until().is_some_and(|until| now < until)
    }

    pub(super) fn rate_at(&self, now: Instant) -> f64 {
        if self.is_about(now) { self.rate } else { 0.0 }
    }

    pub(super) fn slowing(&self, now: Instant, restore_rate: f64) -> f64 {
        self.rate_at(now).min(MOST_OF_RESTORE * restore_rate)
    }

    /// Points to keep free while others are about, since they may be quicker than our call.
    pub(super) fn margin(&self, now: Instant) -> f64 {
        self.swing.min(MARGIN_AT_MOST * self.rate_at(now))
    }

    /// Books that the level was found `taken` points below the prediction (above it if negative).
    pub(super) fn correct(&mut self, taken: f64, restore_rate: f64, now: Instant) {
        let elapsed = now.saturating_duration_since(self.at).as_secs_f64();
        self.at = now;
        if !self.is_about(now) {
            (self.rate, self.swing) = (0.0, 0.0);
        }
        self.swing *= 0.5_f64.powf(elapsed / MARGIN_HALVES_IN);
        if taken > super::NOISE {
            self.seen = Some(now);
            self.swing = self.swing.max(taken);
        } else {
            self.rate *= (-elapsed / FADES_WITHIN).exp();
        }
        // In the long run nobody can take more than restores.
        let shown = (self.rate + taken / elapsed.max(0.05)).clamp(0.0, restore_rate);
        let weight = (1.0 - (-elapsed / FOLLOWS_WITHIN).exp()).min(MOST_AT_ONCE);
        self.rate += weight * (shown - self.rate);
    }
}
