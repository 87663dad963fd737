//! What is sent again and what is not.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio::time::Instant;
use tollgate::{
    AccessToken, BodyError, Client, Error, ErrorKind, RetryPolicy, TokenSource, TransportError,
    TransportErrorKind, WaitReason, transport::BoxFuture,
};

use crate::{
    client, till as till_of,
    till::{Act, Answer, Purchase, Spend, Write, WriteOnce, ok, status},
};

fn closed() -> Answer {
    Err(TransportError::new(TransportErrorKind::Closed, "reset"))
}

fn refused() -> Answer {
    Err(TransportError::new(TransportErrorKind::Connect, "refused"))
}

fn timed_out() -> Answer {
    Err(TransportError::timeout())
}

fn internal() -> Answer {
    ok(
        &json!({ "data": null, "errors": [{ "message": "Internal error",
        "extensions": { "code": "INTERNAL_SERVER_ERROR", "requestId": "r-9" } }] }),
    )
}

/// A failure and its name.
type Failing = (&'static str, fn() -> Answer);

/// Failures after which the call may have run.
fn perhaps() -> [Failing; 8] {
    [
        ("closed", closed),
        ("timeout", timed_out),
        ("500", || status(500, "")),
        ("502 page", || status(502, "<html>bad gateway</html>")),
        ("504", || status(504, "{}")),
        ("internal", internal),
        ("cut off", || status(200, r#"{"data":{"spe"#)),
        ("empty", || status(200, "")),
    ]
}

/// Failures that prove that it did not.
fn proved() -> [Failing; 3] {
    [
        ("refused", refused),
        ("429", || status(429, "{}")),
        ("430", || status(430, "")),
    ]
}

#[tokio::test(start_paused = true)]
async fn queries_are_repeated_after_any_passing_failure() {
    for (name, failure) in perhaps().into_iter().chain(proved()) {
        let till = till_of();
        till.script(move |number, _| match number {
            0 | 1 => Act::Instead(failure()),
            _ => Act::Serve,
        });
        let shop = client(&till).build().unwrap();
        let answer = shop.run::<Spend>(Purchase::of(1, 10, 10)).await;
        let answer = answer.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(answer.attempts, 3, "{name}");
        assert!(answer.waits.backoff >= Duration::from_millis(750), "{name}");
        assert_eq!(shop.level().calls, 0, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn mutations_that_may_have_run_are_not() {
    for (name, failure) in perhaps() {
        let till = till_of();
        till.script(move |_, _| Act::After(failure()));
        let shop = client(&till).build().unwrap();
        let error = shop
            .run::<Write>(Purchase::of(1, 10, 10))
            .await
            .unwrap_err();
        assert!(error.outcome_is_unknown(), "{name}: {error}");
        assert_eq!(till.count().requests, 1, "{name}");
        assert_eq!(till.count().ran[&1], 1, "{name}");
        let source = std::error::Error::source(&error);
        assert!(source.is_some(), "{name} keeps its cause");
    }
}

#[tokio::test(start_paused = true)]
async fn mutations_that_did_not_run_are() {
    for (name, failure) in proved() {
        let till = till_of();
        till.script(move |number, _| match number {
            0 => Act::Instead(failure()),
            _ => Act::Serve,
        });
        let shop = client(&till).build().unwrap();
        let answer = shop.run::<Write>(Purchase::of(1, 10, 10)).await.unwrap();
        assert_eq!(answer.attempts, 2, "{name}");
        assert_eq!(till.count().ran[&1], 1, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn mutations_with_a_key_are_repeated_with_the_same_key() {
    let till = till_of();
    till.script(|number, _| match number {
        0 | 1 | 3 => Act::After(closed()),
        _ => Act::Serve,
    });
    let shop = client(&till).build().unwrap();
    let first = shop
        .run::<WriteOnce>(Purchase::of(1, 10, 10))
        .await
        .unwrap();
    let second = shop
        .run::<WriteOnce>(Purchase::of(1, 10, 10))
        .await
        .unwrap();
    assert_eq!((first.attempts, second.attempts), (3, 2));
    let keys: Vec<String> = till
        .count()
        .bodies
        .iter()
        .map(|body| {
            let body: Value = serde_json::from_slice(body).unwrap();
            body["variables"]["key"].as_str().unwrap().to_owned()
        })
        .collect();
    assert!(keys[..3].iter().all(|key| *key == keys[0]));
    assert_eq!(keys[3], keys[4]);
    assert_ne!(keys[0], keys[3], "a new call is a new intent");
}

#[tokio::test(start_paused = true)]
async fn lasting_failures_are_not_repeated() {
    type Case = (&'static str, fn(&ErrorKind) -> bool, Answer);
    let graphql = |code: &str| {
        ok(
            &json!({ "data": null, "errors": [{ "message": "m", "path": ["a"],
            "extensions": { "code": code } }] }),
        )
    };
    let lasting: [Case; 10] = [
        (
            "400",
            |k| matches!(k, ErrorKind::Refused { .. }),
            status(400, ""),
        ),
        (
            "401",
            |k| matches!(k, ErrorKind::Unauthorized { .. }),
            status(401, ""),
        ),
        (
            "402",
            |k| matches!(k, ErrorKind::ShopUnavailable { .. }),
            status(402, ""),
        ),
        (
            "403",
            |k| matches!(k, ErrorKind::AccessDenied { .. }),
            status(403, ""),
        ),
        (
            "404",
            |k| matches!(k, ErrorKind::NotFound { .. }),
            status(404, ""),
        ),
        (
            "423",
            |k| matches!(k, ErrorKind::ShopUnavailable { .. }),
            status(423, ""),
        ),
        (
            "302",
            |k| matches!(k, ErrorKind::Redirected { .. }),
            status(302, ""),
        ),
        (
            "denied",
            |k| matches!(k, ErrorKind::AccessDenied { .. }),
            graphql("ACCESS_DENIED"),
        ),
        (
            "bad request",
            |k| matches!(k, ErrorKind::GraphQl(_)),
            graphql("BAD_REQUEST"),
        ),
        (
            "variants",
            |k| matches!(k, ErrorKind::ResourceLimit { .. }),
            graphql("VARIANT_THROTTLE_EXCEEDED"),
        ),
    ];
    for (name, fits, answer) in lasting {
        let till = till_of();
        let mut answer = Some(answer);
        till.script(move |_, _| Act::Instead(answer.take().unwrap()));
        let shop = client(&till).build().unwrap();
        let error = shop
            .run::<Write>(Purchase::of(1, 10, 10))
            .await
            .unwrap_err();
        assert!(fits(error.kind()), "{name}: {error:?}");
        assert_eq!(till.count().requests, 1, "{name}");
        assert!(!error.to_string().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn one_count_for_all_kinds_of_failure() {
    let till = till_of();
    till.script(|number, _| {
        Act::Instead(match number % 3 {
            0 => status(503, ""),
            1 => crate::till::throttled(10, json!({ "currentlyAvailable": 5 })),
            _ => closed(),
        })
    });
    let policy = {
        let mut policy = RetryPolicy::default();
        policy.attempts = 4;
        policy
    };
    let shop = client(&till).retry(policy).build().unwrap();
    let error = shop
        .run::<Spend>(Purchase::of(1, 10, 10))
        .await
        .unwrap_err();
    assert_eq!(error.context().attempts, 4);
    assert_eq!(till.count().requests, 4);
    let once = shop
        .call::<Spend>(Purchase::of(1, 10, 10))
        .retry(RetryPolicy::once());
    assert_eq!(once.await.unwrap_err().context().attempts, 1);
}

#[tokio::test(start_paused = true)]
async fn a_named_time_holds_for_all_calls_of_the_shop() {
    let till = till_of();
    till.script(|number, _| match number {
        0 => Act::Instead({
            let mut answer = status(429, "<html>").unwrap();
            answer
                .headers_mut()
                .insert("retry-after", "7.5".parse().unwrap());
            Ok(answer)
        }),
        _ => Act::Serve,
    });
    let shop = client(&till).build().unwrap();
    let begun = Instant::now();
    let limited = {
        let shop = shop.clone();
        tokio::spawn(async move { shop.run::<Write>(Purchase::of(1, 10, 10)).await })
    };
    tokio::time::sleep(Duration::from_secs(1)).await;
    let _ = shop.run::<Spend>(Purchase::of(2, 10, 10)).await.unwrap();
    assert!(
        begun.elapsed() >= Duration::from_millis(7500),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(limited.await.unwrap().unwrap().attempts, 2);
}

#[tokio::test(start_paused = true)]
async fn a_locked_shop_turns_away_those_who_wait() {
    let till = till_of();
    let shop = client(&till).build().unwrap();
    let _ = shop
        .run::<Spend>(Purchase::of(0, 1000, 1000))
        .await
        .unwrap();
    let waiting: Vec<_> = (1..10)
        .map(|id| {
            let shop = shop.clone();
            tokio::spawn(async move { shop.run::<Spend>(Purchase::of(id, 500, 500)).await })
        })
        .collect();
    till.script(|_, _| Act::Instead(status(423, "")));
    for call in waiting {
        let error = call.await.unwrap().unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::ShopUnavailable { .. }));
    }
    assert_eq!(till.count().requests, 2, "one found out for all");
}

struct Renewing {
    renewals: Arc<AtomicU32>,
    fails: bool,
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

impl TokenSource for Renewing {
    fn token(&self) -> BoxFuture<'_, Result<AccessToken, Failure>> {
        Box::pin(async { Ok("old".into()) })
    }

    fn renew(&self, _: AccessToken) -> BoxFuture<'_, Result<Option<AccessToken>, Failure>> {
        Box::pin(async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            self.renewals.fetch_add(1, Ordering::SeqCst);
            if self.fails {
                return Err("HTTP 520".into());
            }
            Ok(Some("new".into()))
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_token_is_renewed_once_for_all_calls() {
    struct Gatekeeper(crate::till::Till);
    impl tollgate::Transport for Gatekeeper {
        fn send(
            &self,
            request: http::Request<bytes::Bytes>,
            limit: usize,
        ) -> BoxFuture<'_, Answer> {
            if request.headers()["x-shopify-access-token"] == "new" {
                return self.0.send(request, limit);
            }
            Box::pin(async { status(401, r#"{"errors":"Invalid API key or access token"}"#) })
        }
    }

    for fails in [false, true] {
        let renewals = Arc::new(AtomicU32::new(0));
        let source = Renewing {
            renewals: Arc::clone(&renewals),
            fails,
        };
        let shop = Client::builder_with("test.myshopify.com", source)
            .transport(Gatekeeper(till_of()))
            .build()
            .unwrap();
        let calls: Vec<_> = (0..8)
            .map(|id| {
                let shop = shop.clone();
                tokio::spawn(async move { shop.run::<Write>(Purchase::of(id, 10, 10)).await })
            })
            .collect();
        let mut outcomes: Vec<Result<u32, Error>> = Vec::new();
        for call in calls {
            outcomes.push(call.await.unwrap().map(|answer| answer.attempts));
        }
        if fails {
            // Not asked again blindly by the same call; whether it renewed is unknown.
            assert!(renewals.load(Ordering::SeqCst) <= 8);
            for outcome in outcomes {
                assert!(matches!(outcome.unwrap_err().kind(), ErrorKind::Token(_)));
            }
        } else {
            assert_eq!(renewals.load(Ordering::SeqCst), 1);
            assert!(outcomes.into_iter().all(|outcome| outcome.unwrap() <= 2));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_instead_of_json_says_so() {
    let till = till_of();
    till.script(|_, _| {
        let mut page = status(200, "<!DOCTYPE html><p>Hold on").unwrap();
        page.headers_mut()
            .insert("content-type", "text/html".parse().unwrap());
        Act::Instead(Ok(page))
    });
    let shop = client(&till).build().unwrap();
    let error = shop
        .run::<Spend>(Purchase::of(1, 10, 10))
        .await
        .unwrap_err();
    let ErrorKind::Body(BodyError::NotJson {
        content_type,
        excerpt,
    }) = error.kind()
    else {
        panic!("{error}");
    };
    assert_eq!(content_type, "text/html");
    assert!(excerpt.starts_with("<!DOCTYPE"));
    assert_eq!(error.context().status, Some(200));
    assert_eq!(error.context().request_id.as_deref(), Some("r-1"));
}

/// A source that takes its time, and forgets what it had when it is not heard to the end.
struct Slow {
    begun: Arc<AtomicU32>,
    ended: Arc<AtomicU32>,
    time: Duration,
}

impl TokenSource for Slow {
    fn token(&self) -> BoxFuture<'_, Result<AccessToken, Failure>> {
        Box::pin(async {
            self.begun.fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(self.time).await;
            self.ended.fetch_add(1, Ordering::SeqCst);
            Ok("new".into())
        })
    }

    fn renew(&self, _: AccessToken) -> BoxFuture<'_, Result<Option<AccessToken>, Failure>> {
        Box::pin(async { self.token().await.map(Some) })
    }
}

#[tokio::test(start_paused = true)]
async fn a_token_that_is_being_had_outlives_the_call_that_asked_for_it() {
    let [begun, ended] = [(); 2].map(|()| Arc::new(AtomicU32::new(0)));
    let source = Slow {
        begun: Arc::clone(&begun),
        ended: Arc::clone(&ended),
        time: Duration::from_secs(2),
    };
    let till = till_of();
    let shop = Client::builder_with("test.myshopify.com", source);
    let shop = shop.transport(till.clone()).build().unwrap();
    let call = shop.run::<Spend>(Purchase::of(1, 10, 10));
    tokio::time::timeout(Duration::from_secs(1), call)
        .await
        .unwrap_err();
    // A refresh token is of use once: the answer to it must not be lost.
    let _ = shop.run::<Spend>(Purchase::of(2, 10, 10)).await.unwrap();
    let counts = [begun, ended].map(|count| count.load(Ordering::SeqCst));
    assert_eq!(counts, [1, 1]);
}

#[tokio::test(start_paused = true)]
async fn a_deadline_ends_the_wait_for_a_token() {
    let source = Slow {
        begun: Arc::default(),
        ended: Arc::default(),
        time: Duration::from_secs(3600),
    };
    let shop = Client::builder_with("test.myshopify.com", source);
    let shop = shop.transport(till_of()).build().unwrap();
    let begun = Instant::now();
    let call = shop.call::<Spend>(Purchase::of(1, 10, 10));
    let late = call.deadline(Duration::from_secs(5)).await.unwrap_err();
    let token = ErrorKind::Deadline {
        reason: WaitReason::Token,
        retry_at: None,
    };
    assert_eq!(format!("{:?}", late.kind()), format!("{token:?}"));
    assert_eq!(begun.elapsed(), Duration::from_secs(5));
    assert_eq!(late.context().attempts, 0);
    assert!(shop.level().available >= 1990.0);
}

/// Has no token at first.
struct Waking(AtomicU32);

impl TokenSource for Waking {
    fn token(&self) -> BoxFuture<'_, Result<AccessToken, Failure>> {
        Box::pin(async {
            match self.0.fetch_add(1, Ordering::SeqCst) {
                0 => panic!("it is not there yet"),
                1 => Ok("".into()),
                2 => Ok("two\nlines".into()),
                _ => Ok("new".into()),
            }
        })
    }

    fn renew(&self, _: AccessToken) -> BoxFuture<'_, Result<Option<AccessToken>, Failure>> {
        Box::pin(async { Ok(None) })
    }
}

#[tokio::test(start_paused = true)]
async fn a_token_that_cannot_be_sent_is_not_kept() {
    let shop = Client::builder_with("test.myshopify.com", Waking(AtomicU32::new(0)));
    let shop = shop.transport(till_of()).build().unwrap();
    let call = || shop.run::<Spend>(Purchase::of(1, 10, 10));
    assert!(matches!(
        call().await.unwrap_err().kind(),
        ErrorKind::Token(_)
    ));
    for _ in 0..2 {
        let refused = call().await.unwrap_err();
        assert!(matches!(refused.kind(), ErrorKind::Unauthorized { .. }));
    }
    assert!(shop.level().available >= 1990.0);
    let _ = call().await.unwrap();
}
