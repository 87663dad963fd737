//! Boundaries and figures by example; promises by property in [`properties`].

use std::time::{Duration, Instant};

use tollgate_cost::Points;

use super::{Anomaly, Charge, Ledger, Limits, Readiness, ThrottleStatus};

mod properties;

fn limits(maximum: f64, rate: f64) -> Limits {
    Limits::new(maximum, rate).unwrap()
}

fn secs(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

/// 1 000 points at 50 per second, of which `available` are there.
fn bucket(available: f64) -> (Ledger, Instant) {
    let now = Instant::now();
    (Ledger::known(limits(1000.0, 50.0), available, now), now)
}

fn status(available: f64) -> ThrottleStatus {
    ThrottleStatus::new(1000.0, available, 50.0)
}

#[track_caller]
fn assert_near(left: f64, right: f64) {
    assert!((left - right).abs() < 1e-3, "{left} is not {right}");
}

#[test]
fn fifty_calls_find_room_for_five() {
    let (mut ledger, now) = bucket(500.0);
    let tickets: Vec<_> = (0..50)
        .filter_map(|_| ledger.reserve(Points(100), 0.0, now).ok())
        .collect();
    assert_eq!(tickets.len(), 5);
    assert_near(ledger.available(now), 0.0);
}

#[test]
fn exactly_enough_is_enough() {
    let (ledger, now) = bucket(100.0);
    assert_eq!(ledger.readiness(Points(100), 0.0, now), Readiness::Now);
    let Readiness::At(at) = ledger.readiness(Points(101), 0.0, now) else {
        panic!("one point is missing");
    };
    let wait = (at - now).as_secs_f64();
    assert!((0.02..0.021).contains(&wait), "{wait}");
    // After any idle time the bucket holds no more than it holds.
    for idle in [1e3, 1e6, 1e9] {
        let later = now + secs(idle);
        assert_near(ledger.available(later), 1000.0);
        assert_eq!(ledger.readiness(Points(1000), 0.0, later), Readiness::Now);
    }
}

#[test]
fn what_is_above_the_maximum_never_comes() {
    let (ledger, now) = bucket(1000.0);
    let never = Readiness::Never { maximum: 1000.0 };
    assert_eq!(ledger.readiness(Points(1001), 0.0, now), never);
    assert_eq!(ledger.readiness(Points(u64::MAX), 0.0, now), never);
}

#[test]
fn a_bucket_that_was_too_small_may_have_grown() {
    let (ledger, now) = bucket(1000.0);
    let never = Readiness::Never { maximum: 1000.0 };
    assert_eq!(ledger.readiness(Points(1200), 0.0, now + secs(59.0)), never);
    // A minute after the last answer one such call goes and asks.
    let later = now + secs(61.0);
    let mut ledger = ledger;
    let asking = ledger.reserve(Points(1200), 0.0, later).unwrap();
    assert_eq!(ledger.readiness(Points(1200), 0.0, later), never);
    let grown = ThrottleStatus::new(2000.0, 800.0, 100.0);
    ledger.settle(asking, Charge::Actual(Points(1200)), &grown, later);
    let Readiness::At(_) = ledger.readiness(Points(1200), 0.0, later) else {
        panic!("it fits now, once it is there");
    };
}

#[test]
fn limits_that_would_stop_the_client_are_asked_again() {
    // A bucket cannot be fuller than it is large.
    let (mut ledger, now) = bucket(1000.0);
    let ticket = ledger.take(Points(100), now);
    let lie = ThrottleStatus::new(0.5, 900.0, 50.0);
    let lesson = ledger.settle(ticket, Charge::Actual(Points(100)), &lie, now);
    assert_eq!(lesson.anomalies, [Anomaly::Maximum(0.5)]);
    assert_eq!(ledger.limits(), limits(1000.0, 50.0));
    // One that would take years to fill is taken for what it says, for a minute.
    let ticket = ledger.take(Points(100), now);
    let still = ThrottleStatus::new(1000.0, 5.0, 1e-9);
    ledger.settle(ticket, Charge::Actual(Points(100)), &still, now);
    let again = Readiness::At(now + secs(60.0));
    assert_eq!(ledger.readiness(Points(10), 0.0, now), again);
    let asking = ledger.reserve(Points(10), 0.0, now + secs(60.0)).unwrap();
    let next = ledger.readiness(Points(10), 0.0, now + secs(60.0));
    assert!(next != Readiness::Now, "one at a time");
    ledger.release(asking, now + secs(60.0));
}

#[test]
fn the_wait_counts_from_now_and_once() {
    // 150 points are missing at 50 per second, and 2 of the 3 seconds have gone.
    let (ledger, begun) = bucket(0.0);
    let asked = begun + secs(2.0);
    let Readiness::At(at) = ledger.readiness(Points(150), 0.0, asked) else {
        panic!("it is not there yet");
    };
    assert_near((at - asked).as_secs_f64(), 1.0);
}

#[test]
fn an_answer_gives_the_difference_back_once() {
    // The server's figure already contains the refund.
    let (mut ledger, now) = bucket(1000.0);
    let ticket = ledger.reserve(Points(100), 0.0, now).unwrap();
    let later = now + secs(0.1);
    ledger.settle(ticket, Charge::Actual(Points(20)), &status(980.0), later);
    let available = ledger.available(later);
    assert!((980.0..=985.1).contains(&available), "{available}");
}

#[test]
fn a_full_bucket_is_not_an_empty_one() {
    // 999 of 1 000 left, not used.
    let (mut ledger, now) = bucket(0.0);
    let ticket = ledger.take(Points(1), now);
    ledger.settle(ticket, Charge::Actual(Points(1)), &status(999.0), now);
    assert!(ledger.available(now) >= 998.0);
}

#[test]
fn a_throttle_costs_nothing_and_tells_the_deficit() {
    let (mut ledger, now) = bucket(1000.0);
    let ticket = ledger.reserve(Points(100), 0.0, now).unwrap();
    let later = now + secs(0.2);
    ledger.settle(ticket, Charge::Nothing, &status(40.0), later);
    assert_near(ledger.available(later), 40.0);
}

#[test]
fn figures_that_make_no_sense_are_reported_and_survived() {
    let nan = f64::NAN;
    let cases = [
        (ThrottleStatus::default(), vec![], 900.0),
        (status(0.0), vec![], 0.0),
        (status(-30.0), vec![Anomaly::Available(-30.0)], -30.0),
        (status(-1e18), vec![Anomaly::Available(-1e18)], -1000.0),
        (status(1000.0), vec![], 999.0),
        (status(5000.0), vec![Anomaly::Available(5000.0)], 999.0),
        (
            ThrottleStatus::new(0.0, 500.0, -1.0),
            vec![Anomaly::Maximum(0.0), Anomaly::RestoreRate(-1.0)],
            500.0,
        ),
        (
            ThrottleStatus::new(f64::INFINITY, 500.0, 0.0),
            vec![Anomaly::Maximum(f64::INFINITY), Anomaly::RestoreRate(0.0)],
            500.0,
        ),
    ];
    for (status, anomalies, available) in cases {
        let (mut ledger, now) = bucket(1000.0);
        let ticket = ledger.reserve(Points(100), 0.0, now).unwrap();
        let lesson = ledger.settle(ticket, Charge::Actual(Points(100)), &status, now);
        assert_eq!(lesson.anomalies, anomalies, "{status:?}");
        let read = ledger.read(now);
        assert!((read.available - available).abs() <= 1.0, "{status:?}");
        assert_near(read.maximum, 1000.0);
        assert_near(read.restore_rate, 50.0);
    }
    let (mut ledger, now) = bucket(1000.0);
    let ticket = ledger.reserve(Points(100), 0.0, now).unwrap();
    let status = ThrottleStatus::new(nan, nan, nan);
    let lesson = ledger.settle(ticket, Charge::Actual(Points(100)), &status, now);
    assert_eq!(lesson.anomalies.len(), 3);
    assert_near(ledger.available(now), 900.0);
}

#[test]
fn limits_shrink_and_grow_with_the_answers() {
    let (mut ledger, now) = bucket(1000.0);
    let small = ThrottleStatus::new(40.0, 40.0, 2.0);
    let ticket = ledger.reserve(Points(10), 0.0, now).unwrap();
    ledger.settle(ticket, Charge::Actual(Points(10)), &small, now);
    assert!(ledger.available(now) <= 40.0);
    assert_eq!(
        ledger.readiness(Points(41), 0.0, now),
        Readiness::Never { maximum: 40.0 }
    );
    let large = ThrottleStatus::new(20_000.0, 15_000.0, 1000.0);
    let ticket = ledger.reserve(Points(10), 0.0, now).unwrap();
    ledger.settle(ticket, Charge::Actual(Points(10)), &large, now);
    assert!(ledger.available(now) >= 14_990.0);
    assert_near(ledger.limits().restore_rate(), 1000.0);
}

#[test]
fn a_late_answer_does_not_raise_the_level() {
    let (mut ledger, now) = bucket(1000.0);
    let slow = ledger.reserve(Points(100), 0.0, now).unwrap();
    let quick = ledger.reserve(Points(100), 0.0, now).unwrap();
    // The younger call's answer shows that others have nearly emptied the bucket.
    let later = now + secs(0.5);
    ledger.settle(quick, Charge::Actual(Points(100)), &status(100.0), later);
    let known = ledger.available(later);
    assert!(known <= 126.0, "{known}");
    // The older one was computed before, and says so.
    ledger.settle(slow, Charge::Actual(Points(100)), &status(900.0), later);
    assert!(ledger.available(later) <= known + 100.0);
}

#[test]
fn a_dark_account_recovers() {
    let (mut ledger, now) = bucket(0.0);
    let ticket = ledger.take(Points(10), now);
    let later = now + secs(0.1);
    ledger.settle(ticket, Charge::Actual(Points(10)), &status(900.0), later);
    assert!(ledger.available(later) >= 899.0);
}

#[test]
fn a_lost_answer_counts_as_spent_until_the_next() {
    let (mut ledger, now) = bucket(500.0);
    let lost = ledger.reserve(Points(100), 0.0, now).unwrap();
    ledger.settle(lost, Charge::Unknown, &ThrottleStatus::default(), now);
    assert_near(ledger.available(now), 400.0);
    let next = ledger.reserve(Points(10), 0.0, now).unwrap();
    ledger.settle(next, Charge::Actual(Points(10)), &status(490.0), now);
    assert!(ledger.available(now) >= 489.0);
}

#[test]
fn a_call_under_way_for_long_leaves_room_for_what_restored_since() {
    let now = Instant::now();
    let mut ledger = Ledger::known(limits(1000.0, 100.0), 1000.0, now);
    let slow = ledger.reserve(Points(900), 0.0, now).unwrap();
    // It could still arrive: the bucket may have been full until now.
    assert_near(ledger.available(now + secs(0.9)), 100.0);
    // It has arrived for sure, and what it took restores.
    assert_near(ledger.available(now + secs(3.0)), 300.0);
    let Readiness::At(at) = ledger.readiness(Points(500), 0.0, now) else {
        panic!("that much is not there yet");
    };
    assert_near((at - now).as_secs_f64(), 5.0);
    ledger.release(slow, now + secs(3.0));
    assert_near(ledger.available(now + secs(3.0)), 1000.0);
}

#[test]
fn before_the_first_answer_one_call_goes_ahead() {
    let now = Instant::now();
    let mut ledger = Ledger::guess(Limits::default(), now);
    let first = ledger.reserve(Points(10), 0.0, now).unwrap();
    let second = ledger.reserve(Points(10), 0.0, now + secs(0.2));
    assert_eq!(second.unwrap_err(), Readiness::At(now + secs(1.0)));
    // It tells of a bucket far smaller than guessed.
    let told = ThrottleStatus::new(40.0, 30.0, 2.0);
    ledger.settle(first, Charge::Actual(Points(10)), &told, now + secs(0.3));
    let read = ledger.read(now + secs(0.3));
    assert!(read.known);
    assert_near(read.available, 30.0);
    // Cancelled instead of answered, it holds nobody up.
    let mut ledger = Ledger::guess(Limits::default(), now);
    let first = ledger.reserve(Points(10), 0.0, now).unwrap();
    ledger.release(first, now);
    assert!(ledger.reserve(Points(10), 0.0, now).is_ok());
    assert!(!ledger.read(now).known);
}

#[test]
fn what_others_spend_is_measured_predicted_and_forgotten() {
    // Others take 30 points a second, while we call every half.
    let (mut ledger, begun) = bucket(500.0);
    let (mut server, mut now, mut taken) = (500.0_f64, begun, 0.0);
    for _ in 0..60 {
        let ticket = ledger.take(Points(15), now);
        now += secs(0.5);
        server = server - 15.0 - 15.0 + 25.0;
        taken += ledger
            .settle(
                ticket,
                Charge::Actual(Points(15)),
                &status(server.floor()),
                now,
            )
            .foreign;
    }
    let rate = ledger.read(now).foreign_rate;
    assert!((27.0..33.0).contains(&rate), "{rate}");
    assert!(taken > 20.0, "they were noticed: {taken}");
    // They stop.
    for _ in 0..240 {
        let ticket = ledger.take(Points(15), now);
        now += secs(0.5);
        server = server - 15.0 + 25.0;
        ledger.settle(
            ticket,
            Charge::Actual(Points(15)),
            &status(server.floor()),
            now,
        );
    }
    let rate = ledger.read(now).foreign_rate;
    assert!(rate < 2.0, "{rate}");
    assert_near(ledger.read(now + secs(61.0)).foreign_rate, 0.0);
}

/// A ledger that has watched others take 20 points now and then, the last answer at the instant:
/// each call is 200 ms under way.
fn watched(times: u32) -> (Ledger, Instant) {
    let (mut ledger, mut now) = bucket(500.0);
    let mut server = 500.0_f64;
    for time in 0..times {
        let ticket = ledger.take(Points(10), now);
        now += secs(0.2);
        let others = if time % 3 == 0 { 20.0 } else { 0.0 };
        // What restores meanwhile is what the call takes.
        server -= others;
        let charge = Charge::Actual(Points(10));
        ledger.settle(ticket, charge, &status(server.floor()), now);
    }
    (ledger, now)
}

#[test]
fn a_figure_is_old_when_the_call_that_goes_by_it_arrives() {
    let (ledger, now) = watched(30);
    let there = ledger.available(now);
    // The newest answer has just come, and still others may have taken something since.
    let readiness = |left: f64| ledger.readiness(Points(10), there - 10.0 - left, now);
    assert_eq!(readiness(60.0), Readiness::Now);
    let Readiness::At(at) = readiness(5.0) else {
        panic!("nothing is kept free for others");
    };
    assert!(at - now < secs(2.0), "{:?}", at - now);
    // Alone, all there is can be spent.
    let (ledger, now) = bucket(500.0);
    assert_eq!(ledger.readiness(Points(500), 0.0, now), Readiness::Now);
}

#[test]
fn others_are_at_work_once_they_were_caught_twice() {
    assert!(!watched(1).0.others_at_work(watched(1).1));
    let (ledger, now) = watched(30);
    assert!(ledger.others_at_work(now));
    assert!(!ledger.others_at_work(now + secs(61.0)));
}

#[test]
fn rates_from_tiny_to_huge() {
    let now = Instant::now();
    for rate in [1e-6, 1e-3, 1.0, 1e6, 1e9] {
        let mut ledger = Ledger::known(limits(2000.0, rate), 0.0, now);
        // Its answer will tell the limits, so nobody has to go and ask.
        let _free = ledger.take(Points(0), now);
        let Readiness::At(at) = ledger.readiness(Points(10), 0.0, now) else {
            panic!("nothing is there");
        };
        let wait = (at - now).as_secs_f64();
        // To the precision of a length of time in seconds.
        let (least, slack) = (10.0 / rate, 1e-9 / rate);
        assert!(
            wait >= least - slack && wait <= least + slack + 1e-5,
            "{rate}: {wait}"
        );
    }
}
