use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn bucket(start: u64) -> Bucket {
    Bucket::new(Points(2000), 100, Points(start), Vec::new())
}

fn available(bucket: &mut Bucket, now: Duration) -> u64 {
    bucket.level(now).available.get()
}

#[test]
fn takes_all_or_nothing() {
    let mut bucket = bucket(50);
    assert!(!bucket.take(Duration::ZERO, Points(51)));
    assert_eq!(available(&mut bucket, Duration::ZERO), 50);
    assert!(bucket.take(Duration::ZERO, Points(50)));
    assert_eq!(available(&mut bucket, Duration::ZERO), 0);
}

#[test]
fn is_affordable_at_the_exact_nanosecond() {
    let mut early = bucket(0);
    assert!(!early.take(SECOND - Duration::from_nanos(1), Points(100)));
    let mut exact = bucket(0);
    assert!(exact.take(SECOND, Points(100)));
}

#[test]
fn an_idle_week_fills_it_once() {
    let mut bucket = bucket(0);
    assert_eq!(available(&mut bucket, SECOND * 604_800), 2000);
}

#[test]
fn a_refund_never_passes_the_maximum() {
    let mut bucket = bucket(1990);
    bucket.refund(Duration::ZERO, Points(100));
    assert_eq!(available(&mut bucket, Duration::ZERO), 2000);
}

#[test]
fn an_earlier_time_changes_nothing() {
    let mut bucket = bucket(0);
    assert_eq!(available(&mut bucket, SECOND * 2), 200);
    assert_eq!(available(&mut bucket, SECOND), 200);
    assert_eq!(available(&mut bucket, SECOND * 3), 300);
}

#[test]
fn shrunken_limits_cut_the_level_and_slow_the_refill() {
    let mut bucket = bucket(2000);
    bucket.set_limits(SECOND, Points(500), 10);
    assert_eq!(available(&mut bucket, SECOND), 500);
    assert!(bucket.take(SECOND, Points(500)));
    assert_eq!(available(&mut bucket, SECOND * 2), 10);
}

#[test]
fn others_spend_in_steps_and_are_throttled_themselves() {
    let spender = Spender::new(Points(50), SECOND);
    let mut bucket = Bucket::new(Points(2000), 100, Points(0), vec![spender]);
    // A second brings 100 and takes 50.
    assert_eq!(available(&mut bucket, SECOND), 50);
    assert_eq!(available(&mut bucket, SECOND * 10), 500);

    let greedy = Spender::new(Points(3000), SECOND);
    let mut bucket = Bucket::new(Points(2000), 100, Points(0), vec![greedy]);
    assert_eq!(available(&mut bucket, SECOND * 5), 500);
}

#[test]
fn a_steady_spender_takes_its_rate() {
    let mut bucket = Bucket::new(Points(2000), 100, Points(0), vec![Spender::steady(40)]);
    assert_eq!(available(&mut bucket, SECOND * 10), 600);
}
