use std::time::Duration;

use tollgate_cost::Points;

/// Another process of the same app on the same shop: it spends from the same bucket.
///
/// It calls at fixed times; a call that the bucket cannot pay is throttled and spends nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spender {
    pub(crate) cost: Points,
    every: Duration,
    due: Duration,
}

impl Spender {
    /// Spends `cost` points once per `every`, the first time after one such interval. An interval
    /// of zero is taken as one millisecond.
    #[must_use]
    pub fn new(cost: impl Into<Points>, every: Duration) -> Self {
        let every = every.max(Duration::from_millis(1));
        Self {
            cost: cost.into(),
            every,
            due: every,
        }
    }

    /// Spends so many points per second, one point at a time (in larger steps above 1 000 points
    /// per second).
    #[must_use]
    pub fn steady(points_per_second: u64) -> Self {
        let step = points_per_second.div_ceil(1000).max(1);
        let nanos = 1_000_000_000_u64
            .saturating_mul(step)
            .checked_div(points_per_second);
        // No points per second: a call that is free, once a day.
        let cost = if nanos.is_some() { step } else { 0 };
        let every = Duration::from_nanos(nanos.unwrap_or(86_400_000_000_000));
        Self::new(cost, every)
    }

    /// When it calls next, since the shop opened.
    pub(crate) fn due(&self) -> Duration {
        self.due
    }

    pub(crate) fn pay_next(&mut self) {
        self.due = self.due.saturating_add(self.every);
    }

    /// The same spender, beginning one interval after `now`.
    pub(crate) fn starting_at(mut self, now: Duration) -> Self {
        self.due = now.saturating_add(self.every);
        self
    }
}
