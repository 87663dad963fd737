//! Throttled calls: exact waits, their place in the queue, an end.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;
use tollgate::{CostLimit, ErrorKind, Points, What};

use crate::{
    client, collect, steady, till as till_of,
    till::{Act, Purchase, Spend, Till, Write, ok, throttled},
};

fn status(available: u64) -> serde_json::Value {
    json!({ "maximumAvailable": 1000.0, "currentlyAvailable": available, "restoreRate": 50.0 })
}

#[tokio::test(start_paused = true)]
async fn drained_before_every_call_each_waits_once_for_the_deficit() {
    let till = till_of();
    let shop = client(&till).build().unwrap();
    for id in 0..20 {
        let cost = 50 + 10 * id;
        // Long enough for the client to believe that the bucket is full.
        tokio::time::sleep(Duration::from_secs(30)).await;
        till.set_level(0.0);
        let begun = Instant::now();
        let answer = shop
            .run::<Write>(Purchase::of(id, cost, cost))
            .await
            .unwrap();
        assert_eq!(answer.attempts, 2, "call {id}");
        let exact = cost as f64 / 50.0;
        let waited = answer.waits.throttled.as_secs_f64();
        assert!(
            waited >= exact - 0.025 && waited <= 1.05 * exact,
            "{waited} for {exact}"
        );
        assert!(begun.elapsed().as_secs_f64() <= 1.05 * exact + 0.1);
    }
    let count = till.count();
    assert_eq!((count.throttled, count.requests), (20, 40));
    assert!(count.ran.values().all(|times| *times == 1));
    // All attempts of a call are the same bytes.
    for pair in count.bodies.chunks(2) {
        assert_eq!(pair[0], pair[1]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_throttled_call_goes_before_those_that_came_later() {
    let till = till_of();
    let shop = client(&till).build().unwrap();
    let _ = shop.run::<Spend>(Purchase::of(0, 1, 1)).await.unwrap();
    // Others empty the bucket unseen.
    till.set_level(0.0);
    let calls: Vec<_> = (1..=5)
        .map(|id| {
            let shop = shop.clone();
            let cost = if id == 1 { 400 } else { 20 };
            tokio::spawn(async move { shop.run::<Spend>(Purchase::of(id, cost, cost)).await })
        })
        .collect();
    for call in calls {
        let _ = call.await.unwrap().unwrap();
    }
    let charged = till.count().charged_at;
    let large = charged[&1];
    // Those sent together with it may have found room; the rest waits behind it.
    let before = charged.values().filter(|at| **at < large).count();
    assert!(before <= 2, "{before} calls went before the throttled one");
}

#[tokio::test(start_paused = true)]
async fn the_servers_price_replaces_ours_at_once() {
    // The server wants twice what we think: at most one throttle until that is learnt.
    let till = till_of();
    let (drift, observer) = collect(|event| match event.what {
        What::Drift { ours, requested } => Some((ours.get(), requested.get())),
        _ => None,
    });
    let shop = client(&till).observer(observer).build().unwrap();
    for id in 0..60 {
        let wrong = Purchase {
            price: 100,
            ..Purchase::of(id, 200, 200)
        };
        let _ = shop.run::<Spend>(wrong).await.unwrap();
    }
    assert!(till.count().throttled <= 1, "{}", till.count().throttled);
    assert_eq!(*drift.lock().unwrap(), [(100, 200)], "told once");
    let table = shop.drift();
    assert_eq!((table[0].calls, table[0].requested), (60, Points(200)));
    // The forecast goes by it, too.
    let forecast = shop.forecast::<Spend>(Purchase::of(0, 100, 0), 10).unwrap();
    assert_eq!(forecast.requested, Points(200));
    assert!((forecast.points - 2000.0).abs() < 1.0);
    assert!(forecast.time > Duration::from_secs(20));
}

#[tokio::test(start_paused = true)]
async fn an_operation_said_to_cost_nothing_is_paced_all_the_same() {
    let till = Till::new(40.0, 2.0, steady(1, 1, 1));
    let shop = client(&till).build().unwrap();
    for id in 0..20 {
        let unknown = Purchase {
            price: 0,
            ..Purchase::of(id, 10, 10)
        };
        let _ = shop.run::<Write>(unknown).await.unwrap();
    }
    assert!(till.count().throttled <= 1);
}

#[tokio::test(start_paused = true)]
async fn throttled_with_room_left_waits_longer_and_gives_up_soon() {
    let till = till_of();
    till.script(|_, _| Act::Instead(throttled(100, status(900))));
    let shop = client(&till).build().unwrap();
    let begun = Instant::now();
    let error = shop
        .run::<Spend>(Purchase::of(0, 100, 100))
        .await
        .unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::OtherThrottle { .. }),
        "{error}"
    );
    assert_eq!(error.context().attempts, 5);
    assert!(
        begun.elapsed() >= Duration::from_secs(7),
        "{:?}",
        begun.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn throttled_for_ever_ends_with_the_figures() {
    let till = till_of();
    till.script(|_, _| Act::Instead(throttled(300, status(200))));
    let shop = client(&till).build().unwrap();
    let error = shop
        .run::<Spend>(Purchase::of(0, 300, 300))
        .await
        .unwrap_err();
    let ErrorKind::Throttled {
        requested,
        available,
        retry_at,
    } = error.kind()
    else {
        panic!("{error}");
    };
    assert_eq!(*requested, Some(Points(300)));
    assert_eq!(*available, Some(200.0));
    assert!(retry_at.is_some());
    assert_eq!(error.context().attempts, 12);
    assert_eq!(shop.level().calls, 0);
}

#[tokio::test(start_paused = true)]
async fn throttles_without_figures_do_not_spin() {
    let till = till_of();
    let bare = || ok(&json!({ "errors": [{ "message": "Throttled" }] }));
    till.script(move |_, _| Act::Instead(bare()));
    let shop = client(&till).build().unwrap();
    let begun = Instant::now();
    let error = shop
        .run::<Spend>(Purchase::of(0, 10, 10))
        .await
        .unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::Throttled { .. }),
        "{error}"
    );
    assert!(
        begun.elapsed() > Duration::from_secs(30),
        "{:?}",
        begun.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn dearer_than_the_bucket_or_any_query_is_never_sent() {
    let till = Till::new(400.0, 20.0, steady(1, 1, 1));
    let shop = client(&till).build().unwrap();
    let limit_of = |error: tollgate::Error| match error.into_kind() {
        ErrorKind::TooDear {
            cost,
            maximum,
            limit,
        } => (cost.get(), maximum.get(), limit),
        other => panic!("{other:?}"),
    };
    let error = shop
        .run::<Spend>(Purchase::of(0, 1001, 1))
        .await
        .unwrap_err();
    assert_eq!(limit_of(error), (1001, 1000, CostLimit::SingleQuery));
    assert_eq!(till.count().requests, 0);
    let _ = shop.run::<Spend>(Purchase::of(1, 10, 10)).await.unwrap();
    let error = shop
        .run::<Spend>(Purchase::of(2, 401, 1))
        .await
        .unwrap_err();
    assert_eq!(limit_of(error), (401, 400, CostLimit::Bucket));
    assert_eq!(till.count().requests, 1);
}

#[tokio::test(start_paused = true)]
async fn four_processes_that_know_nothing_of_each_other_correct_themselves() {
    // The share of throttles stays small although each thinks that it is alone.
    let till = Till::new(1000.0, 100.0, steady(20, 60, 20));
    let workers: Vec<_> = (0..4)
        .map(|worker| {
            let shop = client(&till).build().unwrap();
            tokio::spawn(async move {
                for id in 0..60 {
                    let cost = 20 + (id * 37 + worker * 11) % 80;
                    let purchase = Purchase::of(worker * 100 + id, cost, cost);
                    let _ = shop.run::<Spend>(purchase).await.unwrap();
                }
            })
        })
        .collect();
    for worker in workers {
        worker.await.unwrap();
    }
    let count = till.count();
    assert_eq!(count.ran.len(), 240);
    let share = count.throttled as f64 / count.requests as f64;
    println!("throttled share {share:.3} of {}", count.requests);
    assert!(share < 0.25, "{share}");
}

#[tokio::test(start_paused = true)]
async fn a_bucket_that_does_not_restore_ends_a_call_and_is_told_of() {
    for rate in [0.0, 1e-9, 1e-300] {
        let till = Till::new(1000.0, rate, steady(10, 10, 10));
        let (told, observer) = collect(|event| match &event.what {
            What::Anomaly { anomaly } => Some((anomaly.to_string(), Duration::ZERO)),
            What::Wait { length, .. } => Some(("waits".to_owned(), *length)),
            _ => None,
        });
        let shop = client(&till).observer(observer).build().unwrap();
        let _ = shop
            .run::<Spend>(Purchase::of(1, 1000, 1000))
            .await
            .unwrap();
        let begun = Instant::now();
        let failed = shop.run::<Spend>(Purchase::of(2, 100, 100)).await;
        assert!(matches!(
            failed.unwrap_err().kind(),
            ErrorKind::Throttled { .. }
        ));
        let took = begun.elapsed();
        assert!(took < Duration::from_secs(15 * 60), "{took:?} by {rate}");
        let told = told.lock().unwrap();
        assert!(told[0].0.starts_with("restoreRate is 0"), "{told:?}");
        let waits = told.iter().filter(|(what, _)| what == "waits");
        let longest = waits.map(|(_, length)| *length).max().unwrap();
        assert!(longest <= took, "{longest:?} by {rate}");
    }
}
