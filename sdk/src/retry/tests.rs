use std::time::Duration;

use proptest::prelude::*;
use tollgate_cost::Points;

use super::{LEAST_WAIT, Next, RetryPolicy, RetryPolicyError, Tried, backoff, jittered};
use crate::{
    ErrorKind, OperationKind,
    classify::{Cure, Fault, Ran},
    event::WaitReason,
};

const QUERY: (OperationKind, bool) = (OperationKind::Query, false);
const MUTATION: (OperationKind, bool) = (OperationKind::Mutation, false);
const IDEMPOTENT: (OperationKind, bool) = (OperationKind::Mutation, true);

fn fault(ran: Ran, cure: Cure) -> Fault {
    Fault {
        kind: ErrorKind::NoData,
        ran,
        cure,
    }
}

fn deficit(requested: u64, available: f64) -> Fault {
    let cure = Cure::Points {
        requested: Some(Points(requested)),
        available: Some(available),
    };
    fault(Ran::No, cure)
}

/// Plays faults one after the other until the end; the waits in between.
fn play(faults: impl IntoIterator<Item = Fault>, call: (OperationKind, bool)) -> Vec<Next> {
    let mut tried = Tried::default();
    let mut all = Vec::new();
    for fault in faults {
        tried.attempts += 1;
        let next = tried.after(&fault, call, &RetryPolicy::default(), Some(50.0), 0.5);
        all.push(next);
        if next == Next::Fail {
            break;
        }
    }
    all
}

fn endless(ran: Ran, cure: Cure) -> impl Iterator<Item = Fault> {
    std::iter::repeat_with(move || fault(ran, cure))
}

#[test]
fn a_throttle_waits_for_the_deficit() {
    let Next::Wait { reason, length } = play([deficit(100, 40.0)], QUERY)[0] else {
        panic!("it is repeated");
    };
    assert_eq!(reason, WaitReason::Throttled);
    // 60 points at 50 a second, and a little more.
    assert!((1200..=1260).contains(&length.as_millis()), "{length:?}");
    // Not zero, not negative, when the deficit is none.
    let Next::Wait { length, .. } = play([deficit(100, 100.5)], QUERY)[0] else {
        panic!("it is repeated");
    };
    assert!(length >= LEAST_WAIT);
}

#[test]
fn every_kind_of_fault_comes_to_an_end() {
    let policy = RetryPolicy::default();
    let points = Cure::Points {
        requested: None,
        available: None,
    };
    let ends = |cure, attempts: u32| {
        let tries = play(endless(Ran::No, cure), QUERY);
        assert_eq!(tries.len(), usize::try_from(attempts).unwrap(), "{cure:?}");
        assert_eq!(tries.last(), Some(&Next::Fail));
    };
    ends(Cure::None, 1);
    ends(Cure::Token, 2);
    ends(Cure::Again, policy.failures + 1);
    ends(Cure::After(None), policy.failures + 1);
    ends(Cure::Patience, policy.other_throttles + 1);
    ends(points, policy.attempts);
}

#[test]
fn mixed_faults_share_one_count() {
    let faults = (0..).map(|number| match number % 3 {
        0 => deficit(10, 5.0),
        1 => fault(Ran::Perhaps, Cure::Again),
        _ => fault(Ran::No, Cure::Patience),
    });
    let policy = RetryPolicy::default();
    let tries = play(faults, QUERY);
    assert!(tries.len() <= usize::try_from(policy.attempts).unwrap());
    assert_eq!(tries.last(), Some(&Next::Fail));
}

#[test]
fn mutations_are_repeated_only_with_proof_or_key() {
    let perhaps = || [fault(Ran::Perhaps, Cure::Again)];
    assert_eq!(play(perhaps(), MUTATION), [Next::Fail]);
    assert_ne!(play(perhaps(), IDEMPOTENT), [Next::Fail]);
    assert_ne!(play(perhaps(), QUERY), [Next::Fail]);
    assert_ne!(play([fault(Ran::No, Cure::Again)], MUTATION), [Next::Fail]);
    assert_ne!(play([deficit(10, 0.0)], MUTATION), [Next::Fail]);
}

#[test]
fn a_named_time_is_honoured_up_to_a_limit() {
    let after = |secs| [fault(Ran::No, Cure::After(Some(Duration::from_secs(secs))))];
    let Next::Wait { reason, length } = play(after(30), QUERY)[0] else {
        panic!("it is waited for");
    };
    assert_eq!(reason, WaitReason::RetryAfter);
    assert!(length >= Duration::from_secs(30) && length <= Duration::from_millis(30_250));
    assert_eq!(play(after(301), QUERY), [Next::Fail]);
}

#[test]
fn waits_grow() {
    let waits: Vec<Duration> = play(endless(Ran::No, Cure::Patience), QUERY)
        .into_iter()
        .filter_map(|next| match next {
            Next::Wait { length, .. } => Some(length),
            _ => None,
        })
        .collect();
    assert!(waits.is_sorted(), "{waits:?}");
    assert!(waits[0] >= Duration::from_millis(500));
}

#[test]
fn settings_out_of_range_are_named() {
    let with = |change: fn(&mut RetryPolicy)| {
        let mut policy = RetryPolicy::default();
        change(&mut policy);
        policy.check()
    };
    assert_eq!(with(|_| ()), Ok(()));
    assert_eq!(with(|p| p.attempts = 0), Err(RetryPolicyError::Attempts(0)));
    assert_eq!(
        with(|p| p.attempts = 101),
        Err(RetryPolicyError::Attempts(101))
    );
    let backoff = Err(RetryPolicyError::Backoff);
    assert_eq!(with(|p| p.first_backoff = Duration::ZERO), backoff);
    assert_eq!(with(|p| p.first_backoff = Duration::from_secs(60)), backoff);
}

#[test]
fn a_policy_out_of_range_is_brought_into_it() {
    let mut policy = RetryPolicy::default();
    assert_eq!(policy.within_range(), policy);
    policy.first_backoff = Duration::from_nanos(1);
    policy.longest_backoff = policy.first_backoff;
    assert_eq!(policy.within_range(), policy);
    for attempts in [0, 101] {
        policy.attempts = attempts;
        for millis in [0, 60_000] {
            policy.first_backoff = Duration::from_millis(millis);
            assert_eq!(policy.within_range().check(), Ok(()), "{policy:?}");
        }
    }
}

proptest! {
    /// Jitter only lengthens, and stays inside its bounds.
    #[test]
    fn jitter_goes_up_and_not_beyond(millis in 0..10_000_000_u64, number in 1..200_u32, jitter in 0.0..=1.0_f64) {
        let exact = Duration::from_millis(millis);
        let delay = jittered(exact, jitter);
        prop_assert!(delay >= exact);
        prop_assert!(delay <= exact + (exact / 20).min(Duration::from_millis(250)) + Duration::from_nanos(1));
        let policy = RetryPolicy::default();
        let delay = backoff(number, &policy, jitter);
        prop_assert!(delay >= backoff(number, &policy, 0.0));
        prop_assert!(delay <= policy.longest_backoff);
        prop_assert!(delay >= policy.first_backoff);
    }
}
