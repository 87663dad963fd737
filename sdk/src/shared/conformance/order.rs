//! Who goes when.

use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};
use tollgate_cost::Points;

use super::clerk::{Clerk, STILL, assert_near};
use crate::shared::{Bid, Next};

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn bid(cost: u64) -> Bid {
    Bid::new(Points(cost))
}

pub(super) async fn a_wait_has_its_exact_length(clerk: Clerk) {
    let begun = Instant::now();
    let clerk = clerk.with(1000.0, 0.0, 100.0).await;
    let known = begun.elapsed();
    let first = Clerk::wait_of(clerk.take(0, 150).await);
    assert!(first <= millis(1501), "{first:?}");
    sleep(millis(400)).await;
    // Asked later it is as much shorter: the end stays where it is.
    let asked = begun.elapsed();
    let (grant, _) = clerk.apply(0, &[bid(150)], |_| ()).await;
    let told = begun.elapsed();
    let Next::Wait {
        in_turn: Some(second),
        alone,
    } = grant.next
    else {
        panic!("it should have to wait: {grant:?}");
    };
    assert_eq!(alone, Some(second), "nobody else waits");
    assert!(told + second >= millis(1499), "{told:?} {second:?}");
    assert!(
        asked + second <= known + millis(1501),
        "{asked:?} {second:?}"
    );
    // Exactly enough is enough, and not a moment before.
    sleep(second.saturating_sub(millis(30))).await;
    let early = clerk.take(0, 150).await;
    assert!(early.is_err() || begun.elapsed() >= millis(1499));
    if early.is_ok() {
        return;
    }
    sleep(millis(40)).await;
    clerk.take(0, 150).await.expect("its time has come");
}

pub(super) async fn a_dear_call_is_not_overtaken(clerk: Clerk) {
    let clerk = clerk.with(1000.0, 100.0, 500.0).await;
    let dear = Clerk::wait_of(clerk.take(0, 400).await);
    // A stream of cheap ones, for which there would be enough.
    let begun = Instant::now();
    let mut worker = 1;
    while begun.elapsed() + millis(20) < dear {
        let behind = Clerk::wait_of(clerk.take(worker, 5).await);
        assert!(
            begun.elapsed() + behind + millis(20) >= dear,
            "{behind:?} of {dear:?}"
        );
        worker += 1;
        sleep(millis(10)).await;
    }
    sleep(dear.saturating_sub(begun.elapsed()) + millis(2)).await;
    assert!(clerk.take(1, 5).await.is_err(), "the dear one goes first");
    let waited = begun.elapsed();
    let dear = Bid { waited, ..bid(400) };
    clerk.ask(0, dear).await.expect("its time has come");
}

pub(super) async fn the_older_call_goes_first(clerk: Clerk) {
    let clerk = clerk.with(1000.0, 0.0, 500.0).await;
    let young = Clerk::wait_of(clerk.take(0, 100).await);
    // One that began before, and was throttled meanwhile, say.
    let waited = Duration::from_secs(20);
    let old = Bid { waited, ..bid(100) };
    let old_wait = Clerk::wait_of(clerk.ask(1, old).await);
    assert!(old_wait <= young, "{old_wait:?} {young:?}");
    sleep(young + millis(5)).await;
    assert!(clerk.take(0, 100).await.is_err(), "the old one goes first");
    clerk.ask(1, old).await.expect("its time has come");
}

pub(super) async fn a_priority_gives_way_for_a_time(clerk: Clerk) {
    let clerk = clerk.with(1000.0, 0.0, 500.0).await;
    let gives_way = Duration::from_secs(10);
    let waited = Duration::from_secs(3);
    let normal = Bid {
        gives_way,
        waited,
        ..bid(100)
    };
    let wait = Clerk::wait_of(clerk.ask(0, normal).await);
    // Began later, and goes first.
    let high = Clerk::wait_of(clerk.take(1, 100).await);
    assert!(high <= wait + millis(2), "{high:?} {wait:?}");
    sleep(wait + millis(5)).await;
    assert!(clerk.ask(0, normal).await.is_err());
    clerk.take(1, 100).await.expect("its time has come");
    // Once it has waited long enough it goes before a new one.
    let aged = Bid {
        waited: Duration::from_secs(11),
        ..normal
    };
    let _ = clerk.ask(0, aged).await;
    assert!(clerk.take(2, 100).await.is_err());
}

pub(super) async fn who_does_not_come_is_passed_by(clerk: Clerk) {
    let clerk = clerk.with(1000.0, 0.0, 500.0).await;
    let crashed = Clerk::wait_of(clerk.take(0, 50).await);
    let begun = Instant::now();
    sleep(crashed).await;
    loop {
        match clerk.take(1, 50).await {
            Ok(_) => break,
            waits => sleep(Clerk::wait_of(waits).max(millis(1))).await,
        }
        assert!(
            begun.elapsed() < Duration::from_secs(2),
            "the store waits for the dead"
        );
    }
}

pub(super) async fn who_gives_up_holds_up_nobody(clerk: Clerk) {
    let clerk = clerk.with(1000.0, 100.0, STILL).await;
    assert!(clerk.take(0, 500).await.is_err());
    assert!(clerk.take(1, 50).await.is_err(), "it is behind the other");
    assert_eq!(clerk.standing().await.waiting, 2);
    let (grant, _) = clerk.apply(0, &[], |_| ()).await;
    assert_eq!((grant.granted, grant.next), (0, Next::Done));
    clerk.take(1, 50).await.expect("nobody is before it");
    // To ask without staying takes no place.
    let (grant, _) = clerk
        .apply(0, &[bid(500)], |application| application.stay = false)
        .await;
    assert!(matches!(grant.next, Next::Wait { .. }));
    assert_eq!(grant.standing.waiting, 0);
    clerk.take(1, 50).await.expect("nobody is before it");
}

pub(super) async fn who_waits_goes_earlier_when_points_come_back(clerk: Clerk) {
    let begun = Instant::now();
    let clerk = clerk.with(1000.0, 300.0, 100.0).await;
    let held = clerk.take(0, 300).await.expect("there is enough");
    let told = Clerk::wait_of(clerk.take(1, 200).await);
    assert!(begun.elapsed() + told > millis(1990), "{told:?}");
    // Called before it listens, and not lost.
    clerk.release(held).await;
    let begun = Instant::now();
    let called = timeout(told, clerk.called(1)).await.is_ok();
    if called {
        assert!(begun.elapsed() < millis(1000), "{:?}", begun.elapsed());
    }
    clerk.take(1, 200).await.expect("its time has come");
}

pub(super) async fn a_worker_has_one_place(clerk: Clerk) {
    let clerk = clerk.with(1000.0, 100.0, STILL).await;
    assert!(clerk.take(0, 500).await.is_err());
    assert!(clerk.take(0, 600).await.is_err());
    assert_eq!(clerk.standing().await.waiting, 1);
    // A cheaper call, that can go, replaces it.
    clerk.take(0, 50).await.expect("there is enough");
    assert_eq!(clerk.standing().await.waiting, 0);
}

pub(super) async fn bids_are_granted_in_order(clerk: Clerk) {
    let clerk = clerk.with(1000.0, 250.0, STILL).await;
    let bids = [bid(100), bid(100), bid(100), bid(10)];
    let (grant, numbers) = clerk.apply(0, &bids, |_| ()).await;
    // The last one would fit, but is not next.
    assert_eq!(grant.granted, 2);
    assert!(matches!(grant.next, Next::Wait { .. }));
    let level = grant.standing.level;
    assert_near(level.in_flight, 200.0, 0.0);
    for number in numbers {
        clerk.release(number).await;
    }
    assert_near(clerk.available().await, 250.0, 0.1);
    let (grant, _) = clerk.apply(0, &[bid(100), bid(1001), bid(1)], |_| ()).await;
    assert_eq!((grant.granted, grant.next), (1, Next::Never));
}

pub(super) async fn some_calls_wait_for_more_than_points(clerk: Clerk) {
    let clerk = clerk.with(1000.0, 1000.0, STILL).await;
    // For an instant.
    let not_before = millis(300);
    let wait = Clerk::wait_of(
        clerk
            .ask(
                0,
                Bid {
                    not_before,
                    ..bid(10)
                },
            )
            .await,
    );
    assert!(wait <= not_before && wait > millis(200), "{wait:?}");
    // For others to be answered.
    let held = clerk.take(0, 10).await.expect("there is enough");
    let one = Bid {
        in_flight: 1,
        ..bid(10)
    };
    let waits = clerk.ask(1, one).await.map(|_| ());
    assert!(
        matches!(waits, Err(Next::Wait { in_turn: None, .. })),
        "{waits:?}"
    );
    clerk.release(held).await;
    let held = clerk.ask(1, one).await.expect("nothing is in flight");
    clerk.release(held).await;
    // For what is kept for others, but only a time.
    let spare = 950.0;
    let gives_way = Duration::from_secs(10);
    let modest = Bid {
        spare,
        gives_way,
        ..bid(100)
    };
    // Of a full bucket it may have all: so little is kept that it can.
    let held = clerk.ask(1, modest).await.expect("the bucket is full");
    assert!(clerk.ask(1, modest).await.is_err());
    let aged = Bid {
        waited: Duration::from_secs(11),
        ..modest
    };
    clerk.ask(1, aged).await.expect("it has aged");
    clerk.release(held).await;
}
