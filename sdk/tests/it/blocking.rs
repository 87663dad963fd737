//! Programs without an async runtime.

use std::{thread, time::Duration};

use tollgate::blocking;

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
