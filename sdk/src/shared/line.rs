mod state;

use std::{
    future::{Future, poll_fn},
    pin::{Pin, pin},
    sync::{Arc, Mutex, PoisonError},
    task::Poll,
    time::{Duration, Instant},
};

use tokio::{
    runtime::Handle,
    sync::{Notify, mpsc},
    time::{timeout, timeout_at},
};

use self::state::{Outlook, Place, State, Verdict, Waiter};
use super::{Bid, Ending, Grant, Lease, Next, Standing, StoreError, Worker, sign::until_sign};
use crate::{
    error::Unavailable,
    gate::{self, Ask, Gate, Refusal},
    ledger::{Limits, Readiness, ThrottleStatus, float},
    ledgers::Bucket,
};

/// The most calls that one command to the store asks for.
const AT_ONCE: usize = 16;

/// The calls of this process that wait for points of one bucket in the store.
///
/// The first of them stands in the store's queue for all. There is no task but while calls wait.
pub(crate) struct Line {
    worker: Arc<Worker>,
    bucket: Arc<Bucket>,
    /// What this process knows by itself, for when the store is away.
    gate: Arc<Gate>,
    guess: Limits,
    state: Mutex<State>,
    first_changed: Notify,
}

/// Why the line did not admit a call.
pub(crate) enum Turned {
    /// It cannot be admitted.
    Refused(Refusal),
    /// The store is away.
    Away,
}

impl Line {
    pub(crate) fn new(worker: Arc<Worker>, bucket: Bucket, gate: Arc<Gate>, guess: Limits) -> Self {
        Self {
            worker,
            bucket: Arc::new(bucket),
            gate,
            guess,
            state: Mutex::default(),
            first_changed: Notify::new(),
        }
    }

    /// Why the store is away, if it is.
    pub(crate) fn away(&self) -> Option<Arc<StoreError>> {
        self.worker.away(&self.bucket)
    }

    /// Calls that wait.
    pub(crate) fn waiting(&self) -> usize {
        self.with(|state| state.waiting.len())
    }

    /// Waits until the store admits `ask`. `announce` is called once, if there is a wait.
    ///
    /// Dropping the future leaves the line and gives back what was granted meanwhile.
    pub(crate) async fn admit(
        self: &Arc<Self>,
        ask: Ask,
        lease: Duration,
        deadline: Option<Instant>,
        mut announce: impl FnMut(Duration),
    ) -> Result<Lease, Turned> {
        let (verdicts, mut verdict) = mpsc::unbounded_channel();
        let mut stand = Stand {
            line: self,
            place: Some(self.enter(Waiter {
                ask,
                lease,
                deadline,
                told: false,
                verdicts,
            })),
        };
        loop {
            let next = match deadline {
                Some(deadline) => timeout_at(deadline.into(), verdict.recv()).await,
                None => Ok(verdict.recv().await),
            };
            match next {
                Ok(Some(Verdict::Wait(length))) => announce(length),
                Ok(Some(Verdict::Granted(lease))) => {
                    stand.place = None;
                    return Ok(lease);
                }
                Ok(Some(Verdict::Turned(turned))) => {
                    stand.place = None;
                    return Err(turned);
                }
                // The task went down with its runtime.
                Ok(None) => return Err(Turned::Away),
                Err(_) => {
                    let ready = self.with(|state| state.outlook.map(|outlook| outlook.ready));
                    return Err(Turned::Refused(Refusal::Late { ready }));
                }
            }
        }
    }

    /// Asks the store once. `None` when it is away.
    pub(crate) async fn try_admit(
        self: &Arc<Self>,
        ask: &Ask,
        lease: Duration,
    ) -> Option<Result<Lease, Readiness>> {
        let ahead = self.with(|state| (!state.waiting.is_empty()).then_some(state.outlook));
        if let Some(outlook) = ahead {
            let readiness = outlook.map_or(Readiness::AfterSettling, |outlook| {
                Readiness::At(outlook.ready)
            });
            return Some(Err(readiness));
        }
        self.catch_up().await;
        let now = gate::now();
        let bid = self.with(|state| state.bid(ask, now));
        let applied = self
            .worker
            .apply(&self.bucket, self.guess, lease, vec![bid], false);
        let Some((grant, first)) = applied.await else {
            self.passed_by();
            return None;
        };
        if grant.granted > 0 {
            return Some(Ok(Lease::granted(Arc::clone(self), first, now + lease)));
        }
        Some(Err(match grant.next {
            Next::Never => Readiness::Never {
                maximum: grant.standing.level.maximum,
            },
            Next::Wait {
                in_turn: Some(wait),
                ..
            } => Readiness::At(gate::now() + wait),
            Next::Wait { in_turn: None, .. } | Next::Done => Readiness::AfterSettling,
        }))
    }

    /// Lets nobody go before `until`.
    pub(crate) fn pause(&self, until: Instant) {
        self.with(|state| state.paused_until = state.paused_until.max(Some(until)));
    }

    /// Turns away all who wait.
    pub(crate) fn turn_away(&self, reason: Unavailable) {
        self.turn_all(|| Turned::Refused(Refusal::Unavailable(reason)));
        self.first_changed.notify_one();
    }

    /// A call went past the store.
    pub(crate) fn passed_by(&self) {
        self.with(|state| state.passed_by = true);
    }

    pub(super) fn settle(&self, runtime: &Handle, lease: Option<u64>, ending: Ending) {
        self.worker
            .settle(runtime, &self.bucket, lease, self.guess, ending);
    }

    fn enter(self: &Arc<Self>, mut waiter: Waiter) -> Place {
        let (place, first, served) = self.with(|state| {
            state.last_number += 1;
            let place = (
                waiter.ask.since + waiter.ask.priority.gives_way_for(),
                state.last_number,
            );
            if let Some(outlook) = state.outlook {
                waiter.tell(outlook, state.points_before(place));
            }
            state.waiting.insert(place, waiter);
            let first = state
                .waiting
                .first_key_value()
                .is_some_and(|(first, _)| *first == place);
            (place, first, std::mem::replace(&mut state.served, true))
        });
        if !served {
            tokio::spawn(Arc::clone(self).serve());
        } else if first {
            self.first_changed.notify_one();
        }
        place
    }

    /// Asks the store for those who wait until none is left.
    async fn serve(self: Arc<Self>) {
        let shift = Shift(&self);
        let mut in_queue = false;
        loop {
            self.catch_up().await;
            let Some((places, bids, lease)) = self.next_batch(in_queue) else {
                std::mem::forget(shift);
                return;
            };
            let asked = gate::now();
            let applied = self
                .worker
                .apply(&self.bucket, self.guess, lease, bids, true);
            let Some((grant, first)) = applied.await else {
                in_queue = false;
                self.passed_by();
                self.turn_all(|| Turned::Away);
                continue;
            };
            self.hand_out(&places, first, &grant, asked + lease);
            in_queue = false;
            if let Next::Wait { in_turn, alone } = grant.next
                && !places.is_empty()
            {
                in_queue = true;
                if !self.tell(places.get(grant.granted), in_turn, alone, &grant.standing) {
                    self.turn(in_turn).await;
                }
            }
        }
    }

    /// Before the first call after an absence of the store: tells it what this process knows.
    async fn catch_up(&self) {
        if !self.with(|state| std::mem::take(&mut state.passed_by)) {
            return;
        }
        let level = self.gate.read(gate::now());
        let told = level.known;
        let status =
            ThrottleStatus::new(level.maximum, level.available.floor(), level.restore_rate);
        if told && !self.worker.observe(&self.bucket, self.guess, status).await {
            self.passed_by();
        }
    }

    /// The first calls of the line and the longest of their leases; none, to give up the place in
    /// the store's queue. `None` ends the task.
    fn next_batch(&self, in_queue: bool) -> Option<(Vec<Place>, Vec<Bid>, Duration)> {
        let now = gate::now();
        self.with(|state| {
            if state.waiting.is_empty() {
                state.outlook = None;
                state.served = in_queue;
                return in_queue.then(|| (Vec::new(), Vec::new(), Duration::ZERO));
            }
            let first = state.waiting.iter().take(AT_ONCE);
            let (places, bids) = first
                .clone()
                .map(|(place, waiter)| (*place, state.bid(&waiter.ask, now)))
                .unzip();
            let lease = first.map(|(_, waiter)| waiter.lease).max();
            Some((places, bids, lease.unwrap_or_default()))
        })
    }

    fn hand_out(self: &Arc<Self>, places: &[Place], first: u64, grant: &Grant, ends: Instant) {
        let maximum = grant.standing.level.maximum;
        for (place, number) in places.iter().take(grant.granted).zip(first..) {
            // Of a call that was cancelled meanwhile: dropped, it goes back.
            let lease = Lease::granted(Arc::clone(self), number, ends);
            self.give(*place, Verdict::Granted(lease));
        }
        let too_dear: Vec<Place> = self.with(|state| {
            state.outlook = None;
            let dear = |waiter: &Waiter| float(waiter.ask.cost) > maximum;
            let waiting = state.waiting.iter();
            waiting
                .filter(|(_, waiter)| dear(waiter))
                .map(|(place, _)| *place)
                .collect()
        });
        for place in too_dear {
            let refusal = Refusal::TooDear { maximum };
            self.give(place, Verdict::Turned(Turned::Refused(refusal)));
        }
    }

    /// Tells all who wait how long, each once; `true` if the first gives up for its deadline.
    fn tell(
        &self,
        first: Option<&Place>,
        in_turn: Option<Duration>,
        alone: Option<Duration>,
        standing: &Standing,
    ) -> bool {
        let now = gate::now();
        let ready = now + in_turn.unwrap_or_default();
        let outlook = Outlook {
            ready,
            restore_rate: standing.level.restore_rate,
        };
        let late = self.with(|state| {
            state.outlook = Some(outlook);
            let mut points = 0.0;
            for waiter in state.waiting.values_mut() {
                waiter.tell(outlook, points);
                points += float(waiter.ask.cost);
            }
            let waiter = state.waiting.get(first?)?;
            let earliest = now + alone?;
            (earliest > waiter.deadline?).then_some(*first?)
        });
        let Some(place) = late else { return false };
        let refusal = Refusal::Late { ready: Some(ready) };
        self.give(place, Verdict::Turned(Turned::Refused(refusal)));
        true
    }

    /// Until it is worth asking the store again.
    async fn turn(&self, in_turn: Option<Duration>) {
        let wait = until_sign(in_turn);
        let mut called = pin!(self.worker.called(&self.bucket));
        let mut changed = pin!(self.first_changed.notified());
        let either = poll_fn(|context| {
            let called = called.as_mut().poll(context).is_ready();
            let changed = Pin::as_mut(&mut changed).poll(context).is_ready();
            if called || changed {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        });
        let _ = timeout(wait, either).await;
    }

    fn turn_all(&self, turned: impl Fn() -> Turned) {
        let waiting = self.with(|state| std::mem::take(&mut state.waiting));
        for waiter in waiting.into_values() {
            // Nobody listens once a call is cancelled.
            let _ = waiter.verdicts.send(Verdict::Turned(turned()));
        }
    }

    fn give(&self, place: Place, verdict: Verdict) {
        let waiter = self.with(|state| state.waiting.remove(&place));
        if let Some(waiter) = waiter {
            // What cannot be delivered is dropped, and with it the lease.
            let _ = waiter.verdicts.send(verdict);
        }
    }

    fn with<R>(&self, act: impl FnOnce(&mut State) -> R) -> R {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A place in the line; dropping it leaves the line.
struct Stand<'a> {
    line: &'a Line,
    place: Option<Place>,
}

impl Drop for Stand<'_> {
    fn drop(&mut self) {
        let Some(place) = self.place.take() else {
            return;
        };
        let was_first = self.line.with(|state| {
            let first = state.waiting.first_key_value().map(|(first, _)| *first);
            state.waiting.remove(&place);
            first == Some(place)
        });
        if was_first {
            self.line.first_changed.notify_one();
        }
    }
}

/// The task's time of serving the line. If it ends otherwise than by its own decision, the runtime
/// went down: then those who wait in other runtimes must not wait for ever.
struct Shift<'a>(&'a Line);

impl Drop for Shift<'_> {
    fn drop(&mut self) {
        self.0.with(|state| state.served = false);
        self.0.turn_all(|| Turned::Away);
    }
}
