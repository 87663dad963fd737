//! What the answers taught about prices: where the server's are not ours, and how much of the
//! requested cost is charged in the end.

#[cfg(test)]
mod tests;

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use tollgate_cost::Points;

use crate::{ledger::float, request::OperationId};

/// The most operations that are remembered; beyond, the longest unused is forgotten.
const OPERATIONS: usize = 1024;

/// The most sizes of one operation that are remembered.
const SIZES: usize = 16;

/// One drift event, and one deprecation event, per operation in this time.
const PERIOD: Duration = Duration::from_secs(3600);

/// Weight of the newest answer in the mean share of the requested cost that is charged.
const NEWEST: f64 = 0.2;

/// An operation whose price at the server is not ours.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Drift {
    /// The operation's name.
    pub operation: String,
    /// Our price of the last such call, in points.
    pub ours: Points,
    /// The server's `requestedQueryCost` of that call, in points.
    pub requested: Points,
    /// Calls in which the two differed.
    pub calls: u64,
}

/// The memory of prices, shared by all shops of a process.
#[derive(Debug, Default)]
pub(crate) struct Prices(Mutex<HashMap<u64, Learnt>>);

#[derive(Debug)]
struct Learnt {
    name: String,
    /// Our price and the server's, where they differ; the newest last. Our price stands for the
    /// sizes: it is a function of them.
    sizes: Vec<(Points, Points)>,
    /// The server's price over ours, of the last answer.
    factor: f64,
    drift: Option<Drift>,
    /// Mean of actual over requested.
    share: Option<f64>,
    used: Instant,
    drift_told: Option<Instant>,
    deprecation_told: Option<Instant>,
}

impl Prices {
    fn with<R>(
        &self,
        operation: &OperationId,
        now: Instant,
        act: impl FnOnce(&mut Learnt) -> R,
    ) -> R {
        let mut prices = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if prices.len() >= OPERATIONS && !prices.contains_key(&operation.hash) {
            let oldest = prices.iter().min_by_key(|(_, learnt)| learnt.used);
            if let Some(hash) = oldest.map(|(hash, _)| *hash) {
                prices.remove(&hash);
            }
        }
        let learnt = prices.entry(operation.hash).or_insert_with(|| Learnt {
            name: operation.name.to_string(),
            sizes: Vec::new(),
            factor: 1.0,
            drift: None,
            share: None,
            used: now,
            drift_told: None,
            deprecation_told: None,
        });
        learnt.used = now;
        act(learnt)
    }

    /// What the server will want for a call that we price at `ours`.
    pub(crate) fn expect(&self, operation: &OperationId, ours: Points) -> Points {
        let prices = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        prices
            .get(&operation.hash)
            .map_or(ours, |learnt| learnt.expect(ours))
    }

    /// Takes in an answer; returns whether its drift is to be told.
    pub(crate) fn learn(
        &self,
        operation: &OperationId,
        ours: Points,
        requested: Option<Points>,
        actual: Option<Points>,
        now: Instant,
    ) -> bool {
        self.with(operation, now, |learnt| {
            if let (Some(actual), Some(requested)) = (actual, requested) {
                let share = float(actual) / float(requested).max(1.0);
                let before = learnt.share.unwrap_or(share);
                learnt.share = Some(before + NEWEST * (share - before));
            }
            requested.is_some_and(|requested| {
                learnt.price(ours, requested) && once(&mut learnt.drift_told, now)
            })
        })
    }

    /// Whether a deprecation notice is to be told.
    pub(crate) fn tell_deprecation(&self, operation: &OperationId, now: Instant) -> bool {
        self.with(operation, now, |learnt| {
            once(&mut learnt.deprecation_told, now)
        })
    }

    /// The mean share of the requested cost that is charged; 1 before the first answer.
    pub(crate) fn share(&self, operation: &OperationId) -> f64 {
        let prices = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let learnt = prices.get(&operation.hash);
        learnt.and_then(|learnt| learnt.share).unwrap_or(1.0)
    }

    /// All operations whose price was not ours, by name.
    pub(crate) fn drift(&self) -> Vec<Drift> {
        let prices = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let drifts = prices.values().filter_map(|learnt| learnt.drift.clone());
        let mut drifts: Vec<Drift> = drifts.collect();
        drifts.sort_by(|a, b| a.operation.cmp(&b.operation));
        drifts
    }
}

impl Learnt {
    fn expect(&self, ours: Points) -> Points {
        let exact = self.sizes.iter().rev().find(|(known, _)| *known == ours);
        match exact {
            Some((_, requested)) => *requested,
            None if self.factor == 1.0 => ours,
            None => scaled(ours, self.factor),
        }
    }

    /// Remembers the server's price; whether it differs from ours.
    fn price(&mut self, ours: Points, requested: Points) -> bool {
        self.sizes.retain(|(known, _)| *known != ours);
        // A price of nothing, as of a call that leaves all out, says nothing of other sizes.
        let tells = ours > Points::ZERO && requested > Points::ZERO;
        self.factor = match tells {
            true => float(requested) / float(ours),
            false => 1.0,
        };
        if requested == ours {
            return false;
        }
        if self.sizes.len() >= SIZES {
            self.sizes.remove(0);
        }
        self.sizes.push((ours, requested));
        let drift = self.drift.get_or_insert_with(|| Drift {
            operation: self.name.clone(),
            ours,
            requested,
            calls: 0,
        });
        (drift.ours, drift.requested) = (ours, requested);
        drift.calls += 1;
        true
    }
}

fn once(told: &mut Option<Instant>, now: Instant) -> bool {
    let due = told.is_none_or(|at| now.saturating_duration_since(at) >= PERIOD);
    if due {
        *told = Some(now);
    }
    due
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positive, and a cast from a float saturates"
)]
fn scaled(points: Points, factor: f64) -> Points {
    Points((float(points) * factor).ceil() as u64)
}
