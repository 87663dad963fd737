use std::time::Duration;

use serde_json::{Value, json};
use tollgate_shop::{Disconnected, Fault, Outcome, Shop, Storm};

use super::{ask, catalogue, data, request};

const WRITE: &str = "mutation Write { tagsAdd(id: \"gid://shopify/Product/1\", tags: [\"a\"]) { \
                     node { id } userErrors { message } } }";
const READ: &str = "query Read { products(first: 2) { nodes { id } } shop { name } }";

async fn text(shop: &Shop, query: &str) -> (u16, String, http::HeaderMap) {
    let response = shop.handle(request(query, &json!({}))).await.unwrap();
    let body = String::from_utf8(response.body().to_vec()).unwrap();
    (response.status().as_u16(), body, response.headers().clone())
}

#[tokio::test]
async fn statuses_come_with_errors_as_a_text() {
    let shop = catalogue(2, 1);
    for status in [400, 401, 402, 403, 404, 423, 429, 430, 500, 503] {
        shop.fail_next(Fault::status(status));
        let (given, body, _) = text(&shop, WRITE).await;
        assert_eq!(given, status);
        let body: Value = serde_json::from_str(&body).unwrap();
        assert!(body["errors"].is_string(), "{body}");
    }
    assert_eq!(shop.runs("tagsAdd"), 0);
    assert_eq!(shop.summary().outcomes[&Outcome::Status(503)], 1);
}

#[tokio::test]
async fn a_fault_after_the_execution_leaves_its_effect() {
    let shop = catalogue(2, 1);
    shop.fail_next(Fault::html(504).after_execution());
    let (status, body, headers) = text(&shop, WRITE).await;
    assert_eq!(status, 504);
    assert!(body.starts_with("<!DOCTYPE html>"), "{body}");
    assert_eq!(headers["content-type"], "text/html; charset=utf-8");
    assert_eq!(shop.runs("tagsAdd"), 1);
    assert_eq!(shop.log()[0].ran, ["tagsAdd"]);
    assert!(shop.log()[0].faulty);
}

#[tokio::test]
async fn retry_after_comes_in_every_form() {
    let shop = catalogue(2, 1);
    for value in ["2.0", "1", "Wed, 21 Oct 2015 07:28:00 GMT", "soon"] {
        shop.fail_next_of("Read", Fault::too_many_requests(value));
        let (status, _, headers) = text(&shop, READ).await;
        assert_eq!(
            (status, headers["retry-after"].to_str().unwrap()),
            (429, value)
        );
    }
}

#[tokio::test]
async fn connections_fail_before_or_after_the_execution() {
    let shop = catalogue(2, 1);
    let cases = [
        (Fault::closed(), Disconnected::Closed, 0),
        (Fault::closed().after_execution(), Disconnected::Closed, 1),
        (Fault::reset(), Disconnected::Reset, 1),
        (Fault::reset().after_execution(), Disconnected::Reset, 2),
        (Fault::cut_off(), Disconnected::Closed, 3),
        (Fault::endless_body(), Disconnected::Endless, 4),
    ];
    for (fault, error, runs) in cases {
        shop.fail_next(fault);
        let answer = shop.handle(request(WRITE, &json!({}))).await;
        assert_eq!(answer.unwrap_err(), error);
        assert_eq!(shop.runs("tagsAdd"), runs);
    }
    assert_eq!(shop.summary().outcomes[&Outcome::Lost], 6);
}

#[tokio::test(start_paused = true)]
async fn silence_lasts_until_the_client_gives_up() {
    let shop = catalogue(2, 1);
    for fault in [Fault::silence(), Fault::stalled()] {
        shop.fail_next(fault);
        let call = shop.handle(request(READ, &json!({})));
        let answer = tokio::time::timeout(Duration::from_secs(3600), call).await;
        assert!(answer.is_err());
    }
}

#[tokio::test]
async fn errors_inside_a_200_have_the_shapes_of_the_server() {
    let shop = catalogue(2, 1);

    shop.fail_next(Fault::internal_error());
    let body = ask(&shop, READ, json!({})).await;
    let error = &body["errors"][0];
    assert_eq!(body["data"], Value::Null);
    assert!(body.get("extensions").is_none());
    let id = error["extensions"]["requestId"].as_str().unwrap();
    assert!(error["message"].as_str().unwrap().contains(id));

    shop.fail_next(Fault::field_error());
    let body = ask(
        &shop,
        "{ shop { name } a: job(id: \"gid://shopify/Job/1\") { id } }",
        json!({}),
    )
    .await;
    assert_eq!(body["errors"][0]["path"], json!(["shop"]));
    assert_eq!(
        body["errors"][0]["extensions"]["code"],
        "INTERNAL_SERVER_ERROR"
    );

    shop.fail_next(Fault::variant_throttle());
    let body = ask(&shop, WRITE, json!({})).await;
    assert_eq!(body["data"], json!({ "tagsAdd": null }));
    assert_eq!(body["extensions"]["cost"]["actualQueryCost"], 10);
    assert_eq!(shop.runs("tagsAdd"), 0);

    shop.fail_next(Fault::null_payload());
    let body = ask(&shop, WRITE, json!({})).await;
    assert_eq!(
        body["data"],
        json!({ "tagsAdd": { "node": null, "userErrors": [] } })
    );
    assert!(body["errors"][0].get("path").is_none());
    assert_eq!(shop.runs("tagsAdd"), 1);

    shop.fail_next(Fault::refused("SHOP_PENDING_TERMINATION", "Gone."));
    let body = ask(&shop, WRITE, json!({})).await;
    assert_eq!(
        body,
        json!({"errors": [
            {"message": "Gone.", "extensions": {"code": "SHOP_PENDING_TERMINATION"}},
        ]})
    );
}

#[tokio::test]
async fn throttles_with_head_room_run_nothing() {
    let shop = catalogue(2, 1);
    shop.fail_next(Fault::throttled());
    shop.fail_next(Fault::throttled_without_code());
    for coded in [true, false] {
        let body = ask(&shop, WRITE, json!({})).await;
        assert_eq!(body["errors"][0]["message"], "Throttled");
        assert_eq!(body["errors"][0].get("extensions").is_some(), coded);
        assert!(body.get("data").is_none());
        let cost = &body["extensions"]["cost"];
        assert_eq!(cost["actualQueryCost"], Value::Null);
        assert_eq!(cost["throttleStatus"]["currentlyAvailable"], 2000);
    }
    assert_eq!(shop.runs("tagsAdd"), 0);
}

#[tokio::test]
async fn cost_blocks_come_odd_or_not_at_all() {
    let shop = catalogue(2, 1);
    shop.fail_next(Fault::no_cost());
    let body = ask(&shop, READ, json!({})).await;
    assert!(body.get("extensions").is_none() && body["data"].is_object());

    shop.fail_next(Fault::cost_member(
        "throttleStatus.restoreRate",
        Some(json!("fast")),
    ));
    let body = ask(&shop, READ, json!({})).await;
    let status = &body["extensions"]["cost"]["throttleStatus"];
    assert_eq!(status["restoreRate"], "fast");
    assert!(status["maximumAvailable"].is_f64());

    shop.fail_next(Fault::cost_member("throttleStatus", None));
    let body = ask(&shop, READ, json!({})).await;
    assert!(body["extensions"]["cost"].get("throttleStatus").is_none());
    for fault in Fault::odd_costs() {
        shop.fail_next(fault);
        assert!(ask(&shop, READ, json!({})).await["data"].is_object());
    }
}

#[tokio::test]
async fn bodies_and_headers_break() {
    let shop = catalogue(2, 1);
    shop.fail_next(Fault::truncated_json());
    let (status, body, _) = text(&shop, READ).await;
    assert_eq!(status, 200);
    assert!(serde_json::from_str::<Value>(&body).is_err() && body.starts_with('{'));

    shop.fail_next(Fault::redirect("https://other.example/admin"));
    let (status, _, headers) = text(&shop, READ).await;
    assert_eq!(
        (status, &headers["location"]),
        (301, &"https://other.example/admin".parse().unwrap())
    );

    shop.fail_next(Fault::header("content-type", "text/plain"));
    shop.fail_next(Fault::api_version("2025-01"));
    shop.fail_next(Fault::deprecated("because"));
    assert_eq!(text(&shop, READ).await.2["content-type"], "text/plain");
    assert_eq!(
        text(&shop, READ).await.2["x-shopify-api-version"],
        "2025-01"
    );
    assert_eq!(
        text(&shop, READ).await.2["x-shopify-api-deprecated-reason"],
        "because"
    );
    let plain = text(&shop, READ).await.2;
    assert_eq!(plain["x-shopify-api-version"], "2026-10");
    assert_eq!(plain["content-type"], "application/json; charset=utf-8");
}

#[tokio::test(start_paused = true)]
async fn a_storm_of_every_kind_counts_what_ran() {
    async fn run(seed: u64) -> (u64, u64, Vec<Outcome>) {
        let storm = Storm::of_every_kind(seed, 0.3);
        let shop = Shop::builder()
            .bucket(1_000_000_000, 100)
            .storm(storm)
            .build()
            .unwrap();
        for _ in 0..1_000 {
            let _ = shop.handle(request(WRITE, &json!({}))).await;
        }
        let log = shop.log();
        let ran = log
            .iter()
            .filter(|record| record.ran == ["tagsAdd"])
            .count();
        assert_eq!(u64::try_from(ran).unwrap(), shop.runs("tagsAdd"));
        let outcomes = log.iter().map(|record| record.outcome).collect();
        (shop.summary().faults, shop.runs("tagsAdd"), outcomes)
    }
    let (faults, runs, outcomes) = run(1).await;
    assert!((250..350).contains(&faults), "{faults}");
    assert!((750..950).contains(&runs), "{runs}");
    assert_eq!(outcomes, run(1).await.2);
    assert_ne!(outcomes, run(2).await.2);
}

#[tokio::test]
async fn standing_faults_last_until_recovery() {
    let shop = catalogue(2, 1);
    shop.fail_every(Fault::status(402));
    for _ in 0..3 {
        assert_eq!(text(&shop, READ).await.0, 402);
    }
    shop.recover();
    data(&shop, READ, json!({})).await;

    shop.fail_every_of("Write", Fault::status(503));
    for _ in 0..3 {
        assert_eq!(text(&shop, WRITE).await.0, 503);
        data(&shop, READ, json!({})).await;
    }
    assert_eq!(shop.sent("Write").len(), 3);
}
