use std::time::{Duration, Instant};

use tollgate_cost::Points;

use super::{OPERATIONS, Prices, SIZES};
use crate::request::OperationId;

fn operation(name: &str) -> OperationId {
    OperationId::new(name.to_owned(), name)
}

#[test]
fn the_servers_price_is_remembered_by_operation_and_size() {
    let (prices, now) = (Prices::default(), Instant::now());
    let (a, b) = (operation("A"), operation("B"));
    assert_eq!(prices.expect(&a, Points(10)), Points(10));
    assert!(prices.learn(&a, Points(10), Some(Points(20)), None, now));
    assert_eq!(prices.expect(&a, Points(10)), Points(20));
    // Another size of it is taken to have moved alike, another operation is not.
    assert_eq!(prices.expect(&a, Points(15)), Points(30));
    assert_eq!(prices.expect(&b, Points(10)), Points(10));
    prices.learn(&a, Points(15), Some(Points(16)), None, now);
    assert_eq!(prices.expect(&a, Points(10)), Points(20));
    assert_eq!(prices.expect(&a, Points(15)), Points(16));
    // The price moves back.
    assert!(!prices.learn(&a, Points(10), Some(Points(10)), None, now));
    assert_eq!(prices.expect(&a, Points(10)), Points(10));
    assert_eq!(prices.expect(&a, Points(11)), Points(11));
}

#[test]
fn a_price_of_nothing_says_nothing_of_other_sizes() {
    let now = Instant::now();
    for (ours, requested) in [(0, 0), (0, 10), (10, 0)] {
        let (prices, a) = (Prices::default(), operation("A"));
        prices.learn(&a, Points(ours), Some(Points(requested)), None, now);
        assert_eq!(prices.expect(&a, Points(ours)), Points(requested));
        assert_eq!(
            prices.expect(&a, Points(50)),
            Points(50),
            "{ours}, {requested}"
        );
    }
}

#[test]
fn drift_is_told_once_an_hour_and_listed() {
    let (prices, now) = (Prices::default(), Instant::now());
    let hour = Duration::from_secs(3600);
    let drifted = |at| prices.learn(&operation("A"), Points(10), Some(Points(20)), None, at);
    assert!(drifted(now));
    assert!(!drifted(now + hour / 2));
    assert!(drifted(now + hour));
    let drift = prices.drift();
    assert_eq!(drift.len(), 1);
    assert_eq!(
        (drift[0].ours, drift[0].requested),
        (Points(10), Points(20))
    );
    assert_eq!((&*drift[0].operation, drift[0].calls), ("A", 3));
    assert!(prices.tell_deprecation(&operation("A"), now));
    assert!(!prices.tell_deprecation(&operation("A"), now));
}

#[test]
fn the_share_that_is_charged_is_a_running_mean() {
    let (prices, now) = (Prices::default(), Instant::now());
    let a = operation("A");
    assert!((prices.share(&a) - 1.0).abs() < 1e-9);
    for _ in 0..50 {
        prices.learn(&a, Points(100), Some(Points(100)), Some(Points(25)), now);
    }
    assert!((prices.share(&a) - 0.25).abs() < 1e-9);
    prices.learn(&a, Points(100), Some(Points(100)), Some(Points(100)), now);
    assert!((prices.share(&a) - 0.4).abs() < 1e-9);
    // An answer without figures teaches nothing.
    prices.learn(&a, Points(100), None, None, now);
    assert_eq!(prices.expect(&a, Points(100)), Points(100));
}

#[test]
fn memory_is_bounded_and_keeps_what_is_used() {
    let prices = Prices::default();
    let begun = Instant::now();
    let learn = |name: &str, ours, now| {
        prices.learn(&operation(name), Points(ours), Some(Points(1)), None, now);
    };
    for number in 0..3 * OPERATIONS {
        let now = begun + Duration::from_secs(u64::try_from(number).unwrap());
        learn(&number.to_string(), 2, now);
        learn("used", 2, now);
    }
    assert!(prices.0.lock().unwrap().len() <= OPERATIONS);
    assert_eq!(prices.expect(&operation("used"), Points(2)), Points(1));
    for size in 0..100 {
        learn("used", size + 2, begun);
    }
    let memory = prices.0.lock().unwrap();
    assert!(memory.values().all(|learnt| learnt.sizes.len() <= SIZES));
}
