use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::till::Till;

/// Another process of the same app: its calls come at random, each of one price; one that finds
/// too little in the bucket tries again.
#[derive(Clone)]
pub(crate) struct Spending {
    /// Points of one call.
    pub(crate) price: f64,
    /// How many calls come with each tick.
    arrivals: Vec<u32>,
}

/// How often it looks.
pub(crate) const TICK: Duration = Duration::from_millis(100);

/// Longer than any load takes, in ticks.
const TICKS: usize = 40_000;

impl Spending {
    /// Spends half of `rate` points per second in the mean.
    pub(crate) fn half_of(rate: f64, seed: u64) -> Self {
        let price = 25.0;
        let per_tick = rate / 2.0 * TICK.as_secs_f64() / price;
        let mut random = fastrand::Rng::with_seed(seed ^ 0x5eed);
        let arrivals = (0..TICKS).map(|_| u32::from(random.f64() < per_tick));
        Self {
            price,
            arrivals: arrivals.collect(),
        }
    }

    /// How many calls come with tick `number`.
    pub(crate) fn arrivals(&self, number: usize) -> u32 {
        self.arrivals.get(number).copied().unwrap_or(0)
    }

    pub(crate) async fn spend(&self, till: &Till) {
        let mut next = Instant::now();
        let mut open = 0;
        for number in 0.. {
            sleep_until(next).await;
            next += TICK;
            open += self.arrivals(number);
            while open > 0 && till.take(self.price) {
                open -= 1;
            }
        }
    }
}
