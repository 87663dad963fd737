use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use tokio::{task::JoinHandle, time::sleep};
use tollgate_cost::Points;

use super::{Ask, Gate, Priority, Queue, Refusal, Reservation, now};
use crate::{
    error::Unavailable,
    ledger::{Charge, Ledger, Limits, Readiness, ThrottleStatus},
};

mod model;

/// 1 000 points at 100 per second, of which `available` are there.
fn gate(available: f64) -> Arc<Gate> {
    let limits = Limits::new(1000.0, 100.0).unwrap();
    let ledger = Ledger::known(limits, available, now());
    Arc::new(Gate::new(Queue::new(ledger)))
}

fn ask(cost: u64) -> Ask {
    Ask {
        cost: Points(cost),
        priority: Priority::Normal,
        since: now(),
        not_before: None,
        exact: false,
        spare: 0.0,
        in_flight: usize::MAX,
    }
}

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Who went when, in milliseconds since the start. What is granted is charged at once.
#[derive(Clone)]
struct Log {
    begun: Instant,
    entries: Arc<Mutex<Vec<(&'static str, u64)>>>,
}

impl Log {
    fn new() -> Self {
        Self {
            begun: now(),
            entries: Arc::default(),
        }
    }

    fn wait(&self, gate: &Arc<Gate>, name: &'static str, ask: Ask) -> JoinHandle<()> {
        let (log, gate) = (self.clone(), Arc::clone(gate));
        tokio::spawn(async move {
            let reservation = gate.admit(ask, None, |_| {}).await.unwrap();
            let cost = reservation.cost();
            let waited = (now() - log.begun).as_millis();
            let entry = (name, u64::try_from(waited).unwrap());
            log.entries.lock().unwrap().push(entry);
            reservation.settle(Charge::Actual(cost), &ThrottleStatus::default());
        })
    }

    fn entries(&self) -> Vec<(&'static str, u64)> {
        self.entries.lock().unwrap().clone()
    }
}

/// Lets the tasks run that are ready, without the clock moving.
async fn settle_down() {
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn first_come_first_served_each_at_its_instant() {
    let (gate, log) = (gate(0.0), Log::new());
    log.wait(&gate, "large", ask(500));
    log.wait(&gate, "small", ask(10));
    log.wait(&gate, "last", ask(90));
    sleep(millis(10_000)).await;
    let expected = [("large", 5001), ("small", 5101), ("last", 6001)];
    for ((name, at), (expected, by)) in log.entries().into_iter().zip(expected) {
        assert_eq!(name, expected);
        assert!((by - 2..=by).contains(&at), "{name} at {at}");
    }
    assert_eq!(log.entries().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn an_exact_wait_reckons_with_others_only_when_they_were_caught_before() {
    for caught in [1, 2] {
        let gate = gate(500.0);
        for left in [400.0, 300.0].into_iter().take(caught) {
            let throttled = gate.try_admit(&ask(1), now()).unwrap();
            sleep(millis(100)).await;
            let status = ThrottleStatus::new(1000.0, left, 100.0);
            throttled.settle(Charge::Nothing, &status);
        }
        let exact = Ask {
            exact: true,
            ..ask(450)
        };
        let deficit = Duration::from_millis([500, 1500][caught - 1]);
        let begun = now();
        let _ = gate.admit(exact, None, |_| {}).await.unwrap();
        let more = now() - begun - deficit;
        assert_eq!(more > millis(50), caught == 2, "{caught}: {more:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_of_small_calls_does_not_starve_a_large_one() {
    let (gate, log) = (gate(0.0), Log::new());
    for _ in 0..20 {
        log.wait(&gate, "small", ask(10));
    }
    settle_down().await;
    log.wait(&gate, "large", ask(1000));
    let stream = tokio::spawn({
        let (gate, log) = (Arc::clone(&gate), log.clone());
        async move {
            loop {
                log.wait(&gate, "small", ask(10));
                sleep(millis(50)).await;
            }
        }
    });
    sleep(millis(12_100)).await;
    stream.abort();
    let large = log.entries().into_iter().find(|(name, _)| *name == "large");
    let (_, at) = large.expect("12 seconds restore the 1 200 points before it");
    assert!((11_900..=12_010).contains(&at), "{at}");
}

#[tokio::test(start_paused = true)]
async fn priorities_go_first_and_age() {
    let (gate, log) = (gate(0.0), Log::new());
    let with = |priority, cost| Ask {
        priority,
        ..ask(cost)
    };
    log.wait(&gate, "low", with(Priority::Low, 100));
    log.wait(&gate, "normal", with(Priority::Normal, 100));
    log.wait(&gate, "high", with(Priority::High, 100));
    sleep(millis(4000)).await;
    let names: Vec<_> = log.entries().iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["high", "normal", "low"]);

    // A stream of high calls takes all that restores, yet after 10 seconds the normal one goes.
    let log = Log::new();
    log.wait(&gate, "normal", with(Priority::Normal, 100));
    for _ in 0..300 {
        log.wait(&gate, "high", with(Priority::High, 10));
        sleep(millis(100)).await;
    }
    let (_, at) = log
        .entries()
        .into_iter()
        .find(|(n, _)| *n == "normal")
        .unwrap();
    assert!((10_000..12_000).contains(&at), "{at}");
}

#[tokio::test(start_paused = true)]
async fn a_reserve_is_kept_for_high_calls_and_for_aged_ones() {
    let (gate, log) = (gate(150.0), Log::new());
    let normal = Ask {
        spare: 100.0,
        ..ask(100)
    };
    let high = Ask {
        priority: Priority::High,
        ..ask(100)
    };
    log.wait(&gate, "normal", normal);
    settle_down().await;
    log.wait(&gate, "high", high);
    sleep(millis(3000)).await;
    let entries = log.entries();
    assert_eq!(entries[0], ("high", 0));
    // 50 are left, and 200 have to be there.
    assert_eq!(entries[1].0, "normal");
    assert!((1500..=1502).contains(&entries[1].1), "{entries:?}");
    // A reserve as large as the bucket does not lock anybody out: it waits for a full one.
    let log = Log::new();
    log.wait(
        &gate,
        "greedy",
        Ask {
            spare: 1e9,
            ..ask(1)
        },
    );
    sleep(millis(20_000)).await;
    assert_eq!(log.entries().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn calls_in_flight_are_capped() {
    let gate = gate(1000.0);
    let one = Ask {
        in_flight: 2,
        ..ask(1)
    };
    let first = gate.admit(one, None, |_| {}).await.unwrap();
    let _second = gate.admit(one, None, |_| {}).await.unwrap();
    let third = tokio::spawn({
        let gate = Arc::clone(&gate);
        async move { gate.admit(one, None, |_| {}).await }
    });
    sleep(millis(60_000)).await;
    assert!(!third.is_finished());
    drop(first);
    assert!(third.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn others_pass_a_head_that_waits_for_an_instant_only_if_it_loses_nothing() {
    let (gate, log) = (gate(300.0), Log::new());
    let later = now() + millis(1000);
    let head = Ask {
        not_before: Some(later),
        ..ask(350)
    };
    log.wait(&gate, "head", head);
    settle_down().await;
    // In a second 400 will be there, 50 more than the head needs.
    log.wait(&gate, "fits", ask(50));
    log.wait(&gate, "delays", ask(1));
    sleep(millis(2000)).await;
    let entries = log.entries();
    assert_eq!(entries[0], ("fits", 0));
    assert_eq!(entries[1].0, "head");
    assert!((1000..=1001).contains(&entries[1].1), "{entries:?}");
    assert_eq!(entries[2].0, "delays");
    assert!(entries[2].1 >= entries[1].1);
}

#[tokio::test(start_paused = true)]
async fn whoever_gives_up_leaves_the_queue_and_wakes_the_next() {
    for gives_up in 0..3 {
        let (gate, log) = (gate(0.0), Log::new());
        let waiters: Vec<_> = ["head", "middle", "tail"]
            .into_iter()
            .map(|name| log.wait(&gate, name, ask(100)))
            .collect();
        sleep(millis(500)).await;
        waiters[gives_up].abort();
        settle_down().await;
        assert_eq!(gate.waiting(), 2);
        sleep(millis(3000)).await;
        let entries = log.entries();
        assert_eq!(entries.len(), 2, "{gives_up}");
        // 100 points a second, the first of them from the start: nothing was charged to nobody.
        assert!(entries[0].1 <= 1001 && entries[1].1 <= 2001, "{entries:?}");
        assert_eq!(gate.read(now()).calls, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_grant_that_nobody_collects_comes_back() {
    let gate = gate(100.0);
    let held = gate.admit(ask(100), None, |_| {}).await.unwrap();
    let mut waiting = Box::pin(gate.admit(ask(100), None, |_| {}));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(waiting.as_mut().poll(&mut context).is_pending());
    // The waiter is granted its points here, and dropped before it looks.
    drop(held);
    assert_eq!(gate.read(now()).calls, 1);
    drop(waiting);
    assert_eq!(gate.read(now()).calls, 0);
    assert!((gate.read(now()).available - 100.0).abs() < 1e-3);
}

#[tokio::test(start_paused = true)]
async fn a_reservation_that_was_sent_counts_as_spent_when_dropped() {
    let gate = gate(500.0);
    let unsent = gate.admit(ask(100), None, |_| {}).await.unwrap();
    drop(unsent);
    let mut sent = gate.admit(ask(100), None, |_| {}).await.unwrap();
    sent.mark_sent();
    drop(sent);
    let level = gate.read(now());
    assert_eq!(level.calls, 0);
    assert!((level.available - 400.0).abs() < 1e-3, "{level:?}");
}

#[tokio::test(start_paused = true)]
async fn too_dear_calls_fail_at_once_even_in_the_queue() {
    let gate = gate(100.0);
    let refusal = gate.admit(ask(1001), None, |_| {}).await.unwrap_err();
    assert_eq!(refusal, Refusal::TooDear { maximum: 1000.0 });
    let held = gate.admit(ask(100), None, |_| {}).await.unwrap();
    let queued: Vec<_> = [500, 30, 800]
        .into_iter()
        .map(|cost| {
            let gate = Arc::clone(&gate);
            tokio::spawn(async move { gate.admit(ask(cost), None, |_| {}).await.map(drop) })
        })
        .collect();
    settle_down().await;
    // The shop moves to a plan with a small bucket.
    let small = ThrottleStatus::new(40.0, 40.0, 2.0);
    held.settle(Charge::Actual(Points(100)), &small);
    settle_down().await;
    let mut outcomes = Vec::new();
    for waiter in queued {
        outcomes.push(waiter.await.unwrap());
    }
    let too_dear = Err(Refusal::TooDear { maximum: 40.0 });
    assert_eq!(outcomes, [too_dear, Ok(()), too_dear]);
}

#[tokio::test(start_paused = true)]
async fn a_deadline_that_cannot_be_kept_fails_now_with_the_instant() {
    let gate = gate(0.0);
    let begun = now();
    let deadline = Some(begun + millis(900));
    let late = gate.admit(ask(100), deadline, |_| {}).await.unwrap_err();
    assert_eq!(now(), begun, "no time was wasted");
    let Refusal::Late { ready: Some(ready) } = late else {
        panic!("{late:?}");
    };
    assert!((999..=1001).contains(&(ready - begun).as_millis()));
    // Behind others it is not certain: it waits as long as it may.
    let _ahead = tokio::spawn({
        let gate = Arc::clone(&gate);
        async move { gate.admit(ask(80), None, |_| {}).await.map(drop) }
    });
    settle_down().await;
    let late = gate.admit(ask(50), deadline, |_| {}).await.map(drop);
    assert!(matches!(late, Err(Refusal::Late { ready: Some(_) })) || late.is_ok());
    assert!(now() <= begun + millis(1000));
}

#[tokio::test(start_paused = true)]
async fn waits_are_announced_with_their_length() {
    let gate = gate(0.0);
    let told = Arc::new(Mutex::new(None));
    let tell = Arc::clone(&told);
    let announce = move |length: Duration| *tell.lock().unwrap() = Some(length);
    drop(gate.admit(ask(200), None, announce).await.unwrap());
    let length = told.lock().unwrap().unwrap();
    assert_eq!(length.as_millis(), 2000);
    // There is nothing to announce without a wait.
    drop(gate.admit(ask(200), None, |_| panic!("no wait")).await);
}

#[tokio::test(start_paused = true)]
async fn asking_without_waiting_says_when() {
    let gate = gate(50.0);
    let held: Reservation = gate.try_admit(&ask(50), now()).unwrap();
    let Readiness::At(at) = gate.try_admit(&ask(100), now()).unwrap_err() else {
        panic!("time alone helps");
    };
    assert!((999..=1001).contains(&(at - now()).as_millis()));
    drop(held);
    let never = Readiness::Never { maximum: 1000.0 };
    assert_eq!(gate.try_admit(&ask(2000), now()).unwrap_err(), never);
    // Those who wait go first.
    let waiter = tokio::spawn({
        let gate = Arc::clone(&gate);
        async move { gate.admit(ask(100), None, |_| {}).await.map(drop) }
    });
    settle_down().await;
    let Readiness::At(at) = gate.try_admit(&ask(10), now()).unwrap_err() else {
        panic!("after the other");
    };
    assert!(at > now() + millis(590));
    waiter.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_pause_holds_everybody_and_a_closed_shop_turns_them_away() {
    let (gate, log) = (gate(1000.0), Log::new());
    gate.pause(now() + millis(2000));
    log.wait(&gate, "paused", ask(10));
    sleep(millis(2500)).await;
    assert_eq!(log.entries(), [("paused", 2000)]);
    gate.pause(now() + millis(60_000));
    let waiter = tokio::spawn({
        let gate = Arc::clone(&gate);
        async move { gate.admit(ask(10), None, |_| {}).await.map(drop) }
    });
    settle_down().await;
    gate.turn_away(Unavailable::Locked);
    let refusal = Refusal::Unavailable(Unavailable::Locked);
    assert_eq!(waiter.await.unwrap(), Err(refusal));
}

#[test]
fn ten_thousand_waiters_are_woken_one_by_one() {
    use std::{
        sync::atomic::{AtomicU64, Ordering},
        task::{Wake, Waker},
    };

    struct Count(AtomicU64);
    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    let begun = Instant::now();
    let limits = Limits::new(1000.0, 100.0).unwrap();
    let mut queue = Queue::new(Ledger::known(limits, 0.0, begun));
    let count = Arc::new(Count(AtomicU64::new(0)));
    let waker = Waker::from(Arc::clone(&count));
    let asks = Ask {
        since: begun,
        ..ask(10)
    };
    let places: Vec<_> = (0..10_000)
        .map(|_| match queue.enter(asks, begun) {
            super::Entry::Queued(place) => place,
            other => panic!("{other:?}"),
        })
        .collect();
    let mut time = begun;
    for place in &places {
        let _ = queue.turn(*place, time, &waker);
    }
    for place in places {
        time += millis(101);
        let super::Turn::Granted(ticket) = queue.turn(place, time, &waker) else {
            panic!("its points are there");
        };
        let charge = Charge::Actual(Points(10));
        queue.settle(ticket, charge, &ThrottleStatus::default(), time);
        queue.take_wakers().into_iter().for_each(Waker::wake);
    }
    // Once each, to arm the timer of a new head, and now and then for a changed instant.
    let wakes = count.0.load(Ordering::Relaxed);
    assert!(wakes <= 20_000, "{wakes}");
    assert!(queue.is_idle(time + millis(10_000)));
}
