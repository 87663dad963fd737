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

/// What a bulk operation costs, whatever its size: 10 points to start it, and ten looks at it.
const BULK_POINTS: f64 = 20.0;
/// What it takes at least: to start, to be seen as done, to open its file.
const BULK_TIME: Duration = Duration::from_secs(5);

impl Forecast {
    /// Whether a bulk operation is the better way to the same data: it costs some 20 points and
    /// takes some seconds, whatever its size, so it is when these calls cost more and the bucket
    /// makes them take longer. For a few changed objects it is not, however many the shop has: ask
    /// with the number that the query's filter leaves, not with that of all.
    #[must_use]
    pub fn is_for_bulk(&self) -> bool {
        self.points > BULK_POINTS && self.time > BULK_TIME
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    /// A full bucket of 2 000 points that restores 100 a second.
    fn forecast(requested: u64, calls: u64) -> Forecast {
        let level = Level {
            available: 2000.0,
            maximum: 2000.0,
            restore_rate: 100.0,
            in_flight: 0.0,
            calls: 0,
            foreign_rate: 0.0,
            known: true,
        };
        Forecast::new(Points(requested), 0.5, calls, &level)
    }

    #[test]
    fn what_the_bucket_holds_takes_no_time() {
        let all = forecast(252, 400);
        assert_eq!(all.points, 50_400.0);
        assert_eq!(all.time, Duration::from_secs(484));
        assert_eq!(forecast(252, 15).time, Duration::ZERO);
    }

    #[test]
    fn bulk_is_for_more_than_the_bucket_can_pay_soon() {
        assert!(forecast(252, 400).is_for_bulk());
        // A change or two, and what the bucket holds or restores in a moment.
        for calls in [1, 15, 19] {
            assert!(!forecast(252, calls).is_for_bulk(), "{calls}");
        }
        assert!(forecast(252, 20).is_for_bulk());
    }
}
