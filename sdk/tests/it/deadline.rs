//! One deadline over everything, and calls that are given up.

use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, timeout};
use tollgate::{Admission, ErrorKind, Priority, WaitReason};

use crate::{
    client, steady, till as till_of,
    till::{Act, Purchase, Spend, Till, Write, status, throttled},
};

fn reason(error: &tollgate::Error) -> WaitReason {
    match error.kind() {
        ErrorKind::Deadline { reason, .. } => *reason,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_passes_the_deadline_is_not_begun() {
    let till = till_of();
    let shop = client(&till).build().unwrap();
    let _ = shop
        .run::<Spend>(Purchase::of(0, 1000, 1000))
        .await
        .unwrap();
    let begun = Instant::now();
    let call = shop
        .call::<Spend>(Purchase::of(1, 500, 500))
        .deadline(Duration::from_secs(5));
    let error = call.await.unwrap_err();
    assert_eq!(begun.elapsed(), Duration::ZERO);
    assert_eq!(reason(&error), WaitReason::Points);
    let retry_in = error.retry_at().unwrap() - begun.into_std();
    assert!(
        (9.9..10.1).contains(&retry_in.as_secs_f64()),
        "{retry_in:?}"
    );
    assert_eq!(till.count().requests, 1);
}

#[tokio::test(start_paused = true)]
async fn waits_after_failures_count_too() {
    let late = |script: fn() -> Act| async move {
        let till = till_of();
        till.script(move |_, _| script());
        let shop = client(&till)
            .deadline(Duration::from_secs(3))
            .build()
            .unwrap();
        let begun = Instant::now();
        let error = shop
            .run::<Spend>(Purchase::of(1, 100, 100))
            .await
            .unwrap_err();
        assert!(begun.elapsed() <= Duration::from_secs(3));
        assert!(error.retry_at().is_some());
        reason(&error)
    };
    let drained = || {
        let status =
            json!({ "maximumAvailable": 1000, "currentlyAvailable": 10, "restoreRate": 10 });
        Act::Instead(throttled(100, status))
    };
    assert_eq!(late(drained).await, WaitReason::Throttled);
    let named = || {
        let mut answer = status(429, "").unwrap();
        answer
            .headers_mut()
            .insert("retry-after", "60".parse().unwrap());
        Act::Instead(Ok(answer))
    };
    assert_eq!(late(named).await, WaitReason::RetryAfter);
    assert_eq!(
        late(|| Act::Instead(status(503, ""))).await,
        WaitReason::Backoff
    );
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_does_not_come_in_time() {
    let till = Till::new(1000.0, 50.0, steady(10, 20_000, 10));
    let shop = client(&till).build().unwrap();
    let second = Duration::from_secs(1);
    let call = shop.call::<Spend>(Purchase::of(1, 10, 10)).deadline(second);
    let error = call.await.unwrap_err();
    assert_eq!(reason(&error), WaitReason::Answer);
    assert_eq!(error.context().waits.wire, second);
    // A mutation may have run by then.
    let call = shop.call::<Write>(Purchase::of(2, 10, 10)).deadline(second);
    assert!(call.await.unwrap_err().outcome_is_unknown());
    // Without a deadline each attempt has its own time.
    let shop = client(&till).attempt_timeout(second).build().unwrap();
    let error = shop
        .run::<Spend>(Purchase::of(3, 10, 10))
        .await
        .unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Transport(_)), "{error}");
    assert_eq!(error.context().attempts, 5);
}

#[tokio::test(start_paused = true)]
async fn calls_given_up_leave_nothing_behind() {
    let till = Till::new(1000.0, 50.0, steady(10, 1000, 10));
    let shop = client(&till).build().unwrap();
    let _ = shop.run::<Spend>(Purchase::of(0, 1, 1)).await.unwrap();
    // At every stage: on the wire, granted, queued.
    let mut calls: Vec<_> = (1..=12)
        .map(|id| {
            let shop = shop.clone();
            tokio::spawn(async move { shop.run::<Spend>(Purchase::of(id, 300, 300)).await })
        })
        .collect();
    for millis in [0, 5, 500, 20, 900] {
        tokio::time::sleep(Duration::from_millis(millis)).await;
        calls.remove(calls.len() / 2).abort();
        calls.remove(0).abort();
    }
    for call in calls {
        let _ = call.await.unwrap().unwrap();
    }
    assert_eq!((shop.level().calls, shop.waiting()), (0, 0));
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(shop.level().available, 1000.0);
}

#[tokio::test(start_paused = true)]
async fn a_call_dropped_between_attempts_is_over() {
    let till = till_of();
    till.script(|_, _| Act::Instead(status(503, "")));
    let shop = client(&till).build().unwrap();
    let call = shop.run::<Spend>(Purchase::of(1, 10, 10));
    assert!(timeout(Duration::from_millis(200), call).await.is_err());
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(till.count().requests, 1);
    assert_eq!(shop.level().calls, 0);
}

#[tokio::test(start_paused = true)]
async fn job_queues_ask_without_waiting() {
    let till = till_of();
    let shop = client(&till).build().unwrap();
    let call = Purchase::of(1, 700, 700);
    let Admission::Ready(permit) = shop.try_admit::<Spend>(call).await.unwrap() else {
        panic!("the bucket is full");
    };
    let _ = shop.call::<Spend>(call).permit(permit).await.unwrap();
    let Admission::NotBefore(at) = shop.try_admit::<Spend>(call).await.unwrap() else {
        panic!("300 are left");
    };
    tokio::time::sleep_until(at.into()).await;
    let Admission::Ready(permit) = shop.try_admit::<Spend>(call).await.unwrap() else {
        panic!("it was the right instant");
    };
    // Given up, its points come back.
    drop(permit);
    assert!(matches!(
        shop.try_admit::<Spend>(call).await.unwrap(),
        Admission::Ready(_)
    ));
    assert_eq!(till.count().throttled, 0);
    let too_dear = shop.try_admit::<Spend>(Purchase::of(2, 1001, 0)).await;
    assert!(matches!(
        too_dear.unwrap_err().kind(),
        ErrorKind::TooDear { .. }
    ));
}

#[tokio::test(start_paused = true)]
async fn urgent_calls_find_the_reserve() {
    let till = till_of();
    let shop = client(&till)
        .high_reserve(tollgate::Points(200))
        .build()
        .unwrap();
    let _ = shop.run::<Spend>(Purchase::of(0, 700, 700)).await.unwrap();
    let begun = Instant::now();
    let normal = {
        let shop = shop.clone();
        tokio::spawn(async move { shop.run::<Spend>(Purchase::of(1, 200, 200)).await })
    };
    tokio::task::yield_now().await;
    let urgent = shop
        .call::<Spend>(Purchase::of(2, 250, 250))
        .priority(Priority::High);
    let _ = urgent.await.unwrap();
    assert!(begun.elapsed() < Duration::from_millis(100));
    let answer = normal.await.unwrap().unwrap();
    assert!(
        answer.waits.gate > Duration::from_secs(6),
        "{:?}",
        answer.waits
    );
}
