//! Who shares a bucket.

use std::time::Duration;

use tokio::time::Instant;
use tollgate::{Client, Ledgers};

use crate::{
    client, steady, till as till_of,
    till::{Purchase, Spend, Till},
};

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
