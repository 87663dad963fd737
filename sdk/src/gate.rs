//! The queue before a bucket: who goes next, and when.
//!
//! Calls are admitted in order of *rank*: the instant a call began, put back by a fixed time for
//! lower priorities. So the order within a priority is first come, first served; a lower priority
//! overtakes a higher one by ageing; and nothing starves, since everything that arrives later than
//! that fixed time ranks behind. A call that is throttled keeps its rank and therefore goes back
//! to the front.
//!
//! Grants are all or nothing. The head of the queue waits for the exact instant at which its cost
//! is there; others may pass it only when that leaves this instant unchanged. There is no
//! background task: the head's own timer, and every settled, released or cancelled neighbour, move
//! the queue on.

mod entrance;
mod queue;
mod reservation;
#[cfg(test)]
mod tests;

use std::{
    future::poll_fn,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Poll, Waker},
    time::{Duration, Instant},
};

use tokio::time::Sleep;
use tollgate_cost::Points;

pub(crate) use entrance::Entrance;
pub(crate) use queue::{Ask, Queue, Turn};
use queue::{Entry, Place};
pub(crate) use reservation::Reservation;

use crate::error::Unavailable;
use crate::ledger::{Charge, Lesson, Level, Readiness, ThrottleStatus, Ticket};

/// How urgent a call is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Priority {
    /// Gives way to calls that began up to 60 seconds later.
    Low,
    /// Gives way to [`High`](Self::High) calls that began up to 10 seconds later.
    #[default]
    Normal,
    /// First, and may use the points kept free by
    /// [`high_reserve`](crate::ClientBuilder::high_reserve).
    High,
}

impl Priority {
    /// How much later a call of the highest priority may begin and still go first.
    #[must_use]
    pub const fn gives_way_for(self) -> Duration {
        match self {
            Self::High => Duration::ZERO,
            Self::Normal => Duration::from_secs(10),
            Self::Low => Duration::from_secs(60),
        }
    }
}

/// The clock of everything that waits: tokio's, so that paused time works.
pub(crate) fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// Why a call was not admitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Refusal {
    /// The cost is above the bucket's maximum.
    TooDear { maximum: f64 },
    /// The shop was found to be unavailable while the call waited.
    Unavailable(Unavailable),
    /// The deadline comes first; the call could go at `ready`, as far as can be told.
    Late { ready: Option<Instant> },
}

/// A lock around the queue: the standard one, and a modelled one in tests.
pub(crate) trait Lock: Send + Sync {
    fn new(queue: Queue) -> Self;
    fn with<R>(&self, act: impl FnOnce(&mut Queue) -> R) -> R;
}

impl Lock for Mutex<Queue> {
    fn new(queue: Queue) -> Self {
        Self::new(queue)
    }

    fn with<R>(&self, act: impl FnOnce(&mut Queue) -> R) -> R {
        // The queue's own code does not panic half way, so its state is whole even then.
        act(&mut self.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The gate of one bucket.
#[derive(Debug)]
pub(crate) struct Gate<L = Mutex<Queue>> {
    queue: L,
}

impl<L: Lock> Gate<L> {
    pub(crate) fn new(queue: Queue) -> Self {
        Self {
            queue: L::new(queue),
        }
    }

    /// Acts on the queue, then wakes whom that concerns, outside the lock.
    fn act<R>(&self, act: impl FnOnce(&mut Queue) -> R) -> R {
        let (result, wakers) = self.queue.with(|queue| (act(queue), queue.take_wakers()));
        wakers.into_iter().for_each(Waker::wake);
        result
    }

    pub(crate) fn read(&self, now: Instant) -> Level {
        self.act(|queue| queue.ledger().read(now))
    }

    /// Calls that wait.
    pub(crate) fn waiting(&self) -> usize {
        self.act(|queue| queue.waiting())
    }

    /// Nothing waits, nothing is in flight, and the bucket is full.
    pub(crate) fn is_idle(&self, now: Instant) -> bool {
        self.act(|queue| queue.is_idle(now))
    }

    /// Admits at once or says when.
    pub(crate) fn try_admit(
        self: &Arc<Self>,
        ask: &Ask,
        now: Instant,
    ) -> Result<Reservation<L>, Readiness> {
        self.act(|queue| queue.try_enter(ask, now))
            .map(|ticket| Reservation::new(Arc::clone(self), ticket))
    }

    /// Books a call that was admitted elsewhere.
    pub(crate) fn book(self: &Arc<Self>, cost: Points, now: Instant) -> Reservation<L> {
        let ticket = self.act(|queue| queue.book(cost, now));
        Reservation::new(Arc::clone(self), ticket)
    }

    /// How long a call that enters now is going to wait, if nothing is refunded.
    pub(crate) fn outlook(&self, cost: Points, now: Instant) -> Option<Instant> {
        self.act(|queue| queue.outlook(cost, now))
    }

    /// Lets nobody go before `until`: the server asked for it.
    pub(crate) fn pause(&self, until: Instant) {
        self.act(|queue| queue.pause(until));
    }

    /// Turns away all who wait.
    pub(crate) fn turn_away(&self, reason: Unavailable) {
        self.act(|queue| queue.turn_away(reason));
    }

    fn settle(&self, ticket: Ticket, charge: Charge, status: &ThrottleStatus) -> Lesson {
        let now = now();
        self.act(|queue| queue.settle(ticket, charge, status, now))
    }

    fn release(&self, ticket: Ticket) {
        let now = now();
        self.act(|queue| queue.release(ticket, now));
    }
}

impl Gate {
    /// Waits until `ask` is admitted. `announce` is called once, if there is a wait, with its
    /// length as far as can be told.
    ///
    /// Dropping the future leaves the queue and gives back what was granted meanwhile.
    pub(crate) async fn admit(
        self: &Arc<Self>,
        ask: Ask,
        deadline: Option<Instant>,
        announce: impl FnOnce(Duration),
    ) -> Result<Reservation, Refusal> {
        let entered = now();
        let place = match self.act(|queue| queue.enter(ask, entered)) {
            Entry::Granted(ticket) => return Ok(Reservation::new(Arc::clone(self), ticket)),
            Entry::Refused(refusal) => return Err(refusal),
            Entry::Queued(place) => place,
        };
        let queued = Queued {
            gate: self,
            place: Some(place),
        };
        let outlook = self.outlook(Points::ZERO, entered).unwrap_or(entered);
        let earliest = self.act(|queue| queue.earliest(&ask, entered));
        announce(outlook.max(earliest.unwrap_or(entered)) - entered);
        // Even alone it would be too late: no use to stand in the queue.
        if let (Some(earliest), Some(deadline)) = (earliest, deadline)
            && earliest > deadline
        {
            let ready = Some(outlook.max(earliest));
            return Err(Refusal::Late { ready });
        }
        queued.wait(deadline).await
    }
}

/// A place in the queue; dropping it leaves the queue.
struct Queued<'a, L: Lock = Mutex<Queue>> {
    gate: &'a Arc<Gate<L>>,
    place: Option<Place>,
}

impl<L: Lock> Queued<'_, L> {
    /// Asks whether it is this place's turn. If not, `waker` is woken when it pays to ask again,
    /// and the error is the instant at which to ask without being woken.
    fn ask(
        &mut self,
        now: Instant,
        waker: &Waker,
    ) -> Result<Result<Reservation<L>, Refusal>, Option<Instant>> {
        let Some(place) = self.place else {
            return Err(None);
        };
        match self.gate.act(|queue| queue.turn(place, now, waker)) {
            Turn::Granted(ticket) => {
                self.place = None;
                Ok(Ok(Reservation::new(Arc::clone(self.gate), ticket)))
            }
            Turn::Refused(refusal) => {
                self.place = None;
                Ok(Err(refusal))
            }
            Turn::Wait(until) => Err(until),
        }
    }
}

impl Queued<'_> {
    async fn wait(mut self, deadline: Option<Instant>) -> Result<Reservation, Refusal> {
        let mut sleep: Option<Pin<Box<Sleep>>> = None;
        poll_fn(|context| {
            loop {
                let now = now();
                let until = match self.ask(now, context.waker()) {
                    Ok(outcome) => return Poll::Ready(outcome),
                    Err(until) => until,
                };
                let late = deadline.is_some_and(|deadline| {
                    now >= deadline || until.is_some_and(|until| until > deadline)
                });
                if late {
                    let ready = until.or_else(|| self.gate.outlook(Points::ZERO, now));
                    return Poll::Ready(Err(Refusal::Late { ready }));
                }
                let Some(at) = [until, deadline].into_iter().flatten().min() else {
                    return Poll::Pending;
                };
                let at = tokio::time::Instant::from_std(at);
                let sleep = sleep.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(at)));
                if sleep.deadline() != at {
                    sleep.as_mut().reset(at);
                }
                if sleep.as_mut().poll(context).is_pending() {
                    return Poll::Pending;
                }
            }
        })
        .await
    }
}

impl<L: Lock> Drop for Queued<'_, L> {
    fn drop(&mut self) {
        if let Some(place) = self.place.take() {
            let now = now();
            self.gate.act(|queue| queue.leave(place, now));
        }
    }
}
