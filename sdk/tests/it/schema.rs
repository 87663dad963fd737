//! The names of events, their fields and the metrics: programs and dashboards rely on them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Debug,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::json;
use tracing::{
    Event, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    Layer,
    layer::{Context, SubscriberExt as _},
};

use crate::{
    client, till as till_of,
    till::{Act, Purchase, Spend, ok, status},
};

/// By message, the level and the fields beside `shop`, `operation` and `attempt`.
const EVENTS: [(&str, &str, &str); 9] = [
    ("waiting", "DEBUG", "available estimate reason wait_ms"),
    (
        "answered",
        "DEBUG",
        "actual available estimate maximum request_id requested restore_rate status wire_ms",
    ),
    ("attempt failed", "DEBUG", "reason"),
    (
        "finished",
        "DEBUG",
        "actual available backoff_ms estimate gate_ms ok requested throttled_ms wire_ms",
    ),
    (
        "the server's price is not ours",
        "WARN",
        "estimate requested",
    ),
    ("a figure makes no sense", "WARN", "reason"),
    ("others spent points", "DEBUG", "points rate"),
    ("served by another API version", "WARN", "asked served"),
    ("deprecated", "WARN", "reason"),
];

/// The names of fields by message and level.
type ByEvent = BTreeMap<(String, String), BTreeSet<String>>;

/// Takes down which fields each event has.
#[derive(Clone, Default)]
struct Fields(Arc<Mutex<ByEvent>>);

#[derive(Default)]
struct Seen {
    message: String,
    fields: BTreeSet<String>,
}

impl Visit for Seen {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
        } else {
            self.fields.insert(field.name().to_owned());
        }
    }
}

impl<S: Subscriber> Layer<S> for Fields {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if event.metadata().target() != "tollgate" {
            return;
        }
        let mut seen = Seen::default();
        event.record(&mut seen);
        let level = event.metadata().level().to_string();
        let mut all = self.0.lock().unwrap();
        all.entry((seen.message, level))
            .or_default()
            .extend(seen.fields);
    }
}

/// A life with everything in it: waits, a throttle, a failure, a drift, others, an oddity.
async fn everything() {
    let till = till_of();
    till.script(|number, _| match number {
        2 => Act::Instead(status(503, "")),
        3 => {
            let cost = json!({ "requestedQueryCost": 10, "actualQueryCost": 10,
                "throttleStatus": { "maximumAvailable": 1000, "currentlyAvailable": "much" } });
            let body = json!({ "data": { "spend": 1 }, "extensions": { "cost": cost } });
            let mut answer = ok(&body).unwrap();
            let headers = answer.headers_mut();
            headers.insert("x-shopify-api-version", "2026-07".parse().unwrap());
            headers.insert("x-shopify-api-deprecated-reason", "old".parse().unwrap());
            Act::Instead(Ok(answer))
        }
        _ => Act::Serve,
    });
    let shop = client(&till).build().unwrap();
    let spend = async |requested: u64, price: u64| {
        let purchase = Purchase {
            price,
            ..Purchase::of(1, requested, requested)
        };
        shop.run::<Spend>(purchase).await.unwrap()
    };
    let _ = spend(900, 900).await;
    // Waits for points, fails once, is answered oddly.
    let _ = spend(300, 300).await;
    let _ = spend(10, 10).await;
    let _ = spend(30, 20).await;
    // Others empty the bucket while it is believed to fill: the next call is throttled.
    tokio::time::sleep(Duration::from_secs(30)).await;
    till.set_level(0.0);
    let _ = spend(400, 400).await;
}

#[test]
fn events_have_the_fields_they_are_said_to_have() {
    let fields = Fields::default();
    let subscriber = tracing_subscriber::registry().with(fields.clone());
    // See the test of the token: with a single subscriber other threads would switch places off.
    let _second = tracing::Dispatch::new(tracing::subscriber::NoSubscriber::default());
    tracing::subscriber::with_default(subscriber, || paused(everything()));
    let seen = fields.0.lock().unwrap();
    for (message, level, expected) in EVENTS {
        let key = (message.to_owned(), level.to_owned());
        let Some(fields) = seen.get(&key) else {
            panic!("{key:?} did not happen: {seen:?}");
        };
        let mut all: BTreeSet<_> = expected.split(' ').collect();
        all.extend(["shop", "operation", "attempt"]);
        let fields: BTreeSet<_> = fields.iter().map(String::as_str).collect();
        assert_eq!(fields, all, "{message}");
    }
    assert_eq!(seen.len(), EVENTS.len(), "{seen:?}");
}

fn paused(work: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap()
        .block_on(work);
}

#[cfg(feature = "metrics")]
mod measured {
    use std::{
        collections::BTreeMap,
        sync::{Arc, Mutex},
    };

    use metrics::{
        Counter, CounterFn, Gauge, GaugeFn, Histogram, HistogramFn, Key, KeyName, Metadata,
        Recorder, SharedString, Unit,
    };

    /// By name, the names of the labels and the sum of all that was recorded.
    #[derive(Clone, Default)]
    struct Book(Arc<Mutex<BTreeMap<String, (String, f64)>>>);

    struct Page {
        book: Book,
        name: String,
        labels: String,
    }

    impl Page {
        fn add(&self, value: f64) {
            let mut book = self.book.0.lock().unwrap();
            let entry = book.entry(self.name.clone()).or_default();
            entry.0.clone_from(&self.labels);
            entry.1 += value;
        }
    }

    impl CounterFn for Page {
        fn increment(&self, value: u64) {
            self.add(value as f64);
        }

        fn absolute(&self, _: u64) {
            panic!("counters are only counted up");
        }
    }

    impl GaugeFn for Page {
        fn increment(&self, value: f64) {
            self.add(value);
        }

        fn decrement(&self, value: f64) {
            self.add(-value);
        }

        fn set(&self, value: f64) {
            self.add(value);
        }
    }

    impl HistogramFn for Page {
        fn record(&self, value: f64) {
            self.add(value);
        }
    }

    impl Book {
        fn page(&self, key: &Key) -> Arc<Page> {
            let labels: Vec<_> = key.labels().map(|label| label.key().to_owned()).collect();
            Arc::new(Page {
                book: self.clone(),
                name: key.name().to_owned(),
                labels: labels.join(" "),
            })
        }
    }

    impl Recorder for Book {
        fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
        fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
        fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

        fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
            Counter::from_arc(self.page(key))
        }

        fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
            Gauge::from_arc(self.page(key))
        }

        fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
            Histogram::from_arc(self.page(key))
        }
    }

    #[test]
    fn calls_are_counted_and_timed() {
        let book = Book::default();
        metrics::with_local_recorder(&book, || super::paused(super::everything()));
        let seen = book.0.lock().unwrap();
        let labels = |name: &str| seen[name].0.as_str();
        let value = |name: &str| seen[name].1;
        // Five calls; one failed attempt of HTTP 503, one of a throttle.
        assert_eq!(value("tollgate_calls_total"), 5.0);
        assert_eq!(value("tollgate_requests_total"), 7.0);
        assert_eq!(value("tollgate_failed_attempts_total"), 2.0);
        assert_eq!(value("tollgate_drift_total"), 1.0);
        assert!(value("tollgate_points_total") >= 900.0 + 10.0 + 30.0 + 400.0);
        assert!(value("tollgate_wait_seconds") > 4.0);
        assert!(value("tollgate_wire_seconds") > 0.1);
        assert!(value("tollgate_available_points") > 0.0);
        assert_eq!(labels("tollgate_calls_total"), "shop operation ok");
        assert_eq!(labels("tollgate_wait_seconds"), "shop operation reason");
        assert_eq!(labels("tollgate_available_points"), "shop");
        for name in [
            "tollgate_requests_total",
            "tollgate_failed_attempts_total",
            "tollgate_drift_total",
            "tollgate_points_total",
            "tollgate_wire_seconds",
        ] {
            assert_eq!(labels(name), "shop operation", "{name}");
        }
        assert_eq!(seen.len(), 8, "{:?}", seen.keys());
    }
}
