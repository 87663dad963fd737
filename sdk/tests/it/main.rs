//! The client against a counterfeit server, on paused time.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::unwrap_used,
    reason = "tests"
)]

mod alone;
mod answer;
mod attempts;
#[cfg(feature = "blocking")]
mod blocking;
mod deadline;
mod events;
mod fleet;
mod repeat;
mod schema;
mod secret;
mod share;
mod storm;
mod throttle;
#[allow(dead_code, clippy::unwrap_used, unreachable_pub, missing_docs)]
mod till;
#[cfg(feature = "reqwest")]
mod wire;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use tollgate::{Client, ClientBuilder, Event};

use till::Till;

/// A client of the counterfeit server.
fn client(till: &Till) -> ClientBuilder {
    Client::builder("test.myshopify.com", "token").transport(till.clone())
}

/// The same way for every request: there, running, back, in milliseconds.
fn steady(there: u64, running: u64, back: u64) -> impl Fn(u64) -> [Duration; 3] + Send + Sync {
    move |_| [there, running, back].map(Duration::from_millis)
}

/// A full bucket of 1 000 points at 50 a second, 30 ms away.
fn till() -> Till {
    Till::new(1000.0, 50.0, steady(10, 10, 10))
}

/// Collects what an event maps to.
fn collect<T: Send + 'static>(
    map: impl Fn(&Event<'_>) -> Option<T> + Send + Sync + 'static,
) -> (Arc<Mutex<Vec<T>>>, impl Fn(&Event<'_>) + Send + Sync) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let into = Arc::clone(&seen);
    let observe = move |event: &Event<'_>| into.lock().unwrap().extend(map(event));
    (seen, observe)
}
