//! With the client of the SDK, in process and on paused time.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;
use tollgate::{Client, Points};
use tollgate_shop::{Fault, Outcome, Shop};

const READ: &str = "query Read($first: Int!) { products(first: $first) { nodes { id } } }";

fn client(shop: &Shop) -> Client {
    Client::builder("test.myshopify.com", "shpat_test")
        .transport(shop.clone())
        .build()
        .unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_drained_shop_throttles_once_and_the_wait_is_the_deficit() {
    let shop = Shop::builder().drained_before_each_call().build().unwrap();
    for _ in 0..3 {
        // One that knows nothing yet: it takes the bucket for full.
        let client = client(&shop);
        let start = Instant::now();
        let call = client
            .raw(READ, &json!({ "first": 100 }))
            .estimate(Points(11));
        let answer = call.await.unwrap();
        assert_eq!(answer.attempts, 2);
        // 2 + 9 × 1 points at 100 per second, and what the client adds against rounding.
        let waited = start.elapsed();
        let deficit = Duration::from_millis(110);
        assert!(
            waited >= deficit && waited < deficit + Duration::from_millis(60),
            "{waited:?}"
        );
    }
    let outcomes: Vec<_> = shop.log().iter().map(|record| record.outcome).collect();
    assert_eq!(outcomes, [Outcome::Throttled, Outcome::Answered].repeat(3));
}

#[tokio::test(start_paused = true)]
async fn connection_faults_are_transport_errors() {
    let shop = Shop::builder().build().unwrap();
    let client = client(&shop);
    shop.fail_next(Fault::reset());
    shop.fail_next(Fault::closed());
    let answer = client.raw(READ, &json!({ "first": 1 })).await.unwrap();
    assert_eq!(answer.attempts, 3);
    shop.assert_sent("Read", 3);
}
