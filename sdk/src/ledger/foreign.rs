use std::time::{Duration, Instant};

/// Over how long the rate and its unrest are averaged, in seconds.
const AVERAGED_OVER: f64 = 40.0;

/// The most that one answer moves the averages, as a share of the way: somebody may have emptied
/// the bucket once, and never again.
const MOST_AT_ONCE: f64 = 0.3;

/// Without new evidence others are taken to have stopped after this time.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(60);

/// How many standard deviations are kept free. Points kept free are not lost, they only come
/// later.
const DEVIATIONS: f64 = 3.0;

/// The margin is at most what others take in this time, in seconds.
const MARGIN_AT_MOST: f64 = 12.0;

/// A surprise counts for no more than restores in this time, in seconds: a bucket emptied once
/// must not make the client timid.
const SURPRISE_AT_MOST: f64 = 3.0;

/// Others never slow the predicted restore by more than this share: we keep asking.
const MOST_OF_RESTORE: f64 = 0.75;

/// What other spenders of the same app take from the bucket: other processes, users, jobs.
///
/// Taken for a random walk with a drift: the expected part slows the restore, and the older the
/// newest figure will be when a call arrives, the more points are kept free for the unexpected.
#[derive(Clone, Copy, Debug)]
pub(super) struct Foreign {
    /// Points per second.
    rate: f64,
    /// Variance of what they take beyond that, in points² per second.
    unrest: f64,
    /// How long they have been watched, in seconds, up to the time averaged over.
    watched: f64,
    /// When the last answer showed what they took.
    at: Instant,
    /// When they were last seen to take anything.
    seen: Option<Instant>,
    /// How often they took a little more than was predicted.
    surprises: u32,
    /// The shortest time between a request and its answer, in seconds. A figure is old by the way
    /// back when it comes, and older by the way there when the call arrives that goes by it: in
    /// all that is about the shortest way there and back.
    way: Option<f64>,
}

impl Foreign {
    pub(super) const fn none(now: Instant) -> Self {
        Self {
            rate: 0.0,
            unrest: 0.0,
            watched: 0.0,
            at: now,
            seen: None,
            surprises: 0,
            way: None,
        }
    }

    /// Until when the rate is predicted to last.
    pub(super) fn until(&self) -> Option<Instant> {
        self.seen.map(|seen| seen + FORGOTTEN_AFTER)
    }

    pub(super) fn is_about(&self, now: Instant) -> bool {
        self.until().is_some_and(|until| now < until)
    }

    /// Whether they were caught more than once: a single time may have been a single event.
    pub(super) fn is_at_work(&self, now: Instant) -> bool {
        self.is_about(now) && self.surprises > 1
    }

    pub(super) fn rate_at(&self, now: Instant) -> f64 {
        if self.is_about(now) { self.rate } else { 0.0 }
    }

    pub(super) fn slowing(&self, now: Instant, restore_rate: f64) -> f64 {
        self.rate_at(now).min(MOST_OF_RESTORE * restore_rate)
    }

    /// Points to keep free for what others may have taken unseen when a call arrives that goes at
    /// `now`.
    pub(super) fn margin(&self, now: Instant) -> f64 {
        let since = now.saturating_duration_since(self.at).as_secs_f64();
        let unseen = since + self.way.unwrap_or(0.0);
        let deviation = (self.unrest * unseen).sqrt();
        (DEVIATIONS * deviation).min(MARGIN_AT_MOST * self.rate_at(now))
    }

    /// Books that the level was found `taken` points below the prediction (above it if negative)
    /// by an answer that was so long under way.
    pub(super) fn correct(
        &mut self,
        taken: f64,
        restore_rate: f64,
        under_way: Duration,
        now: Instant,
    ) {
        let elapsed = now.saturating_duration_since(self.at).as_secs_f64();
        if !self.is_about(now) {
            *self = Self {
                way: self.way,
                ..Self::none(self.at)
            };
        }
        self.at = now;
        let under_way = under_way.as_secs_f64();
        self.way = Some(self.way.map_or(under_way, |way| way.min(under_way)));
        // Figures are whole points: less than one is none. A large one is a single event.
        let usual = 1.0..SURPRISE_AT_MOST * restore_rate;
        self.surprises = self
            .surprises
            .saturating_add(u32::from(usual.contains(&taken)));
        if self.rate * elapsed + taken > super::NOISE {
            self.seen = Some(now);
        }
        let Some(seen) = self.seen else { return };
        debug_assert!(seen <= now, "seen at the latest now");
        self.watched = (self.watched + elapsed).min(AVERAGED_OVER);
        let weight = (elapsed / self.watched.max(f64::MIN_POSITIVE)).min(MOST_AT_ONCE);
        let moment = elapsed.max(0.05);
        // In the long run nobody can take more than restores.
        let surprise = taken.min(SURPRISE_AT_MOST * restore_rate);
        let shown = (self.rate + surprise / moment).clamp(0.0, restore_rate);
        self.rate += weight * (shown - self.rate);
        self.unrest += weight * (surprise * surprise / moment - self.unrest);
    }
}
