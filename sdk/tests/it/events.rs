//! What is told while it happens.

use serde_json::json;
use tollgate::{WaitReason, What};

use crate::{
    client, collect, till as till_of,
    till::{Act, Purchase, Spend, ok, status},
};

#[tokio::test(start_paused = true)]
async fn every_wait_is_announced_when_it_begins() {
    let till = till_of();
    till.script(|number, _| match number {
        1 => Act::Instead(status(503, "")),
        _ => Act::Serve,
    });
    let (waits, observer) = collect(|event| match event.what {
        What::Wait {
            reason,
            length,
            estimate,
            ..
        } => Some((event.attempt, reason, length.as_secs_f64(), estimate.get())),
        _ => None,
    });
    let shop = client(&till).observer(observer).build().unwrap();
    let _ = shop
        .run::<Spend>(Purchase::of(0, 1000, 1000))
        .await
        .unwrap();
    let _ = shop.run::<Spend>(Purchase::of(1, 100, 100)).await.unwrap();
    till.set_level(0.0);
    let _ = shop.run::<Spend>(Purchase::of(2, 50, 50)).await.unwrap();
    let waits = waits.lock().unwrap();
    let reasons: Vec<_> = waits
        .iter()
        .map(|(attempt, reason, ..)| (*attempt, *reason))
        .collect();
    assert_eq!(reasons[0], (0, WaitReason::Points));
    assert_eq!(reasons[1], (1, WaitReason::Backoff));
    assert!(reasons.contains(&(1, WaitReason::Throttled)), "{reasons:?}");
    assert!((1.9..2.01).contains(&waits[0].2), "{waits:?}");
    assert_eq!(waits[0].3, 100);
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_told_with_all_figures() {
    let till = till_of();
    let (told, observer) = collect(|event| {
        let text = format!("{:?}", event.what);
        Some((event.shop.to_owned(), event.operation.to_owned(), text))
    });
    let shop = client(&till).observer(observer).build().unwrap();
    let _ = shop.run::<Spend>(Purchase::of(0, 100, 40)).await.unwrap();
    let told = told.lock().unwrap();
    let kinds: Vec<_> = told
        .iter()
        .map(|(.., what)| what.split(' ').next().unwrap())
        .collect();
    assert_eq!(kinds, ["Answered", "Finished"]);
    let (shop, operation, answered) = &told[0];
    assert_eq!((&**shop, &**operation), ("test.myshopify.com", "Spend"));
    for figure in [
        "requested: Points(100)",
        "actual: Points(40)",
        "available: 960.0",
        "maximum: 1000.0",
        "restore_rate: 50.0",
        "status: 200",
        "r-1",
    ] {
        assert!(answered.contains(figure), "{figure} in {answered}");
    }
}

#[tokio::test(start_paused = true)]
async fn oddities_are_told_and_change_nothing() {
    let till = till_of();
    till.script(|_, _| {
        let mut answer = ok(&json!({ "data": { "spend": 1 }, "extensions": { "cost": {
            "requestedQueryCost": 10, "actualQueryCost": 10,
            "throttleStatus": { "maximumAvailable": 1000, "currentlyAvailable": "much", "restoreRate": 0 },
        } } }))
        .unwrap();
        let headers = answer.headers_mut();
        headers.insert("x-shopify-api-version", "2026-07".parse().unwrap());
        let notice = "https://shopify.dev/api/usage/versioning";
        headers.insert("x-shopify-api-deprecated-reason", notice.parse().unwrap());
        Act::Instead(Ok(answer))
    });
    let (told, observer) = collect(|event| match &event.what {
        What::Anomaly { anomaly } => Some(anomaly.to_string()),
        What::OtherVersion { asked, served } => Some(format!("{asked} by {served}")),
        What::Deprecated { notice } => Some((*notice).to_owned()),
        _ => None,
    });
    let shop = client(&till).observer(observer).build().unwrap();
    for _ in 0..2 {
        let answer = shop.run::<Spend>(Purchase::of(0, 10, 10)).await.unwrap();
        assert_eq!(answer.api_version.as_deref(), Some("2026-07"));
        assert!(answer.deprecation.is_some());
    }
    let told = told.lock().unwrap();
    let count = |text: &str| told.iter().filter(|told| told.contains(text)).count();
    assert_eq!(count("currentlyAvailable is not a number"), 2);
    assert_eq!(count("restoreRate is 0"), 2);
    assert_eq!(count("2026-10 by 2026-07"), 2);
    assert_eq!(count("versioning"), 1, "once per operation and hour");
}
