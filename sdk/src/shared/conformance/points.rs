//! What there is to spend.

use std::time::Duration;

use tokio::{
    task::JoinSet,
    time::{Instant, sleep},
};
use tollgate_cost::Points;

use super::clerk::{Clerk, STILL, assert_near};
use crate::{
    ledger::{Charge, ThrottleStatus},
    shared::{Bid, Next},
};

pub(super) async fn an_unknown_bucket_is_not_full(clerk: Clerk) {
    assert_eq!(clerk.known().await, None, "nothing has happened yet");
    let first = clerk.take(0, 10).await.expect("one call goes ahead");
    assert!(!clerk.standing().await.level.known);
    let wait = Clerk::wait_of(clerk.take(1, 10).await);
    assert!(wait <= Duration::from_secs(1), "{wait:?}");
    let status = ThrottleStatus::new(400.0, 390.0, STILL);
    clerk
        .settle(first, Charge::Actual(Points(10)), status)
        .await;
    let level = clerk.standing().await.level;
    assert!(level.known);
    assert_near(level.available, 390.0, 1.0);
    clerk.take(1, 10).await.expect("the limits are known");
    let other = clerk.take(2, 400).await;
    assert!(matches!(other, Err(Next::Wait { .. })), "{other:?}");
    assert!(Clerk::guess().maximum() > 400.0);
}

pub(super) async fn no_more_is_granted_than_is_there(clerk: Clerk) {
    let clerk = clerk.with(1000.0, 500.0, STILL).await;
    let mut asking = JoinSet::new();
    for worker in 0..50 {
        let clerk = clerk.clone();
        asking.spawn(async move { clerk.take(worker, 100).await.is_ok() });
    }
    let granted = asking
        .join_all()
        .await
        .into_iter()
        .filter(|granted| *granted);
    assert_eq!(granted.count(), 5);
    let level = clerk.standing().await.level;
    assert_near(level.available, 0.0, 0.1);
    assert_eq!(level.calls, 5);
}

pub(super) async fn points_are_conserved(clerk: Clerk) {
    let clerk = clerk.with(100_000.0, 90_000.0, STILL).await;
    let mut working = JoinSet::new();
    for worker in 0..8_usize {
        let clerk = clerk.clone();
        working.spawn(async move {
            let mut charged = 0;
            for round in 0..40 {
                let cost = 10 + (round * 7) % 50;
                let number = clerk.take(worker, cost).await.expect("enough for all");
                match round % 4 {
                    0 => clerk.release(number).await,
                    1 => {
                        clerk
                            .settle(number, Charge::Nothing, ThrottleStatus::default())
                            .await
                    }
                    2 => {
                        charged += cost;
                        clerk
                            .settle(number, Charge::Unknown, ThrottleStatus::default())
                            .await;
                    }
                    _ => {
                        charged += cost / 2;
                        clerk.answer(number, cost / 2, None).await;
                    }
                }
            }
            charged
        });
    }
    let charged: u64 = working.join_all().await.into_iter().sum();
    let level = clerk.standing().await.level;
    assert_eq!((level.calls, level.in_flight), (0, 0.0));
    let left = 90_000.0 - crate::ledger::float(Points(charged));
    assert_near(level.available, left, 0.1);
}

pub(super) async fn what_was_not_charged_comes_back_once(clerk: Clerk) {
    let clerk = clerk.with(1000.0, 600.0, STILL).await;
    let number = clerk.take(0, 100).await.expect("there is enough");
    assert_near(clerk.available().await, 500.0, 0.1);
    clerk.answer(number, 20, None).await;
    assert_near(clerk.available().await, 580.0, 0.1);
    // Settled twice, by a command sent again, it is settled once.
    clerk.answer(number, 20, None).await;
    clerk.release(number).await;
    assert_near(clerk.available().await, 580.0, 0.1);
    let number = clerk.take(0, 80).await.expect("there is enough");
    clerk.release(number).await;
    assert_near(clerk.available().await, 580.0, 0.1);
    assert_eq!(clerk.standing().await.level.calls, 0);
}

pub(super) async fn answers_replace_the_account(clerk: Clerk) {
    // Others have spent.
    let clerk = clerk.with(1000.0, 900.0, STILL).await;
    let number = clerk.take(0, 100).await.expect("there is enough");
    clerk.answer(number, 100, Some(300.0)).await;
    assert_near(clerk.available().await, 300.0, 1.1);
    // The account was too dark.
    let number = clerk.take(0, 100).await.expect("there is enough");
    clerk.answer(number, 10, Some(800.0)).await;
    assert_near(clerk.available().await, 800.0, 1.1);
    // What is in flight may be in an answer or not: it bounds the level from above.
    let slow = clerk.take(1, 200).await.expect("there is enough");
    let quick = clerk.take(0, 100).await.expect("there is enough");
    clerk.answer(quick, 100, Some(100.0)).await;
    assert_near(clerk.available().await, 100.0, 1.1);
    clerk.release(slow).await;
    // Without its own figures an answer leaves the account as it is.
    let number = clerk.take(0, 10).await.expect("there is enough");
    let before = clerk.available().await;
    clerk.answer(number, 10, None).await;
    assert_near(clerk.available().await, before, 0.1);
}

pub(super) async fn a_late_answer_does_not_raise_the_level(clerk: Clerk) {
    let clerk = clerk.with(1000.0, 1000.0, STILL).await;
    let slow = clerk.take(0, 100).await.expect("there is enough");
    let quick = clerk.take(1, 100).await.expect("there is enough");
    clerk.answer(quick, 100, Some(100.0)).await;
    let told = clerk.available().await;
    assert!(told <= 201.0, "{told}");
    clerk.answer(slow, 100, Some(900.0)).await;
    let now = clerk.available().await;
    assert!(now <= told + 0.1, "{now} after {told}");
}

pub(super) async fn a_throttle_tells_the_deficit(clerk: Clerk) {
    let clerk = clerk.with(1000.0, 1000.0, STILL).await;
    let number = clerk.take(0, 100).await.expect("there is enough");
    let status = ThrottleStatus::new(1000.0, 40.0, STILL);
    clerk.settle(number, Charge::Nothing, status).await;
    assert_near(clerk.available().await, 40.0, 0.1);
    assert!(clerk.standing().await.throttles >= 0.9);
}

pub(super) async fn limits_follow_the_answers(clerk: Clerk) {
    let clerk = clerk.with(1000.0, 1000.0, 50.0).await;
    let number = clerk.take(0, 10).await.expect("there is enough");
    let small = ThrottleStatus::new(40.0, 40.0, 2.0);
    clerk
        .settle(number, Charge::Actual(Points(10)), small)
        .await;
    assert_eq!(clerk.take(0, 41).await.map(|_| ()), Err(Next::Never));
    let number = clerk.take(0, 10).await.expect("there is enough");
    let large = ThrottleStatus::new(20_000.0, 15_000.0, 1000.0);
    clerk
        .settle(number, Charge::Actual(Points(10)), large)
        .await;
    let level = clerk.standing().await.level;
    assert_near(level.maximum, 20_000.0, 0.0);
    assert_near(level.restore_rate, 1000.0, 0.0);
    assert!(level.available >= 14_990.0, "{level:?}");
    // More than the bucket holds is not there.
    clerk
        .observe(ThrottleStatus::new(20_000.0, 1e9, 1000.0))
        .await;
    assert!(clerk.available().await <= 20_000.0);
}

pub(super) async fn a_bucket_fills_up_to_its_maximum(clerk: Clerk) {
    let begun = Instant::now();
    let clerk = clerk.with(1000.0, 0.0, 500.0).await;
    sleep(Duration::from_millis(200)).await;
    let available = clerk.available().await;
    let most = 500.0 * begun.elapsed().as_secs_f64() + 5.0;
    assert!((95.0..=most).contains(&available), "{available}");
    sleep(Duration::from_millis(2000)).await;
    assert_near(clerk.available().await, 1000.0, 0.1);
}

pub(super) async fn a_call_under_way_for_long_leaves_room(clerk: Clerk) {
    let clerk = clerk.with(1000.0, 1000.0, 400.0).await;
    let begun = Instant::now();
    let number = clerk.take(0, 900).await.expect("there is enough");
    assert_near(clerk.available().await, 100.0, 20.0);
    // Charged for sure after a second, it restores under a full bucket.
    sleep(Duration::from_millis(1500)).await;
    let most = 100.0 + 400.0 * (begun.elapsed().as_secs_f64() - 1.0) + 5.0;
    let available = clerk.available().await;
    assert!(
        (295.0..=most.max(301.0)).contains(&available),
        "{available} of {most}"
    );
    clerk.release(number).await;
    assert_near(clerk.available().await, 1000.0, 0.1);
}

pub(super) async fn a_lease_runs_out_at_its_end_and_not_before(clerk: Clerk) {
    let clerk = clerk.with(1000.0, 1000.0, STILL).await;
    let lease = Duration::from_millis(1500);
    let bid = Bid::new(Points(900));
    let (_, numbers) = clerk
        .apply(0, &[bid], |application| application.lease = lease)
        .await;
    assert_eq!(numbers.len(), 1);
    // Somebody else is about, so that the store has reason to look.
    let touch = async || clerk.observe(ThrottleStatus::default()).await;
    sleep(lease / 3).await;
    touch().await;
    assert_eq!(clerk.standing().await.level.calls, 1);
    assert_near(clerk.available().await, 100.0, 0.1);
    sleep(lease).await;
    touch().await;
    let level = clerk.standing().await.level;
    assert_eq!((level.calls, level.in_flight), (0, 0.0));
    // It may have been charged: it counts as spent, until an answer knows better.
    assert_near(level.available, 100.0, 0.1);
    let number = clerk.take(1, 50).await.expect("there is enough");
    clerk.answer(number, 50, Some(950.0)).await;
    assert_near(clerk.available().await, 950.0, 1.1);
}
