//! The shared ledger on a real server, which the tests start; without one they say that they were
//! skipped.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "helpers of tests, outside of test functions"
)]

mod access;
mod away;
mod chaos;
mod cluster;
mod server;
mod store;
#[path = "../it/till.rs"]
#[allow(dead_code, clippy::unwrap_used, unreachable_pub, missing_docs)]
mod till;
#[allow(dead_code, clippy::unwrap_used, unreachable_pub, missing_docs)]
mod wire;

use std::time::Duration;

use tollgate::{Client, ClientBuilder, shared::RedisLedger};

use server::Server;
use till::Till;

/// The same way for every request: there, running, back, in milliseconds.
fn steady(there: u64, running: u64, back: u64) -> impl Fn(u64) -> [Duration; 3] + Send + Sync {
    move |_| [there, running, back].map(Duration::from_millis)
}

/// A ledger that waits long for its store: the machine of the tests may be busy.
async fn connect(server: &Server) -> RedisLedger {
    let patience = Duration::from_secs(5);
    let builder = RedisLedger::builder([server.url()]).patience(patience);
    builder.connect().await.unwrap()
}

/// A client of the counterfeit shop.
fn client(till: &Till, ledger: &RedisLedger) -> ClientBuilder {
    Client::builder("test.myshopify.com", "token")
        .transport(till.clone())
        .ledger(ledger)
}
