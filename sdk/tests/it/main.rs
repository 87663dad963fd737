//! The client against a counterfeit server, on paused time.
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]

mod alone;
#[allow(dead_code, clippy::unwrap_used, unreachable_pub, missing_docs)]
mod till;

use std::time::Duration;

use tollgate::{Client, ClientBuilder};

use till::Till;

/// A client of the counterfeit server.
fn client(till: &Till) -> ClientBuilder {
    Client::builder("test.myshopify.com", "token").transport(till.clone())
}

/// The same way for every request: there, running, back, in milliseconds.
fn steady(there: u64, running: u64, back: u64) -> impl Fn(u64) -> [Duration; 3] + Send + Sync {
    move |_| [there, running, back].map(Duration::from_millis)
}
