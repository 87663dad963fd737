//! The same work by a client that sees the bucket: strict FIFO, each call sent so that it arrives
//! at the first instant at which the server has its points.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::{Case, Outcome, spender::TICK};

/// A time that can be ordered, in nanoseconds.
type Nanos = u128;

struct Bucket<'a> {
    case: &'a Case,
    level: f64,
    at: Nanos,
    /// Ends of calls that run: when, and what is given back.
    ends: BinaryHeap<Reverse<(Nanos, u64)>>,
    tick: usize,
    foreign_open: u32,
}

impl Bucket<'_> {
    fn restore(&mut self, now: Nanos) {
        let super::Bucket { maximum, rate } = self.case.bucket;
        let restored = rate * (now.saturating_sub(self.at)) as f64 / 1e9;
        self.level = (self.level + restored).min(maximum);
        self.at = self.at.max(now);
    }

    /// The next instant at which anything but restoring happens.
    fn next_event(&self) -> Nanos {
        let end = self.ends.peek().map_or(Nanos::MAX, |Reverse((at, _))| *at);
        let tick = match self.case.spending {
            Some(_) => TICK.as_nanos() * self.tick as u128,
            None => Nanos::MAX,
        };
        end.min(tick)
    }

    /// Lets everything happen up to `now`.
    fn advance(&mut self, now: Nanos) {
        while self.next_event() <= now {
            let at = self.next_event();
            self.restore(at);
            if let Some(Reverse((end, refund))) = self.ends.peek().copied()
                && end == at
            {
                self.ends.pop();
                self.level = (self.level + refund as f64).min(self.case.bucket.maximum);
                continue;
            }
            if let Some(spending) = &self.case.spending {
                self.foreign_open += spending.arrivals(self.tick);
                self.tick += 1;
                while self.foreign_open > 0 && self.level >= spending.price {
                    self.level -= spending.price;
                    self.foreign_open -= 1;
                }
            }
        }
        self.restore(now);
    }

    /// Waits until `points` are there, from `now` on; the instant.
    fn wait_for(&mut self, points: u64, now: Nanos) -> Nanos {
        let mut now = now;
        loop {
            self.advance(now);
            let missing = points as f64 - self.level;
            if missing <= 1e-9 {
                return now;
            }
            let wait = super::seconds(missing / self.case.bucket.rate).as_nanos() + 1;
            now = (now + wait).min(self.next_event());
        }
    }
}

pub(crate) fn run(case: &Case) -> Outcome {
    let mut bucket = Bucket {
        case,
        level: case.bucket.maximum,
        at: 0,
        ends: BinaryHeap::new(),
        tick: 0,
        foreign_open: 0,
    };
    let mut free: BinaryHeap<Reverse<Nanos>> = (0..case.tasks).map(|_| Reverse(0)).collect();
    let mut outcome = Outcome::default();
    let mut last_arrival = 0;
    let mut end = 0;
    for job in case.work.jobs() {
        let Reverse(begun) = free.pop().unwrap_or_default();
        let [there, running, back] = job.way.map(|time| time.as_nanos());
        let (requested, actual) = (job.purchase.requested, job.purchase.actual);
        let earliest = (begun + there).max(last_arrival);
        let arrival = bucket.wait_for(requested, earliest);
        last_arrival = arrival;
        bucket.level -= requested as f64;
        bucket
            .ends
            .push(Reverse((arrival + running, requested - actual)));
        let wait = (arrival - there - begun) as f64 / 1e9;
        outcome.worst_wait = outcome.worst_wait.max(wait);
        outcome.requests += 1;
        let answered = arrival + running + back;
        end = end.max(answered);
        free.push(Reverse(answered));
    }
    outcome.makespan = end as f64 / 1e9;
    outcome
}
