//! Lies about cost.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::json;
use tokio::time::Instant;
use tollgate::{Client, Event, What};
use tollgate_shop::{Fault, Shop};

use super::ask;
use crate::operations::titles;

/// Whatever the cost block says, the call succeeds, and the ones after it go on.
#[tokio::test(start_paused = true)]
async fn lies_about_cost_change_no_answer_and_brick_nothing() {
    let mut lies = Fault::odd_costs();
    for lie in [
        json!([]),
        json!(true),
        json!({ "throttleStatus": 7, "requestedQueryCost": {} }),
    ] {
        lies.push(Fault::cost(lie));
    }
    let status = |maximum: f64, available: f64, rate: f64| {
        let status = json!({ "maximumAvailable": maximum, "currentlyAvailable": available, "restoreRate": rate });
        Fault::cost(
            json!({ "requestedQueryCost": 7, "actualQueryCost": 7, "throttleStatus": status }),
        )
    };
    lies.extend([
        // Consistent and false: too small for any call, in debt, faster than light.
        status(2.0, 1.0, 1.0),
        status(2000.0, -2000.0, 100.0),
        status(1e300, 1e300, 1e300),
        status(1e-300, 1e-300, 1e-300),
    ]);
    for lie in lies {
        let server = Shop::builder().build().unwrap();
        let anomalies = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&anomalies);
        let shop = Client::builder("hostile.myshopify.com", "shpat_hostile")
            .transport(server.clone())
            .observer(move |event: &Event<'_>| {
                if let What::Anomaly { anomaly } = &event.what {
                    seen.lock().unwrap().push(anomaly.to_string());
                }
            })
            .build()
            .unwrap();
        server.fail_next(lie.clone());
        let _ = ask(&shop)
            .await
            .unwrap_or_else(|error| panic!("{lie:?}: {error}"));
        // An hour of calls: if the lie is believed at all, the truth wins it back.
        let begun = Instant::now();
        let mut answered = false;
        while begun.elapsed() < Duration::from_secs(3600) && !answered {
            answered = titles(&shop, titles::Variables { first: 5 }).await.is_ok();
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        let anomalies = anomalies.lock().unwrap();
        assert!(answered, "{lie:?}, {anomalies:?}: {:?}", shop.level());
        let took = begun.elapsed();
        assert!(took < Duration::from_secs(120), "{lie:?}: {took:?}");
        let level = shop.level();
        assert!(
            (1999.0..=2001.0).contains(&level.maximum),
            "{lie:?}: {level:?}"
        );
        assert!(
            (1000.0..=2000.0).contains(&level.available),
            "{lie:?}: {level:?}"
        );
    }
}
