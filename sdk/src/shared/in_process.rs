use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use tokio::sync::Notify;

use super::{Application, Bid, Ending, Grant, Next, Settlement, Standing, Store, StoreError};
use crate::{
    gate,
    ledger::{Ledger, Limits, Readiness, Ticket, float},
    ledgers::Bucket,
    transport::BoxFuture,
};

/// Who does not come this long after being called is passed by.
const GRACE: Duration = Duration::from_millis(250);

/// And loses its place after this.
const GONE: Duration = Duration::from_secs(30);

/// A [`Store`] in this process: for tests of programs that share a ledger, and as the smallest
/// example of a store. It keeps the accounts that a client without a store keeps, too.
#[derive(Clone, Debug, Default)]
pub struct InProcess(Arc<Mutex<HashMap<Bucket, Account>>>);

#[derive(Debug)]
struct Account {
    ledger: Ledger,
    leases: HashMap<(String, u64), (Ticket, Instant)>,
    places: HashMap<String, Place>,
    calls: HashMap<String, Arc<Notify>>,
    throttled: Vec<Instant>,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    bid: Bid,
    rank: Instant,
    not_before: Instant,
    due: Instant,
}

impl InProcess {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets everything, as a store that was flushed.
    pub fn clear(&self) {
        self.with(HashMap::clear);
    }

    fn with<R>(&self, act: impl FnOnce(&mut HashMap<Bucket, Account>) -> R) -> R {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn account<R>(
        &self,
        bucket: &Bucket,
        guess: Limits,
        act: impl FnOnce(&mut Account, Instant) -> R,
    ) -> R {
        let now = gate::now();
        self.with(|accounts| {
            let account = accounts
                .entry(bucket.clone())
                .or_insert_with(|| Account::new(guess, now));
            account.expire(now);
            let result = act(account, now);
            account.call_head(now);
            result
        })
    }
}

impl Store for InProcess {
    fn apply<'a>(
        &'a self,
        bucket: &'a Bucket,
        application: &'a Application,
    ) -> BoxFuture<'a, Result<Grant, StoreError>> {
        let grant = self.account(bucket, application.guess, |account, now| {
            account.apply(application, now)
        });
        Box::pin(async move { Ok(grant) })
    }

    fn settle<'a>(
        &'a self,
        bucket: &'a Bucket,
        settlement: &'a Settlement,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        self.account(bucket, settlement.guess, |account, now| {
            account.settle(settlement, now);
        });
        Box::pin(async { Ok(()) })
    }

    fn read<'a>(
        &'a self,
        bucket: &'a Bucket,
    ) -> BoxFuture<'a, Result<Option<Standing>, StoreError>> {
        let now = gate::now();
        let standing = self.with(|accounts| {
            let account = accounts.get(bucket)?;
            Some(account.standing(now))
        });
        Box::pin(async move { Ok(standing) })
    }

    fn called<'a>(&'a self, bucket: &'a Bucket, worker: &'a str) -> BoxFuture<'a, ()> {
        let call = self.with(|accounts| {
            let account = accounts.get_mut(bucket)?;
            Some(Arc::clone(
                account.calls.entry(worker.to_owned()).or_default(),
            ))
        });
        Box::pin(async move {
            match call {
                Some(call) => call.notified().await,
                None => std::future::pending().await,
            }
        })
    }
}

impl Account {
    fn new(guess: Limits, now: Instant) -> Self {
        Self {
            ledger: Ledger::guess(guess, now),
            leases: HashMap::new(),
            places: HashMap::new(),
            calls: HashMap::new(),
            throttled: Vec::new(),
        }
    }

    fn apply(&mut self, application: &Application, now: Instant) -> Grant {
        self.places.remove(&application.worker);
        let mut granted = 0;
        let mut next = Next::Done;
        for (bid, number) in application.bids.iter().zip(application.first..) {
            let place = Place::of(bid, now);
            // Of two calls of one rank the names of their workers decide.
            let own = (place.rank, &application.worker);
            let line = self.queue(now);
            let ahead: Vec<Place> = line.range(..own).map(|(_, other)| *other).collect();
            let points: f64 = ahead.iter().map(|other| float(other.bid.cost)).sum();
            let overdue = ahead
                .iter()
                .filter(|other| other.due < now)
                .map(|other| other.due + GRACE);
            match self.readiness(&place, points, now) {
                Readiness::Now => {
                    let ticket = self.ledger.take(bid.cost, now);
                    let lease = (application.worker.clone(), number);
                    self.leases.insert(lease, (ticket, now + application.lease));
                    granted += 1;
                    continue;
                }
                Readiness::Never { .. } => next = Next::Never,
                wait => {
                    let at = instant(wait).map(|at| overdue.fold(at, Instant::max));
                    let alone = instant(self.readiness(&place, 0.0, now));
                    let until = |at: Instant| at.saturating_duration_since(now);
                    next = Next::Wait {
                        in_turn: at.map(until),
                        alone: alone.map(until),
                    };
                    if application.stay {
                        let due = at.unwrap_or(now + GONE);
                        let place = Place { due, ..place };
                        self.places.insert(application.worker.clone(), place);
                    }
                }
            }
            break;
        }
        Grant::new(granted, next, self.standing(now))
    }

    fn settle(&mut self, settlement: &Settlement, now: Instant) {
        let lease = settlement.lease.and_then(|number| {
            let name = (settlement.worker.clone(), number);
            self.leases.remove(&name)
        });
        match (settlement.ending, lease) {
            (Ending::Released, Some((ticket, _))) => self.ledger.release(ticket, now),
            (Ending::Released, None) => {}
            (Ending::Sent { charge, status }, Some((ticket, _))) => {
                let short = status.available.is_some_and(|a| a < float(ticket.cost()));
                if charge == crate::ledger::Charge::Nothing && short {
                    self.throttled.push(now);
                }
                self.ledger.settle(ticket, charge, &status, now);
            }
            (Ending::Sent { status, .. }, None) => self.ledger.observe(&status, now),
        }
    }

    /// When a call that ranks behind `ahead` points can go.
    fn readiness(&self, place: &Place, ahead: f64, now: Instant) -> Readiness {
        let Bid { cost, .. } = place.bid;
        let spare = if now < place.rank {
            place.bid.spare
        } else {
            0.0
        };
        let own = self.ledger.readiness(cost, spare, now);
        if matches!(own, Readiness::Never { .. }) {
            return own;
        }
        if self.ledger.calls() >= place.bid.in_flight {
            return Readiness::AfterSettling;
        }
        let Some(own) = instant_or(own, now) else {
            return Readiness::AfterSettling;
        };
        let mut at = own.max(place.not_before);
        if ahead > 0.0 {
            match self.ledger.spent_by(ahead + float(cost), now) {
                // Those ahead go first, even when there is enough for all.
                Some(behind) => at = at.max(behind).max(now + Duration::from_millis(1)),
                None => return Readiness::AfterSettling,
            }
        }
        if at <= now {
            Readiness::Now
        } else {
            Readiness::At(at)
        }
    }

    /// Who waits, oldest first, without those who did not come when called.
    fn queue(&self, now: Instant) -> BTreeMap<(Instant, &String), Place> {
        let present = self
            .places
            .iter()
            .filter(|(_, place)| now <= place.due + GRACE);
        present
            .map(|(worker, place)| ((place.rank, worker), *place))
            .collect()
    }

    fn call_head(&mut self, now: Instant) {
        self.places.retain(|_, place| now <= place.due + GONE);
        let head = self.queue(now).into_iter().next();
        let Some((worker, place)) = head.map(|((_, worker), place)| (worker.clone(), place)) else {
            return;
        };
        let at = match self.readiness(&place, 0.0, now) {
            Readiness::Never { .. } => Some(now),
            other => instant_or(other, now),
        };
        // Earlier than told, but not yet now: it is called when that has come.
        if let Some(at) = at
            && at + Duration::from_millis(1) < place.due
        {
            if let Some(place) = self.places.get_mut(&worker) {
                place.due = at;
            }
            self.calls.entry(worker).or_default().notify_one();
        }
    }

    fn expire(&mut self, now: Instant) {
        let over = self.leases.iter().filter(|(_, (_, ends))| *ends <= now);
        let over: Vec<_> = over.map(|(name, _)| name.clone()).collect();
        for name in over {
            if let Some((ticket, _)) = self.leases.remove(&name) {
                let nothing = crate::ledger::ThrottleStatus::default();
                let charge = crate::ledger::Charge::Unknown;
                self.ledger.settle(ticket, charge, &nothing, now);
            }
        }
        self.throttled
            .retain(|at| now.saturating_duration_since(*at) < Duration::from_secs(60));
    }

    #[expect(clippy::cast_precision_loss, reason = "a count of one minute")]
    fn standing(&self, now: Instant) -> Standing {
        let throttles = self.throttled.len() as f64;
        Standing::new(self.ledger.read(now), self.places.len(), throttles)
    }
}

impl Place {
    fn of(bid: &Bid, now: Instant) -> Self {
        let began = now.checked_sub(bid.waited).unwrap_or(now);
        Self {
            bid: *bid,
            rank: began + bid.gives_way,
            not_before: now + bid.not_before,
            due: now,
        }
    }
}

fn instant(readiness: Readiness) -> Option<Instant> {
    match readiness {
        Readiness::At(at) => Some(at),
        _ => None,
    }
}

fn instant_or(readiness: Readiness, now: Instant) -> Option<Instant> {
    match readiness {
        Readiness::Now => Some(now),
        other => instant(other),
    }
}
