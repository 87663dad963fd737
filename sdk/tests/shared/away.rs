//! The store is away, slow, read-only or empty: calls go on.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use tollgate::{Client, Event, What, shared::RedisLedger};

use crate::{
    Server, client, steady,
    till::{Purchase, Spend, Till},
};

/// The patience is 50 ms, which the tests on paused time check; the rest is for a busy machine.
const BUSY: Duration = Duration::from_secs(1);

type Changes = Arc<Mutex<Vec<&'static str>>>;

/// A client that notes when the store goes and comes.
fn noted(till: &Till, ledger: &RedisLedger) -> (Client, Changes) {
    let changes = Changes::default();
    let note = Arc::clone(&changes);
    let observer = move |event: &Event<'_>| {
        let change = match event.what {
            What::LedgerAway { .. } => "away",
            What::LedgerBack => "back",
            _ => return,
        };
        note.lock().unwrap().push(change);
    };
    let shop = client(till, ledger).observer(observer).build().unwrap();
    (shop, changes)
}

/// A ledger with the patience that it has by itself.
async fn connect(server: &Server) -> RedisLedger {
    RedisLedger::connect(&server.url()).await.unwrap()
}

async fn spend(shop: &Client, calls: u64) -> Duration {
    let mut slowest = Duration::ZERO;
    for id in 0..calls {
        let begun = Instant::now();
        let _ = shop.run::<Spend>(Purchase::of(id, 10, 10)).await.unwrap();
        slowest = slowest.max(begun.elapsed());
    }
    slowest
}

/// Calls until the store is back.
async fn until_back(shop: &Client, changes: &Changes) {
    let begun = Instant::now();
    while changes.lock().unwrap().last() != Some(&"back") {
        assert!(
            begun.elapsed() < Duration::from_secs(10),
            "the store stays away"
        );
        spend(shop, 1).await;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_hangs_holds_a_call_up_for_its_patience() {
    let Some(server) = Server::start().await else {
        return;
    };
    let till = Till::new(20_000.0, 1000.0, steady(0, 1, 0));
    let (shop, changes) = noted(&till, &connect(&server).await);
    spend(&shop, 10).await;
    server.pause();
    let slowest = spend(&shop, 30).await;
    println!("slowest call while the server hangs: {slowest:?}");
    assert!(slowest < BUSY, "{slowest:?}");
    assert_eq!(*changes.lock().unwrap(), ["away"]);
    server.resume();
    until_back(&shop, &changes).await;
    assert_eq!(*changes.lock().unwrap(), ["away", "back"]);
    // What the server granted late has been given back, and it knows what was spent meanwhile.
    tokio::time::sleep(Duration::from_millis(200)).await;
    let (_, standing) = connect(&server).await.buckets().await.unwrap()[0].clone();
    assert_eq!(standing.level.calls, 0, "{standing:?}");
    assert!(
        standing.level.available <= till.level() + 15.0,
        "{standing:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_dies_and_forgets_is_told_again() {
    let Some(mut server) = Server::start().await else {
        return;
    };
    let till = Till::new(1000.0, 100.0, steady(0, 1, 0));
    let (shop, changes) = noted(&till, &connect(&server).await);
    spend(&shop, 10).await;
    server.kill();
    assert!(spend(&shop, 10).await < BUSY);
    till.set_level(200.0);
    spend(&shop, 1).await;
    server.restart().await;
    until_back(&shop, &changes).await;
    assert_eq!(*changes.lock().unwrap(), ["away", "back"]);
    spend(&shop, 1).await;
    let (_, standing) = connect(&server).await.buckets().await.unwrap()[0].clone();
    assert!(standing.level.known);
    assert!(
        standing.level.available <= till.level() + 5.0,
        "{standing:?}"
    );
    assert_eq!(till.count().throttled, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flushed_store_learns_from_the_next_answer() {
    let Some(server) = Server::start().await else {
        return;
    };
    let till = Till::new(1000.0, 100.0, steady(0, 1, 0));
    let (shop, changes) = noted(&till, &crate::connect(&server).await);
    spend(&shop, 10).await;
    let () = server.command("FLUSHALL").await;
    till.set_level(100.0);
    spend(&shop, 5).await;
    let (_, standing) = connect(&server).await.buckets().await.unwrap()[0].clone();
    assert!(standing.level.known);
    assert!(
        standing.level.available <= till.level() + 5.0,
        "{standing:?}"
    );
    assert!(changes.lock().unwrap().is_empty());
    // Without its scripts it gets them again.
    let () = server.command("SCRIPT FLUSH").await;
    spend(&shop, 2).await;
    assert!(changes.lock().unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_takes_no_writes_is_away() {
    let Some(server) = Server::start().await else {
        return;
    };
    let till = Till::new(20_000.0, 1000.0, steady(0, 1, 0));
    let (shop, changes) = noted(&till, &connect(&server).await);
    spend(&shop, 3).await;
    // A replica of a master that nobody knows.
    let () = server.command("REPLICAOF 127.0.0.1 1").await;
    assert!(spend(&shop, 20).await < BUSY);
    assert_eq!(*changes.lock().unwrap(), ["away"]);
    let () = server.command("REPLICAOF NO ONE").await;
    until_back(&shop, &changes).await;
    assert_eq!(*changes.lock().unwrap(), ["away", "back"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_server_calls_go_and_a_check_says_so() {
    // A port that refuses connections.
    let url = "redis://127.0.0.1:1";
    let refused = RedisLedger::connect(url).await;
    assert!(refused.is_err());
    let till = Till::new(1000.0, 100.0, steady(0, 1, 0));
    let ledger = RedisLedger::builder([url]).lazy().unwrap();
    let (shop, changes) = noted(&till, &ledger);
    assert!(spend(&shop, 10).await < BUSY);
    assert_eq!(*changes.lock().unwrap(), ["away"]);
}
