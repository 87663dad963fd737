use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, advance};
use tollgate_shop::{Latency, Outcome, Shop};

use super::{ask, data};

const DEAR: &str = "query Dear { products(first: 250) { nodes { variants(first: 250) { nodes { \
                    product { variants(first: 250) { nodes { product { id } } } } } } } } }";
const CHEAP: &str = "query Cheap { shop { name } }";

#[tokio::test(start_paused = true)]
async fn answers_carry_the_cost_in_the_shapes_of_the_server() {
    let shop = Shop::builder().build().unwrap();
    let request = super::request(CHEAP, &json!({}));
    let response = shop.handle(request).await.unwrap();
    let text = std::str::from_utf8(response.body()).unwrap();
    assert!(
        text.ends_with(
            "\"extensions\":{\"cost\":{\"requestedQueryCost\":1,\"actualQueryCost\":1,\
             \"throttleStatus\":{\"maximumAvailable\":2000.0,\"currentlyAvailable\":1999,\
             \"restoreRate\":100.0}}}}"
        ),
        "{text}"
    );
}

#[tokio::test(start_paused = true)]
async fn an_empty_bucket_throttles_until_it_has_restored_enough() {
    let shop = Shop::builder().available(0).build().unwrap();
    let body = ask(&shop, CHEAP, json!({})).await;
    assert_eq!(
        body,
        json!({
            "errors": [{
                "message": "Throttled",
                "extensions": {
                    "code": "THROTTLED",
                    "documentation": "https://shopify.dev/api/usage/rate-limits",
                },
            }],
            "extensions": {"cost": {
                "requestedQueryCost": 1,
                "actualQueryCost": null,
                "throttleStatus": {
                    "maximumAvailable": 2000.0, "currentlyAvailable": 0, "restoreRate": 100.0,
                },
            }},
        })
    );
    advance(Duration::from_millis(10)).await;
    data(&shop, CHEAP, json!({})).await;
    let outcomes: Vec<_> = shop.log().iter().map(|record| record.outcome).collect();
    assert_eq!(outcomes, [Outcome::Throttled, Outcome::Answered]);
}

#[tokio::test(start_paused = true)]
async fn a_price_above_the_maximum_is_refused_before_it_is_charged() {
    let shop = Shop::builder().build().unwrap();
    let body = ask(&shop, DEAR, json!({})).await;
    let error = &body["errors"][0];
    assert_eq!(error["extensions"]["code"], "MAX_COST_EXCEEDED");
    assert_eq!(error["extensions"]["maxCost"], 1000);
    let cost = error["extensions"]["cost"].as_u64().unwrap();
    let beginning = format!(
        "Query cost is {cost}, which exceeds the single query max cost limit (1000).\n\nSee https"
    );
    assert!(error["message"].as_str().unwrap().starts_with(&beginning));
    assert_eq!(body.as_object().unwrap().len(), 1);
    assert_eq!(shop.level().available.get(), 2000);
}

#[tokio::test(start_paused = true)]
async fn drift_asks_more_than_the_price() {
    let shop = Shop::builder().drift("Cheap", 20.0).build().unwrap();
    let body = ask(&shop, CHEAP, json!({})).await;
    assert_eq!(body["extensions"]["cost"]["requestedQueryCost"], 20);
}

#[tokio::test(start_paused = true)]
async fn a_drained_shop_throttles_each_call_once() {
    let shop = Shop::builder().drained_before_each_call().build().unwrap();
    for _ in 0..3 {
        let body = ask(&shop, CHEAP, json!({})).await;
        assert_eq!(body["errors"][0]["message"], "Throttled");
        advance(Duration::from_millis(10)).await;
        data(&shop, CHEAP, json!({})).await;
    }
    assert_eq!(shop.summary().throttled(), 3);
}

#[tokio::test(start_paused = true)]
async fn latency_passes_on_the_clock_of_tokio() {
    let latency = Latency::fixed(Duration::from_millis(250));
    let shop = Shop::builder().latency(latency).build().unwrap();
    let start = Instant::now();
    data(&shop, CHEAP, json!({})).await;
    assert_eq!(start.elapsed(), Duration::from_millis(250));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_gives_up_leaves_no_points_behind() {
    let latency = Latency::fixed(Duration::from_secs(5));
    let shop = Shop::builder()
        .bucket(2000, 0)
        .latency(latency)
        .build()
        .unwrap();
    let call = ask(&shop, CHEAP, json!({}));
    let gone = tokio::time::timeout(Duration::from_secs(1), call).await;
    assert!(gone.is_err());
    let log = shop.log();
    assert_eq!(log[0].outcome, Outcome::Lost);
    assert_eq!(
        shop.level().available.get(),
        2000 - log[0].actual.unwrap().get()
    );
}

#[tokio::test(start_paused = true)]
async fn limits_change_between_answers() {
    let shop = Shop::builder().build().unwrap();
    shop.set_limits(500, 50);
    let body = ask(&shop, CHEAP, json!({})).await;
    let status = &body["extensions"]["cost"]["throttleStatus"];
    assert_eq!(status["maximumAvailable"], Value::from(500.0));
    assert_eq!(status["currentlyAvailable"], 499);
    assert_eq!(status["restoreRate"], Value::from(50.0));
}

#[tokio::test(start_paused = true)]
async fn the_debug_header_brings_the_price_of_every_field() {
    let shop = Shop::builder().build().unwrap();
    let query = "query($n: Int!) { products(first: $n) { nodes { featuredMedia { id } } } }";
    let mut request = super::request(query, &json!({ "n": 10 }));
    let header = ("shopify-graphql-cost-debug", "1".parse().unwrap());
    request.headers_mut().insert(header.0, header.1);
    let response = shop.handle(request).await.unwrap();
    let body: Value = serde_json::from_slice(response.body()).unwrap();
    let fields = body["extensions"]["cost"]["fields"].as_array().unwrap();
    let media = json!({
        "path": ["products", "nodes", "featuredMedia"],
        "definedCost": 1,
        "requestedTotalCost": 1,
        "requestedChildrenCost": fields[0]["requestedChildrenCost"],
    });
    assert!(fields.contains(&media), "{fields:?}");
    // 2 + 4 × (1 + 1), of which the nodes are one.
    let products = fields.last().unwrap();
    assert_eq!(products["path"], json!(["products"]));
    assert_eq!(products["definedCost"], Value::Null);
    let total = &body["extensions"]["cost"]["requestedQueryCost"];
    assert_eq!(&products["requestedTotalCost"], total);
}
