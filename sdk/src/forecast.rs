use std::time::Duration;

use tollgate_cost::Points;

use crate::ledger::{Level, float};

/// What a run of calls is going to take.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Forecast {
    /// Calls.
    pub calls: u64,
    /// What has to be in the bucket for one, in points.
    pub requested: Points,
    /// What all of them are charged, in points.
    pub points: f64,
    /// The least time that the bucket makes them take, from its present level on and with others
    /// spending as they do.
    pub time: Duration,
}

impl Forecast {
    pub(crate) fn new(requested: Points, share: f64, calls: u64, level: &Level) -> Self {
        let points = float(requested) * share * float(Points(calls));
        let rate = (level.restore_rate - level.foreign_rate).max(0.1 * level.restore_rate);
        let time = (points - level.available).max(0.0) / rate;
        Self {
            calls,
            requested,
            points,
            time: Duration::try_from_secs_f64(time).unwrap_or(Duration::MAX),
        }
    }
}
