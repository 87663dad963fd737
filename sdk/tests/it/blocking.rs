//! Programs without an async runtime.

use std::{
    thread,
    time::{Duration, Instant},
};

use tollgate::{
    Ledgers, blocking,
    shared::{Bucket, InProcess, Store as _},
};

use crate::{
    client, steady,
    till::{Purchase, Spend, Till},
};

#[test]
fn threads_share_a_client() {
    let till = Till::new(100.0, 1000.0, steady(1, 1, 1));
    let shop = blocking::Client::new(client(&till)).unwrap();
    thread::scope(|scope| {
        for id in 0..8 {
            let shop = shop.clone();
            scope.spawn(move || {
                let answer = shop.run::<Spend>(Purchase::of(id, 50, 50)).unwrap();
                assert_eq!(answer.data["spend"], id);
            });
        }
    });
    let call = shop.client().call::<Spend>(Purchase::of(9, 10, 10));
    let answer = shop.wait(call.deadline(Duration::from_secs(5))).unwrap();
    assert_eq!(answer.attempts, 1);
    let count = till.count();
    assert_eq!((count.throttled, count.ran.len()), (0, 9));
}

#[test]
fn what_a_call_leaves_to_do_is_done_without_another() {
    let till = Till::new(100.0, 1000.0, steady(1, 1, 1));
    let store = InProcess::new();
    let ledgers = Ledgers::in_store(store.clone(), "a", Duration::from_secs(5));
    let shop = blocking::Client::new(client(&till).ledger(&ledgers)).unwrap();
    let _ = shop.run::<Spend>(Purchase::of(1, 50, 50)).unwrap();
    let bucket = Bucket::new("", "test.myshopify.com");
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let reading = || async { store.read(&bucket).await.unwrap().unwrap().level.calls };
    let runtime = runtime.unwrap();
    let begun = Instant::now();
    while runtime.block_on(reading()) > 0 {
        assert!(begun.elapsed() < Duration::from_secs(10), "not settled");
        thread::yield_now();
    }
}

#[tokio::test]
async fn a_client_that_cannot_be_built_says_why_in_async_code_too() {
    let refused = blocking::Client::new(tollgate::Client::builder("elsewhere.example", "token"));
    assert!(matches!(
        refused.unwrap_err(),
        blocking::BlockingError::Build(_)
    ));
}
