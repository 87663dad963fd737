use std::time::{Duration, Instant};

use super::shops::{Load, RATE, Shops};

/// How often figures are taken.
const STEP: Duration = Duration::from_secs(5);

/// The share of the time that goes before anything counts: connections open, the first answers
/// teach the limits, queues fill.
const WARM_UP: f64 = 0.2;

/// What was seen of a load while it ran.
pub(super) struct Watch {
    /// Points charged over those there were, after the warm-up: what all buckets held and restored.
    pub(super) throughput: f64,
    pub(super) throttled: u64,
    /// Resident memory after the warm-up and at the end, in megabytes.
    pub(super) rss: (f64, f64),
    /// How long the points of one call of each task take to restore, in seconds.
    pub(super) round: f64,
}

impl Watch {
    /// Watches for so long.
    pub(super) async fn over(shops: &mut Shops, time: Duration) -> Self {
        let begun = Instant::now();
        let step = STEP.min(time / 20);
        let restored = RATE as f64 * shops.clients().len() as f64;
        let mut counted = Load::default();
        let mut counting_since = None;
        let mut there = 0.0;
        let mut memory = Vec::new();
        let mut throttled = 0;
        let mut waiting = 0;
        while begun.elapsed() < time {
            tokio::time::sleep(step).await;
            let load = shops.take();
            throttled += load.throttled;
            waiting = shops.clients().iter().map(tollgate::Client::waiting).sum();
            let resident = resident();
            println!(
                "{:>4.0} s: {:>4} calls, {:.4} of the points, {} throttled, {waiting} waiting, {resident:.0} MB",
                begun.elapsed().as_secs_f64(),
                load.requests,
                load.points as f64 / restored / step.as_secs_f64(),
                load.throttled,
            );
            if begun.elapsed() < time.mul_f64(WARM_UP) {
                continue;
            }
            match counting_since {
                None => {
                    counting_since = Some(Instant::now());
                    there = shops.available();
                }
                Some(_) => {
                    counted.points += load.points;
                    counted.requests += load.requests;
                }
            }
            memory.push(resident);
        }
        let counting = counting_since.map_or(0.0, |since| since.elapsed().as_secs_f64());
        let price = counted.points as f64 / counted.requests.max(1) as f64;
        let tenth = (memory.len() / 10).max(1);
        let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len().max(1) as f64;
        let (first, last) = (
            &memory[..tenth.min(memory.len())],
            &memory[memory.len().saturating_sub(tenth)..],
        );
        Self {
            throughput: counted.points as f64 / (there + counting * restored),
            throttled,
            rss: (mean(first), mean(last)),
            round: waiting as f64 * price / restored,
        }
    }
}

/// Resident memory of the process, in megabytes.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().split(' ').next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(f64::NAN) / 1e3
}
