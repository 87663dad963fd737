//! Alone on a shop nothing is ever throttled, and no time is lost.

use std::sync::Arc;

use tokio::{task::JoinSet, time::Instant};

use crate::{
    client, steady,
    till::{Purchase, Spend, Till},
};

#[tokio::test(start_paused = true)]
async fn one_call_there_and_back() {
    let till = Till::new(1000.0, 50.0, steady(10, 100, 10));
    let shop = client(&till).build().unwrap();
    let answer = shop.run::<Spend>(Purchase::of(7, 100, 30)).await.unwrap();
    assert_eq!(answer.data["spend"], 7);
    assert_eq!(answer.cost.estimated.get(), 100);
    assert_eq!(answer.cost.requested.get(), 100);
    assert_eq!(answer.cost.actual.get(), 30);
    assert_eq!(answer.cost.available, 975.0);
    assert_eq!(answer.attempts, 1);
    assert_eq!(answer.waits.wire.as_millis(), 120);
    assert_eq!(answer.request_id.as_deref(), Some("r-1"));
    assert_eq!(shop.level().maximum, 1000.0);
}

#[tokio::test(start_paused = true)]
async fn three_hundred_calls_of_sixteen_tasks() {
    let way = |number: u64| {
        let run = 20 + number * 37 % 180;
        [15, run, 10].map(std::time::Duration::from_millis)
    };
    let till = Till::new(2000.0, 100.0, way);
    let shop = client(&till).build().unwrap();
    let work: Vec<Purchase> = (0..300)
        .map(|id| {
            let requested = 10 + id * 71 % 290;
            Purchase::of(id, requested, requested - requested * (id % 3) / 4)
        })
        .collect();
    let points: u64 = work.iter().map(|call| call.actual).sum();
    let next = Arc::new(std::sync::Mutex::new(work.into_iter()));
    let begun = Instant::now();
    let mut tasks = JoinSet::new();
    for _ in 0..16 {
        let (shop, next) = (shop.clone(), Arc::clone(&next));
        tasks.spawn(async move {
            loop {
                let Some(call) = next.lock().unwrap().next() else {
                    return;
                };
                let _ = shop.run::<Spend>(call).await.unwrap();
            }
        });
    }
    tasks.join_all().await;
    let took = begun.elapsed().as_secs_f64();
    let least = (points as f64 - 2000.0) / 100.0;
    assert_eq!(till.count().throttled, 0);
    assert_eq!(till.count().requests, 300);
    println!("took {took:.2} s, least {least:.2} s");
    assert!(took < 1.02 * least, "took {took:.2} s, least {least:.2} s");
}
