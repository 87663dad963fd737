use std::time::Duration;

/// How far a long piece of work is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// Nodes, rows or lines so far.
    pub done: u64,
    /// How many there are going to be, where that is known.
    pub total: Option<u64>,
    /// Points spent so far, as the server charged them.
    pub points: u64,
    /// Calls made so far.
    pub calls: u64,
    /// Time since the work began.
    pub elapsed: Duration,
}

impl Progress {
    /// Nodes, rows or lines per second so far.
    #[must_use]
    pub fn rate(&self) -> f64 {
        let seconds = self.elapsed.as_secs_f64();
        if seconds > 0.0 {
            float(self.done) / seconds
        } else {
            0.0
        }
    }

    /// The time left at the rate so far, where the total is known.
    #[must_use]
    pub fn left(&self) -> Option<Duration> {
        let left = float(self.total?.saturating_sub(self.done));
        if left == 0.0 {
            return Some(Duration::ZERO);
        }
        Duration::try_from_secs_f64(left / self.rate()).ok()
    }
}

fn float(count: u64) -> f64 {
    crate::ledger::float(tollgate_cost::Points(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_the_rate() {
        let progress = Progress {
            done: 30,
            total: Some(90),
            elapsed: Duration::from_secs(10),
            ..Progress::default()
        };
        assert_eq!(progress.rate(), 3.0);
        assert_eq!(progress.left(), Some(Duration::from_secs(20)));
        let over = Progress {
            done: 95,
            ..progress
        };
        assert_eq!(over.left(), Some(Duration::ZERO));
        let start = Progress {
            done: 0,
            ..progress
        };
        assert_eq!(start.left(), None);
        assert_eq!(Progress::default().left(), None);
    }
}
