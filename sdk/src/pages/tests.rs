use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};
use tollgate_cost::{CostError, Plan, Points};

use super::*;
use crate::transport::BoxFuture;
use crate::{
    Client, DecodeError, ErrorKind, OperationKind, ResumeError, ResumeToken, Transport,
    TransportError,
};

/// `query Numbers($first: Int!, $after: String, $of: String)`.
struct Numbers;

#[derive(Clone, Default)]
struct Variables {
    first: Option<i64>,
    after: Option<String>,
    of: &'static str,
}

static PLAN: Plan = Plan::constant(Points(1));

impl Operation for Numbers {
    type Variables = Variables;
    type Data = Value;
    const NAME: &'static str = "Numbers";
    const KIND: OperationKind = OperationKind::Query;
    const DOCUMENT: &'static str = "query Numbers{numbers}";
    const PLAN: &'static Plan = &PLAN;
    const MAX_COST: Points = Points(252);

    fn cost(variables: &Variables) -> Result<Points, CostError> {
        Ok(Points(2 + variables.first.unwrap_or(0).unsigned_abs()))
    }

    fn encode(variables: &Variables, out: &mut Vec<u8>) {
        let Variables { first, after, of } = variables;
        let text = json!({ "first": first, "after": after, "of": of }).to_string();
        out.extend_from_slice(text.as_bytes());
    }

    fn decode(data: &str) -> Result<Value, DecodeError> {
        Ok(serde_json::from_str(data).unwrap())
    }
}

impl Paginated for Numbers {
    type Item = u64;
    const LARGEST: u32 = 250;

    fn size(variables: &Variables) -> Option<i64> {
        variables.first
    }

    fn set_size(variables: &mut Variables, size: i64) -> bool {
        variables.first = Some(size);
        true
    }

    fn set_cursor(variables: &mut Variables, cursor: Option<String>) {
        variables.after = cursor;
    }

    fn page_info(data: &Value) -> Option<PageInfo<'_>> {
        Some(PageInfo {
            has_more: data["more"].as_bool()?,
            end: data["end"].as_str(),
        })
    }

    fn count(data: &Value) -> usize {
        data["nodes"].as_array().map_or(0, Vec::len)
    }

    fn into_items(data: Value) -> Vec<u64> {
        let nodes = data["nodes"].as_array().cloned().unwrap_or_default();
        nodes.iter().filter_map(Value::as_u64).collect()
    }
}

/// The cursor and the size of a page that was asked for.
type Asked = (Option<String>, u64);
/// The answer to the request of a number, by its variables.
type Answering = dyn Fn(u64, &Value) -> Option<Value> + Send + Sync;

/// A server of the numbers below `count`; the cursor of a page is its last number.
#[derive(Clone)]
struct Shelf {
    count: u64,
    asked: Arc<Mutex<Vec<Asked>>>,
    answer: Arc<Answering>,
}

impl Shelf {
    fn of(count: u64) -> Self {
        Self::with(count, |_, _| None)
    }

    /// `answer` may answer the call of a number, from 0, in another way.
    fn with(
        count: u64,
        answer: impl Fn(u64, &Value) -> Option<Value> + Send + Sync + 'static,
    ) -> Self {
        Self {
            count,
            asked: Arc::default(),
            answer: Arc::new(answer),
        }
    }

    fn client(&self) -> Client {
        self.client_of("test.myshopify.com")
    }

    fn client_of(&self, shop: &str) -> Client {
        let builder = Client::builder(shop, "token").transport(self.clone());
        builder.build().unwrap()
    }

    fn calls(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    fn sizes(&self) -> Vec<u64> {
        self.asked
            .lock()
            .unwrap()
            .iter()
            .map(|(_, size)| *size)
            .collect()
    }

    fn page(&self, variables: &Value) -> Value {
        let first = variables["first"].as_u64().unwrap();
        let after = variables["after"].as_str();
        let start = after.map_or(0, |after| after.parse::<u64>().unwrap() + 1);
        let end = (start + first).min(self.count);
        let nodes: Vec<_> = (start..end).collect();
        json!({ "data": {
            "nodes": nodes,
            "more": end < self.count,
            "end": nodes.last().map(ToString::to_string),
        }})
    }
}

impl Transport for Shelf {
    fn send(
        &self,
        request: http::Request<Bytes>,
        _: usize,
    ) -> BoxFuture<'_, Result<http::Response<Bytes>, TransportError>> {
        let body: Value = serde_json::from_slice(request.body()).unwrap();
        let variables = &body["variables"];
        let number = {
            let mut asked = self.asked.lock().unwrap();
            let after = variables["after"].as_str().map(str::to_owned);
            asked.push((after, variables["first"].as_u64().unwrap()));
            asked.len() as u64 - 1
        };
        let answer = (self.answer)(number, variables).unwrap_or_else(|| self.page(variables));
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(100)).await;
            if answer == "late" {
                return Err(TransportError::timeout());
            }
            Ok(http::Response::new(answer.to_string().into()))
        })
    }
}

async fn all(mut items: Items<Numbers>) -> Result<Vec<u64>, PageError> {
    let mut taken = Vec::new();
    while let Some(item) = items.next().await {
        taken.push(item?);
    }
    assert!(items.next().await.is_none(), "an ended stream stays ended");
    Ok(taken)
}

#[tokio::test(start_paused = true)]
async fn every_count_around_a_page_is_whole_and_costs_no_empty_call() {
    for (count, calls) in [
        (0, 1),
        (1, 1),
        (249, 1),
        (250, 1),
        (251, 2),
        (500, 2),
        (501, 3),
    ] {
        let shelf = Shelf::of(count);
        let items = shelf.client().items::<Numbers>(Variables::default());
        assert_eq!(all(items).await.unwrap(), (0..count).collect::<Vec<_>>());
        assert_eq!(shelf.calls(), calls, "{count} items");
    }
}

#[tokio::test(start_paused = true)]
async fn what_does_not_end_as_it_should_is_an_error() {
    let broken = |more: Value, end: Value| {
        let shelf = Shelf::with(1000, move |number, variables| {
            let nodes = [variables["after"].as_str().unwrap_or("start")];
            (number >= 2).then(|| json!({"data": {"nodes": nodes, "more": more, "end": end}}))
        });
        async move {
            let items = shelf.client().items::<Numbers>(Variables::default());
            (all(items).await.unwrap_err(), shelf.calls())
        }
    };
    let (error, calls) = broken(json!(true), json!("499")).await;
    assert!(matches!(&error, PageError::RepeatedCursor { page: 3, cursor } if cursor == "499"));
    assert_eq!(calls, 3);
    // Not the one before: a circle.
    let (error, _) = broken(json!(true), json!("249")).await;
    assert!(matches!(error, PageError::RepeatedCursor { page: 3, .. }));
    for none in [json!(null), json!("")] {
        let (error, _) = broken(json!(true), none).await;
        assert!(
            matches!(error, PageError::NullCursor { page: 3 }),
            "{error}"
        );
    }
    let (error, _) = broken(json!(null), json!("x")).await;
    assert!(matches!(error, PageError::MissingPageInfo { page: 3 }));
}

#[tokio::test(start_paused = true)]
async fn an_empty_page_with_more_behind_it_is_no_end() {
    let shelf = Shelf::with(1000, |number, _| {
        (number == 1).then(|| json!({"data": {"nodes": [], "more": true, "end": "499"}}))
    });
    let items = shelf.client().items::<Numbers>(Variables::default());
    assert_eq!(all(items).await.unwrap().len(), 750);
}

#[tokio::test(start_paused = true)]
async fn as_many_pages_are_fetched_ahead_as_asked() {
    for ahead in [0, 1, 3] {
        let shelf = Shelf::of(5000);
        let mut pages = shelf
            .client()
            .pages::<Numbers>(Variables::default())
            .prefetch(ahead);
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert_eq!(shelf.calls(), 0, "nothing before the first poll");
        for taken in 1..4 {
            assert_eq!(pages.next().await.unwrap().unwrap().number, taken);
            tokio::time::sleep(Duration::from_secs(60)).await;
            assert_eq!(shelf.calls() as u64, taken + ahead as u64);
        }
        drop(pages);
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert_eq!(shelf.calls() as u64, 3 + ahead as u64);
    }
}

#[tokio::test(start_paused = true)]
async fn a_walk_goes_on_from_any_place_in_another_process() {
    let variables = || Variables {
        first: Some(7),
        ..Variables::default()
    };
    for stop in [0_u64, 1, 6, 7, 8, 20, 30] {
        let shelf = Shelf::of(30);
        let mut items = shelf.client().items::<Numbers>(variables());
        let mut taken = Vec::new();
        for _ in 0..stop {
            taken.push(items.next().await.unwrap().unwrap());
        }
        let text = items.token().unwrap().to_string();
        drop(items);
        let token: ResumeToken = text.parse().unwrap();
        // Another page size does not matter.
        let other = Variables {
            first: Some(4),
            ..Variables::default()
        };
        let items = shelf
            .client()
            .items::<Numbers>(other)
            .resume(&token)
            .unwrap();
        taken.extend(all(items).await.unwrap());
        assert_eq!(taken, (0..30).collect::<Vec<_>>(), "stopped after {stop}");
    }
}

#[test]
fn a_token_is_of_one_shop_operation_and_variables() {
    let shelf = Shelf::of(9);
    let client = shelf.client();
    let items = || client.items::<Numbers>(Variables::default());
    let token = items().token().unwrap().clone();
    let refuse = |items: Items<Numbers>, token: &ResumeToken| match items.resume(token) {
        Err(PageError::Resume(error)) => error,
        _ => panic!("resumed"),
    };
    let other = shelf
        .client_of("other.myshopify.com")
        .items::<Numbers>(Variables::default());
    assert!(matches!(refuse(other, &token), ResumeError::OtherShop(_)));
    let filtered = Variables {
        of: "tag:x",
        ..Variables::default()
    };
    let error = refuse(client.items::<Numbers>(filtered), &token);
    assert!(matches!(error, ResumeError::OtherOperation(_)));
    let text = token.to_string();
    assert!(!text.contains("token\""), "{text}");
    let newer: ResumeToken = text
        .replace("\"version\":1", "\"version\":2")
        .parse()
        .unwrap();
    assert_eq!(refuse(items(), &newer), ResumeError::Version(2));
    let bulk = r#"{"bulk":{"id":"x","grouped":false,"taken":0}}"#;
    let bulk = text
        .replace(r#"{"page":{"cursor":null,"taken":0}}"#, bulk)
        .parse()
        .unwrap();
    assert_eq!(refuse(items(), &bulk), ResumeError::OtherKind);
    assert!("{}".parse::<ResumeToken>().is_err());
}

fn too_dear() -> Value {
    json!({"errors": [{
        "message": "Query cost is 1200, which exceeds the single query max cost limit (1000).",
        "extensions": {"code": "MAX_COST_EXCEEDED", "cost": 1200, "maxCost": 1000},
    }]})
}

#[tokio::test(start_paused = true)]
async fn pages_shrink_when_they_are_too_dear_or_too_late() {
    for failure in [too_dear(), json!("late")] {
        let shelf = Shelf::with(2000, move |_, variables| {
            (variables["first"].as_u64() > Some(100)).then(|| failure.clone())
        });
        let items = shelf.client().items::<Numbers>(Variables::default());
        assert_eq!(all(items).await.unwrap().len(), 2000);
        let sizes = shelf.sizes();
        assert_eq!(sizes[0], 250);
        assert!(sizes.contains(&62), "{sizes:?}");
        // A larger page is tried again after a while, not at once.
        let again = sizes.iter().rposition(|size| *size > 100).unwrap();
        assert!(again > 8 && again < sizes.len() - 1, "{sizes:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_fixed_size_is_kept_and_its_failure_told() {
    let shelf = Shelf::with(2000, |number, _| (number == 2).then(too_dear));
    let pages = shelf.client().pages::<Numbers>(Variables::default());
    let items = pages.page_size(PageSize::Fixed(120)).items();
    let error = all(items).await.unwrap_err();
    let PageError::Call {
        page: 3,
        cursor,
        source,
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!(cursor.as_deref(), Some("239"));
    assert!(matches!(
        source.kind(),
        ErrorKind::TooDear {
            cost: Points(1200),
            maximum: Points(1000),
            ..
        }
    ));
    assert_eq!(shelf.sizes(), [120, 120, 120]);
}

#[tokio::test(start_paused = true)]
async fn the_size_of_the_caller_and_the_price_bound_pages() {
    let shelf = Shelf::of(300);
    let asked = Variables {
        first: Some(90),
        ..Variables::default()
    };
    all(shelf.client().items::<Numbers>(asked)).await.unwrap();
    assert_eq!(shelf.sizes(), [90; 4]);
    let shelf = Shelf::of(300);
    let tight = Client::builder("test.myshopify.com", "token")
        .transport(shelf.clone())
        .single_query_maximum(Points(102));
    all(tight
        .build()
        .unwrap()
        .items::<Numbers>(Variables::default()))
    .await
    .unwrap();
    assert_eq!(shelf.sizes(), [100; 3]);
}

#[tokio::test(start_paused = true)]
async fn a_size_that_no_page_has_is_refused_before_anything_is_sent() {
    let shelf = Shelf::of(300);
    for size in [0, -1, 251] {
        let asked = Variables {
            first: Some(size),
            ..Variables::default()
        };
        let error = all(shelf.client().items::<Numbers>(asked))
            .await
            .unwrap_err();
        assert!(matches!(error, PageError::Size { asked, largest: 250 } if asked == size));
    }
    assert_eq!(shelf.calls(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_refused_cursor_is_in_the_error_and_not_tried_again() {
    let shelf = Shelf::with(300, |_, _| {
        Some(json!({"data": null, "errors": [{
            "message": "Malformed cursor", "path": ["numbers"], "extensions": {"code": "BAD_REQUEST"},
        }]}))
    });
    let pages = shelf
        .client()
        .pages::<Numbers>(Variables::default())
        .after("nonsense");
    let error = all(pages.items()).await.unwrap_err();
    assert!(matches!(&error, PageError::Call { cursor: Some(cursor), .. } if cursor == "nonsense"));
    assert_eq!(shelf.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_progress_is_that_of_the_nodes_taken() {
    let shelf = Shelf::of(750);
    let pages = shelf
        .client()
        .pages::<Numbers>(Variables::default())
        .expect(750);
    let mut items = pages.items();
    for _ in 0..250 {
        items.next().await.unwrap().unwrap();
    }
    let progress = items.progress();
    assert_eq!(
        (progress.done, progress.calls, progress.total),
        (250, 1, Some(750))
    );
    assert_eq!(progress.elapsed, Duration::from_millis(100));
    assert_eq!(progress.left(), Some(Duration::from_millis(200)));
}

#[test]
fn a_walk_is_forecast_from_a_count() {
    let client = Shelf::of(0).client();
    let pages = || client.pages::<Numbers>(Variables::default());
    for (nodes, calls) in [(0, 1), (1, 1), (249, 1), (250, 1), (251, 2), (100_000, 400)] {
        let forecast = pages().forecast(nodes).unwrap();
        assert_eq!((forecast.calls, forecast.requested), (calls, Points(252)));
    }
    let small = pages().page_size(PageSize::Fixed(10));
    let forecast = small.forecast(100).unwrap();
    assert_eq!((forecast.calls, forecast.requested), (10, Points(12)));
    assert_eq!(forecast.points, 120.0);
    let none = pages().page_size(PageSize::Fixed(251));
    assert!(matches!(none.forecast(1), Err(PageError::Size { .. })));
}

#[test]
fn what_a_nested_connection_lacks_can_be_told() {
    let info = |has_more, end| PageInfo { has_more, end }.rest();
    assert_eq!(info(false, Some("x")).unwrap(), None);
    assert_eq!(info(true, Some("x")).unwrap(), Some("x"));
    assert!(matches!(
        info(true, None),
        Err(PageError::NullCursor { .. })
    ));
}
