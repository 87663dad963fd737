use std::time::Duration;

use crate::seed::Seed;

/// How long the shop takes to answer, on tokio's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Latency {
    least: Duration,
    spread: Duration,
}

impl Latency {
    /// Every answer takes the same time.
    #[must_use]
    pub const fn fixed(time: Duration) -> Self {
        Self {
            least: time,
            spread: Duration::ZERO,
        }
    }

    /// A time between the two, drawn from the shop's seed for each request.
    #[must_use]
    pub const fn between(least: Duration, most: Duration) -> Self {
        Self {
            least,
            spread: most.saturating_sub(least),
        }
    }

    pub(crate) fn draw(self, seed: Seed) -> Duration {
        let spread = u64::try_from(self.spread.as_nanos()).unwrap_or(u64::MAX);
        let more = Duration::from_nanos(seed.below(spread.saturating_add(1)));
        self.least.saturating_add(more)
    }
}
