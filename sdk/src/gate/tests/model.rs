//! The queue under every order of steps that the model checker tries: nobody waits for ever,
//! nobody is admitted beyond the bucket, no points leak. Shuttle fails on a deadlock by itself.

use std::{
    future::poll_fn,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::Poll,
    time::Instant,
};

use shuttle::{future::block_on, sync::Mutex, thread};
use tollgate_cost::Points;

use super::super::{Ask, Entry, Gate, Lock, Priority, Queue, Queued, Reservation};
use crate::ledger::{Charge, Ledger, Limits, ThrottleStatus};

impl Lock for Mutex<Queue> {
    fn new(queue: Queue) -> Self {
        Self::new(queue)
    }

    fn with<R>(&self, act: impl FnOnce(&mut Queue) -> R) -> R {
        act(&mut self.lock().unwrap())
    }
}

type Modelled = Gate<Mutex<Queue>>;

const MAXIMUM: u64 = 100;

/// A full bucket that restores too slowly to matter: only others can wake a waiter.
fn gate(now: Instant) -> Arc<Modelled> {
    let limits = Limits::new(100.0, 1e-9).unwrap();
    let ledger = Ledger::known(limits, 100.0, now);
    Arc::new(Gate::new(Queue::new(ledger)))
}

/// Waits for its turn as `Gate::admit` does, without a timer; gives up after `patience` looks.
async fn admit(
    gate: &Arc<Modelled>,
    ask: Ask,
    patience: Option<u32>,
) -> Option<Reservation<Mutex<Queue>>> {
    let place = match gate.act(|queue| queue.enter(ask, ask.since)) {
        Entry::Granted(ticket) => return Some(Reservation::new(Arc::clone(gate), ticket)),
        Entry::Refused(refusal) => panic!("{refusal:?}"),
        Entry::Queued(place) => place,
    };
    let place = Some(place);
    let mut queued = Queued { gate, place };
    let mut looks = 0;
    poll_fn(
        move |context| match queued.ask(ask.since, context.waker()) {
            Ok(outcome) => Poll::Ready(Some(outcome.unwrap())),
            Err(_) if patience.is_some_and(|patience| looks >= patience) => Poll::Ready(None),
            Err(_) => {
                looks += 1;
                Poll::Pending
            }
        },
    )
    .await
}

/// Each of the threads takes, holds and settles; one gives up, one forgets to settle.
fn scenario() {
    let now = Instant::now();
    let gate = gate(now);
    let held = Arc::new(AtomicU64::new(0));
    let call = |cost: u64, priority, patience| {
        let (gate, held) = (Arc::clone(&gate), Arc::clone(&held));
        thread::spawn(move || {
            let ask = Ask {
                cost: Points(cost),
                priority,
                since: now,
                not_before: None,
                exact: false,
                spare: 0.0,
                in_flight: usize::MAX,
            };
            for round in 0..2 {
                let Some(reservation) = block_on(admit(&gate, ask, patience)) else {
                    continue;
                };
                let together = held.fetch_add(cost, Ordering::SeqCst) + cost;
                assert!(together <= MAXIMUM, "{together} points are held");
                thread::yield_now();
                held.fetch_sub(cost, Ordering::SeqCst);
                if round == 0 {
                    reservation.settle(Charge::Nothing, &ThrottleStatus::default());
                } else {
                    drop(reservation);
                }
            }
        })
    };
    let threads = [
        call(60, Priority::Normal, None),
        call(60, Priority::Normal, Some(0)),
        call(50, Priority::High, None),
        call(100, Priority::Low, None),
    ];
    for thread in threads {
        thread.join().unwrap();
    }
    let level = gate.read(now);
    assert_eq!((level.calls, gate.waiting()), (0, 0));
    assert!((level.available - 100.0).abs() < 1e-3, "{level:?}");
}

#[test]
fn no_order_of_steps_loses_a_wake_or_a_point() {
    shuttle::check_random(scenario, 3000);
    shuttle::check_pct(scenario, 3000, 4);
}
