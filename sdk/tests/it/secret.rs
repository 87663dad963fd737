//! The token is nowhere to be seen.

use std::{
    error::Error as _,
    fmt::Write as _,
    io,
    sync::{Arc, Mutex},
};

use serde_json::json;
use tollgate::{AccessToken, Client, TransportError, TransportErrorKind};
use tracing_subscriber::fmt::MakeWriter;

use crate::{
    collect, till as till_of,
    till::{Act, Answer, Purchase, Spend, Write, ok, status},
};

const CANARY: &str = "shpat_canary0123456789abcdef";

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Lines {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

/// Answers of a server that repeats the token wherever it can.
fn tattling() -> Vec<Answer> {
    let text = format!("token {CANARY} is not valid");
    let error = json!([{ "message": text, "path": [CANARY], "extensions": { "code": "X", "requestId": CANARY, "t": text } }]);
    let mut answers: Vec<Answer> = [302, 400, 401, 402, 403, 404, 423, 429, 430, 500, 503]
        .into_iter()
        .map(|code| status(code, &json!({ "errors": text }).to_string()))
        .collect();
    answers.extend([
        status(403, &format!("<html>{text}")),
        status(200, &format!("<html>{text}")),
        status(200, &format!("{{\"data\": \"{text}")),
        ok(&json!({ "data": null, "errors": error })),
        ok(&json!({ "data": { "spend": 1 }, "errors": error })),
        ok(&json!({ "data": { "spend": text } })),
        ok(&json!({ "errors": [{ "message": text, "extensions": { "code": "INTERNAL_SERVER_ERROR" } }] })),
        Err(TransportError::new(TransportErrorKind::Closed, "reset by peer")),
    ]);
    for answer in answers.iter_mut().flatten() {
        for name in [
            "x-request-id",
            "x-shopify-api-version",
            "x-shopify-api-deprecated-reason",
        ] {
            let headers = answer.headers_mut();
            headers.insert(name, text.parse().unwrap());
        }
    }
    answers
}

#[tokio::test(start_paused = true)]
async fn the_token_is_in_no_error_event_or_log() {
    let lines = Lines::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(lines.clone())
        .finish();
    // As long as there is only one subscriber, `tracing` asks that of the thread which comes by a
    // place first, and the other tests' threads have none.
    let _second = tracing::Dispatch::new(tracing::subscriber::NoSubscriber::default());
    let _guard = tracing::subscriber::set_default(subscriber);
    let (events, observer) = collect(|event| Some(format!("{event:?}")));
    let mut shown = String::new();
    let mut answers = tattling();
    let total = answers.len();
    for write in [false, true] {
        if write {
            answers = tattling();
        }
        for _ in 0..total {
            let till = till_of();
            let mut answer = Some(answers.remove(0));
            till.script(move |_, _| answer.take().map_or(Act::Serve, Act::Instead));
            let (_, quiet) = collect(|_| None::<()>);
            let builder = Client::builder("test.myshopify.com", CANARY)
                .transport(till)
                .observer(quiet)
                .log_bodies(true);
            write!(shown, "{builder:?}").unwrap();
            let shop = builder.build().unwrap();
            write!(
                shown,
                "{shop:?} {:?}",
                shop.call::<Spend>(Purchase::of(1, 1, 1))
            )
            .unwrap();
            let call = Purchase::of(1, 10, 10);
            let error = if write {
                shop.run::<Write>(call).await.err()
            } else {
                shop.run::<Spend>(call).await.err()
            };
            let Some(error) = error else { continue };
            write!(shown, "{error} {error:?} {error:#?}").unwrap();
            let mut source = error.source();
            while let Some(cause) = source {
                write!(shown, "{cause} {cause:?}").unwrap();
                source = cause.source();
            }
        }
    }
    // And one whole call with an observer that writes down everything.
    let shop = Client::builder("test.myshopify.com", CANARY)
        .transport(till_of())
        .observer(observer)
        .build()
        .unwrap();
    write!(
        shown,
        "{:?}",
        shop.run::<Spend>(Purchase::of(1, 1, 1)).await
    )
    .unwrap();
    write!(shown, "{:?}", AccessToken::from(CANARY)).unwrap();
    shown.push_str(&events.lock().unwrap().join("\n"));
    let logged = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    assert!(logged.contains("attempt failed"), "the log was on");
    assert!(shown.contains("Unauthorized"), "the errors were shown");
    for (place, text) in [("errors and events", &shown), ("the log", &logged)] {
        if let Some(at) = text.find(CANARY) {
            let around = &text[at.saturating_sub(200)..(at + 60).min(text.len())];
            panic!("the token is in {place}: {around}");
        }
    }
}
