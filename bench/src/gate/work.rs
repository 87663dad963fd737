use std::{collections::BTreeMap, time::Duration};

use super::till::Purchase;

/// One call and its way: to the server, running there, back.
#[derive(Clone, Copy)]
pub(crate) struct Job {
    pub(crate) purchase: Purchase,
    pub(crate) way: [Duration; 3],
}

/// The calls of a load, in order.
#[derive(Clone)]
pub(crate) struct Work(Vec<Job>);

impl Work {
    /// Mixed calls as an app makes them: many small, some of hundreds of points, a few near the
    /// most that one may cost; charged in full or in part; 70 to 700 ms long.
    pub(crate) fn mixed(calls: u64, seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let job = |id| {
            let requested = match random.u32(0..100) {
                0..40 => random.u64(1..=12),
                40..75 => random.u64(20..=120),
                75..95 => random.u64(150..=500),
                _ => random.u64(600..=1000),
            };
            let actual = match random.u32(0..3) {
                0 => requested,
                _ => requested * random.u64(15..=100) / 100,
            };
            let mut millis = |range| Duration::from_millis(random.u64(range));
            Job {
                purchase: Purchase::of(id, requested, actual.max(1)),
                way: [millis(20..=60), millis(30..=580), millis(20..=60)],
            }
        };
        Self((0..calls).map(job).collect())
    }

    pub(crate) fn jobs(&self) -> Vec<Job> {
        self.0.clone()
    }

    /// The ways by the calls' ids.
    pub(crate) fn ways(&self) -> BTreeMap<u64, [Duration; 3]> {
        let ways = self.0.iter().map(|job| (job.purchase.id, job.way));
        ways.collect()
    }

    /// What all of them are charged.
    pub(crate) fn points(&self) -> u64 {
        self.0.iter().map(|job| job.purchase.actual).sum()
    }
}
