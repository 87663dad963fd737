use std::{collections::BTreeMap, task::Waker, time::Instant};

use tollgate_cost::Points;

use super::{Priority, Refusal};
use crate::error::Unavailable;
use crate::ledger::{Charge, Ledger, Lesson, Readiness, ThrottleStatus, Ticket, float};

/// What a call asks for. The same for all its attempts, but for `cost` and `not_before`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask {
    pub(crate) cost: Points,
    pub(crate) priority: Priority,
    /// When the call began: its age, over all attempts.
    pub(crate) since: Instant,
    /// Not to be admitted earlier.
    pub(crate) not_before: Option<Instant>,
    /// It was throttled and knows its deficit: others are not reckoned with, unless they were
    /// caught before.
    pub(crate) exact: bool,
    /// Points to leave for calls of high priority.
    pub(crate) spare: f64,
    /// Most calls in flight on the bucket.
    pub(crate) in_flight: usize,
}

impl Ask {
    /// When the call is so old that it ranks before any new one.
    fn aged_at(&self) -> Instant {
        self.since + self.priority.gives_way_for()
    }
}

/// Position in the queue: smaller goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    rank: Instant,
    number: u64,
}

#[derive(Debug)]
struct Waiter {
    ask: Ask,
    waker: Option<Waker>,
}

/// What entering gave.
#[derive(Debug)]
pub(crate) enum Entry {
    Granted(Ticket),
    Refused(Refusal),
    Queued(Place),
}

/// What asking for one's turn gave.
#[derive(Debug)]
pub(crate) enum Turn {
    Granted(Ticket),
    Refused(Refusal),
    /// Ask again when woken, or at this instant.
    Wait(Option<Instant>),
}

/// The queue of a bucket, without locks and timers.
#[derive(Debug)]
pub(crate) struct Queue {
    ledger: Ledger,
    waiting: BTreeMap<Place, Waiter>,
    /// Decided, but not yet collected by the waiter.
    decided: BTreeMap<Place, Result<Ticket, Refusal>>,
    /// The sum of the costs of all who wait.
    points_waiting: f64,
    last_number: u64,
    /// Nobody goes before: the server asked for it.
    paused_until: Option<Instant>,
    /// The head that knows until when to sleep, and that instant.
    armed: Option<(Place, Option<Instant>)>,
    wakers: Vec<Waker>,
}

impl Queue {
    pub(crate) fn new(ledger: Ledger) -> Self {
        Self {
            ledger,
            waiting: BTreeMap::new(),
            decided: BTreeMap::new(),
            points_waiting: 0.0,
            last_number: 0,
            paused_until: None,
            armed: None,
            wakers: Vec::new(),
        }
    }

    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    pub(crate) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    pub(crate) fn is_idle(&self, now: Instant) -> bool {
        self.waiting.is_empty() && self.decided.is_empty() && self.ledger.is_idle(now)
    }

    /// Whom to wake for what happened since the last call.
    pub(crate) fn take_wakers(&mut self) -> Vec<Waker> {
        std::mem::take(&mut self.wakers)
    }

    /// When a call that costs `cost` and enters now could go, if nothing is refunded.
    pub(crate) fn outlook(&self, cost: Points, now: Instant) -> Option<Instant> {
        self.ledger.spent_by(self.points_waiting + float(cost), now)
    }

    /// When `ask` could go if nobody else waited, where time alone decides that.
    pub(crate) fn earliest(&self, ask: &Ask, now: Instant) -> Option<Instant> {
        match self.readiness(ask, now) {
            Readiness::At(at) => Some(at),
            _ => None,
        }
    }

    /// Admits at once, or says when it is worth asking; never queues.
    pub(crate) fn try_enter(&mut self, ask: &Ask, now: Instant) -> Result<Ticket, Readiness> {
        self.serve(now, None);
        let readiness = self.readiness(ask, now);
        if self.waiting.is_empty() && readiness == Readiness::Now {
            return Ok(self.ledger.take(ask.cost, now));
        }
        Err(match readiness {
            // Those who wait go first.
            Readiness::Now | Readiness::At(_) if !self.waiting.is_empty() => {
                match self.outlook(ask.cost, now) {
                    Some(at) if at > now => Readiness::At(at),
                    _ => Readiness::AfterSettling,
                }
            }
            other => other,
        })
    }

    /// Takes the points of a call that was admitted elsewhere.
    pub(crate) fn book(&mut self, cost: Points, now: Instant) -> Ticket {
        self.ledger.take(cost, now)
    }

    pub(crate) fn enter(&mut self, ask: Ask, now: Instant) -> Entry {
        if self.waiting.is_empty() {
            match self.readiness(&ask, now) {
                Readiness::Now => return Entry::Granted(self.ledger.take(ask.cost, now)),
                Readiness::Never { maximum } => {
                    return Entry::Refused(Refusal::TooDear { maximum });
                }
                Readiness::At(_) | Readiness::AfterSettling => {}
            }
        } else if float(ask.cost) > self.ledger.limits().maximum() {
            let maximum = self.ledger.limits().maximum();
            return Entry::Refused(Refusal::TooDear { maximum });
        }
        self.last_number += 1;
        let place = Place {
            rank: ask.aged_at(),
            number: self.last_number,
        };
        self.points_waiting += float(ask.cost);
        self.waiting.insert(place, Waiter { ask, waker: None });
        Entry::Queued(place)
    }

    /// Whether it is the turn of `place`; otherwise `waker` is kept.
    pub(crate) fn turn(&mut self, place: Place, now: Instant, waker: &Waker) -> Turn {
        if !self.decided.contains_key(&place) {
            if let Some(waiter) = self.waiting.get_mut(&place) {
                match &mut waiter.waker {
                    Some(known) => known.clone_from(waker),
                    none => *none = Some(waker.clone()),
                }
            }
            self.serve(now, Some(place));
        }
        match self.decided.remove(&place) {
            Some(Ok(ticket)) => Turn::Granted(ticket),
            Some(Err(refusal)) => Turn::Refused(refusal),
            None => Turn::Wait(
                self.armed
                    .and_then(|(head, until)| until.filter(|_| head == place)),
            ),
        }
    }

    /// Gives up a place, and what was granted to it.
    pub(crate) fn leave(&mut self, place: Place, now: Instant) {
        self.remove(place);
        if let Some(Ok(ticket)) = self.decided.remove(&place) {
            self.ledger.release(ticket, now);
        }
        self.serve(now, None);
    }

    pub(crate) fn settle(
        &mut self,
        ticket: Ticket,
        charge: Charge,
        status: &ThrottleStatus,
        now: Instant,
    ) -> Lesson {
        let before = self.ledger.limits().maximum();
        let lesson = self.ledger.settle(ticket, charge, status, now);
        if self.ledger.limits().maximum() < before {
            self.refuse_too_dear();
        }
        self.serve(now, None);
        lesson
    }

    pub(crate) fn release(&mut self, ticket: Ticket, now: Instant) {
        self.ledger.release(ticket, now);
        self.serve(now, None);
    }

    /// Lets nobody go before `until`.
    pub(crate) fn pause(&mut self, until: Instant) {
        self.paused_until = self.paused_until.max(Some(until));
    }

    /// Turns away all who wait: the shop is unavailable.
    pub(crate) fn turn_away(&mut self, reason: Unavailable) {
        while let Some((&place, _)) = self.waiting.first_key_value() {
            self.decide(place, Err(Refusal::Unavailable(reason)));
        }
        self.armed = None;
    }

    fn refuse_too_dear(&mut self) {
        let maximum = self.ledger.limits().maximum();
        let too_dear: Vec<Place> = self
            .waiting
            .iter()
            .filter(|(_, waiter)| float(waiter.ask.cost) > maximum)
            .map(|(place, _)| *place)
            .collect();
        for place in too_dear {
            self.decide(place, Err(Refusal::TooDear { maximum }));
        }
    }

    fn remove(&mut self, place: Place) -> Option<Waiter> {
        let waiter = self.waiting.remove(&place)?;
        self.points_waiting -= float(waiter.ask.cost);
        if self.waiting.is_empty() {
            self.points_waiting = 0.0;
        }
        Some(waiter)
    }

    fn decide(&mut self, place: Place, outcome: Result<Ticket, Refusal>) {
        let waker = self.remove(place).and_then(|waiter| waiter.waker);
        self.wakers.extend(waker);
        self.decided.insert(place, outcome);
    }

    /// Grants to the head of the queue as long as it can go. `asking` is awake already.
    fn serve(&mut self, now: Instant, asking: Option<Place>) {
        while let Some((&place, waiter)) = self.waiting.first_key_value() {
            let ask = waiter.ask;
            let until = match self.readiness(&ask, now) {
                Readiness::Now => {
                    let ticket = self.ledger.take(ask.cost, now);
                    self.decide(place, Ok(ticket));
                    continue;
                }
                Readiness::Never { maximum } => {
                    self.decide(place, Err(Refusal::TooDear { maximum }));
                    continue;
                }
                Readiness::At(at) => Some(at),
                Readiness::AfterSettling => None,
            };
            if ask.not_before.is_some_and(|not_before| not_before > now) {
                self.serve_behind(place, &ask, until, now);
            }
            self.arm(place, until, asking);
            return;
        }
        self.armed = None;
    }

    /// Lets others pass a head that waits for an instant, not for points, as long as that leaves
    /// its instant unchanged.
    fn serve_behind(&mut self, head: Place, head_ask: &Ask, until: Option<Instant>, now: Instant) {
        loop {
            let Some((&next, waiter)) = self.waiting.range(head..).nth(1) else {
                return;
            };
            let ask = waiter.ask;
            if self.readiness(&ask, now) != Readiness::Now {
                return;
            }
            let mut trial = self.ledger.clone();
            let _ = trial.take(ask.cost, now);
            let after = match head_ask.readiness_in(&trial, now) {
                Readiness::At(at) => Some(at),
                _ => None,
            };
            if after.is_none() || after > until {
                return;
            }
            let ticket = self.ledger.take(ask.cost, now);
            self.decide(next, Ok(ticket));
        }
    }

    /// Sees to it that the head sleeps no longer than `until`.
    fn arm(&mut self, head: Place, until: Option<Instant>, asking: Option<Place>) {
        let sleeps_well = self.armed.is_some_and(|(place, armed)| {
            place == head
                && match (armed, until) {
                    (Some(armed), Some(until)) => armed <= until,
                    (None, Some(_)) => false,
                    (_, None) => true,
                }
        });
        if asking == Some(head) {
            self.armed = Some((head, until));
        } else if !sleeps_well {
            // It takes its new instant when it asks.
            self.armed = Some((head, until));
            if let Some(waiter) = self.waiting.get(&head) {
                self.wakers.extend(waiter.waker.clone());
            }
        }
    }

    fn readiness(&self, ask: &Ask, now: Instant) -> Readiness {
        if self.ledger.calls() >= ask.in_flight {
            return Readiness::AfterSettling;
        }
        match (self.paused_until, ask.readiness_in(&self.ledger, now)) {
            (Some(until), Readiness::Now) if until > now => Readiness::At(until),
            (Some(until), Readiness::At(at)) => Readiness::At(at.max(until)),
            (_, readiness) => readiness,
        }
    }
}

impl Ask {
    fn readiness_in(&self, ledger: &Ledger, now: Instant) -> Readiness {
        let aged_at = self.aged_at();
        let spare = if now < aged_at { self.spare } else { 0.0 };
        let exact = self.exact && !ledger.others_at_work(now);
        let mut readiness = if exact {
            ledger.readiness_alone(self.cost, now)
        } else {
            ledger.readiness(self.cost, spare, now)
        };
        if spare > 0.0 && !exact {
            // What is kept for others is no longer kept from a call that has aged.
            let aged = match ledger.readiness(self.cost, 0.0, now) {
                Readiness::Now => Readiness::At(aged_at),
                Readiness::At(at) => Readiness::At(at.max(aged_at)),
                other => other,
            };
            readiness = match (readiness, aged) {
                (Readiness::At(at), Readiness::At(aged)) => Readiness::At(at.min(aged)),
                (Readiness::AfterSettling, aged) => aged,
                (readiness, _) => readiness,
            };
        }
        match (self.not_before, readiness) {
            (Some(not_before), Readiness::Now) if not_before > now => Readiness::At(not_before),
            (Some(not_before), Readiness::At(at)) => Readiness::At(at.max(not_before)),
            (_, readiness) => readiness,
        }
    }
}
