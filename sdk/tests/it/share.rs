//! Who shares a bucket.

use std::{
    future::{Future, poll_fn},
    pin::{Pin, pin},
    task::Poll,
    time::Duration,
};

use tokio::time::Instant;
use tollgate::{
    Client, Ledgers,
    shared::{Bucket, InProcess, Store as _},
};

use crate::{
    client, steady, till as till_of,
    till::{Purchase, Spend, Till},
};

async fn poll_once<F: Future>(mut future: Pin<&mut F>) -> Poll<F::Output> {
    poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await
}

#[test]
fn clients_can_be_passed_around() {
    fn check<T: Send + Sync + Clone + 'static>() {}
    check::<Client>();
    fn sendable<T: Send>(_: &T) {}
    let till = Till::new(1.0, 1.0, steady(0, 0, 0));
    let shop = client(&till).build().unwrap();
    let call = shop.run::<Spend>(Purchase::default());
    sendable(&call);
    assert!(size_of_val(&call) < 1024, "{}", size_of_val(&call));
}

#[tokio::test(start_paused = true)]
async fn the_bucket_belongs_to_app_and_shop_whatever_the_token() {
    let till = till_of();
    let ledgers = Ledgers::new();
    let of = |shop: &str, token: &str, app: &str| {
        let builder = Client::builder(shop, token).transport(till.clone());
        builder.ledger(&ledgers).app_id(app).build().unwrap()
    };
    let first = of("a.myshopify.com", "token one", "app");
    let second = of("a.myshopify.com", "token two", "app");
    let other_app = of("a.myshopify.com", "token one", "other");
    let other_shop = of("b.myshopify.com", "token one", "app");
    let _ = first.run::<Spend>(Purchase::of(1, 900, 900)).await.unwrap();
    assert!(second.level().available < 200.0);
    assert_eq!(other_app.level().available, 2000.0);
    assert_eq!(other_shop.level().available, 2000.0);
    assert_eq!(ledgers.len(), 3);
    // They queue together: no throttle, although each has only its own calls in view.
    let tasks: Vec<_> = [first, second]
        .into_iter()
        .map(|shop| {
            tokio::spawn(async move {
                for id in 0..5 {
                    let _ = shop.run::<Spend>(Purchase::of(id, 200, 200)).await.unwrap();
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(till.count().throttled, 0);
}

#[tokio::test(start_paused = true)]
async fn shops_do_not_hold_each_other_up() {
    let tills = [till_of(), till_of()];
    let [empty, full] = [0, 1].map(|n| client(&tills[n]).build().unwrap());
    let _ = empty
        .run::<Spend>(Purchase::of(1, 1000, 1000))
        .await
        .unwrap();
    let begun = Instant::now();
    let waiting = {
        let shop = empty.clone();
        tokio::spawn(async move { shop.run::<Spend>(Purchase::of(2, 900, 900)).await })
    };
    let _ = full.run::<Spend>(Purchase::of(3, 900, 900)).await.unwrap();
    assert!(begun.elapsed() < Duration::from_secs(1));
    let _ = waiting.await.unwrap().unwrap();
    assert!(begun.elapsed() > Duration::from_secs(17));
}

#[tokio::test(start_paused = true)]
async fn what_a_store_grants_to_nobody_goes_back() {
    let store = InProcess::new();
    let ledgers = Ledgers::in_store(store.clone(), "a", Duration::from_millis(50));
    let shop = client(&till_of()).ledger(&ledgers).build().unwrap();
    let bucket = Bucket::new("", "test.myshopify.com");
    {
        let mut asking = pin!(shop.try_admit::<Spend>(Purchase::of(1, 100, 100)));
        assert!(poll_once(asking.as_mut()).await.is_pending());
        // The store replies, and nobody comes to hear it.
        tokio::time::sleep(Duration::from_millis(1)).await;
        let standing = store.read(&bucket).await.unwrap().unwrap();
        assert_eq!(standing.level.calls, 1);
    }
    tokio::time::sleep(Duration::from_millis(1)).await;
    let standing = store.read(&bucket).await.unwrap().unwrap();
    assert_eq!(standing.level.calls, 0, "{standing:?}");
}

#[tokio::test(start_paused = true)]
async fn attempts_without_an_end_have_leases_that_a_store_can_keep() {
    let store = InProcess::new();
    let ledgers = Ledgers::in_store(store.clone(), "a", Duration::from_millis(50));
    let till = till_of();
    let shop = client(&till).ledger(&ledgers);
    let shop = shop.attempt_timeout(Duration::MAX).build().unwrap();
    for id in 0..3 {
        let _ = shop.run::<Spend>(Purchase::of(id, 900, 10)).await.unwrap();
    }
    let bucket = Bucket::new("", "test.myshopify.com");
    assert!(store.read(&bucket).await.unwrap().unwrap().level.known);
}
