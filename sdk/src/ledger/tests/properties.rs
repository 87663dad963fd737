use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    time::{Duration, Instant},
};

use proptest::{collection::vec, prelude::*};
use tollgate_cost::Points;

use super::super::{Charge, Ledger, Limits, Readiness, ThrottleStatus, Ticket, float};

/// A call of the simulated work: price, charge, and the times on its way, in milliseconds.
#[derive(Clone, Debug)]
struct Call {
    pause: u64,
    cost: u64,
    actual: u64,
    there: u64,
    running: u64,
    back: u64,
}

fn call() -> impl Strategy<Value = Call> {
    // The way to the server is at most as long as the ledger supposes; the rest is anything.
    let there = prop_oneof![Just(0), 0..40_u64, 0..1000_u64];
    let time = || prop_oneof![Just(0), 0..40_u64, 0..2500_u64];
    let pause = prop_oneof![6 => Just(0), 1 => 0..3000_u64];
    (pause, 1..=400_u64, 0..=100_u64, there, time(), time()).prop_map(
        |(pause, cost, share, there, running, back)| Call {
            pause,
            cost,
            actual: cost * share / 100,
            there,
            running,
            back,
        },
    )
}

/// The server: charged on arrival, refunded at the end, restored in between.
struct Server {
    maximum: f64,
    rate: f64,
    level: f64,
    at: Instant,
}

impl Server {
    fn restore(&mut self, now: Instant) {
        let restored = self.rate * (now - self.at).as_secs_f64();
        self.level = (self.level + restored).min(self.maximum);
        self.at = now;
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Arrives,
    Ends,
    Answered,
}

/// Plays the calls in order through a ledger against the server; all of them are admitted, and
/// none is throttled.
fn play(calls: &[Call], ledger: &mut Ledger, server: &mut Server, begun: Instant) -> Instant {
    let mut events: BinaryHeap<Reverse<(Instant, usize, Step)>> = BinaryHeap::new();
    let mut open: Vec<(Option<Ticket>, f64)> = Vec::new();
    let mut now = begun;
    // The pause before a call begins when the one before is sent.
    let mut earliest = begun + Duration::from_millis(calls[0].pause);
    loop {
        let mut wake = None;
        while let Some(call) = calls.get(open.len()) {
            if now < earliest {
                wake = Some(earliest);
                break;
            }
            match ledger.reserve(Points(call.cost), 0.0, now) {
                Ok(ticket) => {
                    let at = now + Duration::from_millis(call.there);
                    events.push(Reverse((at, open.len(), Step::Arrives)));
                    open.push((Some(ticket), 0.0));
                    let pause = calls.get(open.len()).map_or(0, |call| call.pause);
                    earliest = now + Duration::from_millis(pause);
                }
                Err(Readiness::At(at)) => {
                    wake = Some(at);
                    break;
                }
                Err(Readiness::AfterSettling) => break,
                Err(other) => panic!("{other:?}"),
            }
        }
        let event = events.peek().map(|Reverse((at, ..))| *at);
        if let Some(at) = wake
            && event.is_none_or(|event| at < event)
        {
            now = at;
            continue;
        }
        let Some(Reverse((at, index, step))) = events.pop() else {
            return now;
        };
        now = at;
        let call = &calls[index];
        server.restore(now);
        match step {
            Step::Arrives => {
                let cost = float(Points(call.cost));
                assert!(
                    server.level >= cost - 1e-6,
                    "throttled: {} of {cost} points for call {index}",
                    server.level
                );
                server.level -= cost;
                let at = now + Duration::from_millis(call.running);
                events.push(Reverse((at, index, Step::Ends)));
            }
            Step::Ends => {
                let refund = float(Points(call.cost - call.actual));
                server.level = (server.level + refund).min(server.maximum);
                open[index].1 = server.level.floor();
                let at = now + Duration::from_millis(call.back);
                events.push(Reverse((at, index, Step::Answered)));
            }
            Step::Answered => {
                let (ticket, figure) = &mut open[index];
                let (ticket, figure) = (ticket.take().unwrap(), *figure);
                let status = ThrottleStatus::new(server.maximum, figure, server.rate);
                let charge = Charge::Actual(Points(call.actual));
                let lesson = ledger.settle(ticket, charge, &status, now);
                assert!(
                    lesson.foreign <= 1e-3,
                    "alone, and others seem to take {}",
                    lesson.foreign
                );
            }
        }
    }
}

#[derive(Clone, Debug)]
enum Op {
    Take(u64),
    Settle(usize, u64, [Option<f64>; 3]),
    Lose(usize),
    Release(usize),
    Pass(u64),
}

fn op() -> impl Strategy<Value = Op> {
    let figure = || {
        prop_oneof![
            Just(None),
            (0.0..3000.0_f64).prop_map(Some),
            any::<f64>().prop_map(Some),
            Just(Some(f64::NAN)),
        ]
    };
    let index = any::<usize>;
    prop_oneof![
        4 => (0..1500_u64).prop_map(Op::Take),
        3 => (index(), 0..1500_u64, [figure(), figure(), figure()])
            .prop_map(|(i, actual, figures)| Op::Settle(i, actual, figures)),
        1 => index().prop_map(Op::Lose),
        1 => index().prop_map(Op::Release),
        3 => (0..20_000_u64).prop_map(Op::Pass),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Whatever the times on the way, the refunds and the pauses: alone, no call is throttled,
    /// and nobody else is suspected.
    #[test]
    fn alone_it_never_admits_too_much(calls in vec(call(), 1..60), known in any::<bool>()) {
        let begun = Instant::now();
        let limits = Limits::new(1000.0, 50.0).unwrap();
        let mut ledger = if known {
            Ledger::known(limits, 1000.0, begun)
        } else {
            Ledger::guess(limits, begun)
        };
        let mut server = Server { maximum: 1000.0, rate: 50.0, level: 1000.0, at: begun };
        let end = play(&calls, &mut ledger, &mut server, begun);
        server.restore(end);
        prop_assert_eq!(ledger.calls(), 0);
        prop_assert!(ledger.available(end) <= server.level + 1e-3);
        // One quiet call, and the two agree.
        let quiet = Call { pause: 0, cost: 1, actual: 1, there: 5, running: 5, back: 5 };
        let end = play(&[quiet], &mut ledger, &mut server, end);
        server.restore(end);
        let gap = server.level - ledger.available(end);
        prop_assert!((-1e-3..=2.5).contains(&gap), "gap {}", gap);
    }

    /// The instant of readiness does not depend on when it is asked for.
    #[test]
    fn asking_later_changes_nothing(
        available in -500.0..1000.0_f64,
        in_flight in vec(1..300_u64, 0..4),
        cost in 1..1000_u64,
        asks in vec(0.0..1.0_f64, 1..10),
    ) {
        let begun = Instant::now();
        let mut ledger = Ledger::known(Limits::new(1000.0, 50.0).unwrap(), available, begun);
        let tickets: Vec<_> = in_flight.iter().map(|cost| ledger.take(Points(*cost), begun)).collect();
        let first = ledger.readiness(Points(cost), 0.0, begun);
        if let Readiness::At(at) = first {
            for share in asks {
                let now = begun + (at - begun).mul_f64(share);
                if now < at {
                    prop_assert_eq!(ledger.readiness(Points(cost), 0.0, now), first);
                }
            }
            prop_assert_eq!(ledger.readiness(Points(cost), 0.0, at), Readiness::Now);
        }
        for ticket in tickets {
            ledger.release(ticket, begun);
        }
    }

    /// Any order of reserving, settling, losing and releasing, with any figures in the answers:
    /// what is in flight is what was taken, the level stays within bounds, and in the end the
    /// bucket fills.
    #[test]
    fn points_are_conserved_and_nonsense_is_survived(ops in vec(op(), 1..80)) {
        let mut now = Instant::now();
        let mut ledger = Ledger::known(Limits::default(), 2000.0, now);
        let mut open = Vec::new();
        for op in ops {
            match op {
                Op::Take(cost) => open.push(ledger.take(Points(cost), now)),
                Op::Settle(index, actual, [maximum, available, restore_rate]) if !open.is_empty() => {
                    let ticket = open.remove(index % open.len());
                    let status = ThrottleStatus { maximum, available, restore_rate };
                    ledger.settle(ticket, Charge::Actual(Points(actual)), &status, now);
                }
                Op::Lose(index) if !open.is_empty() => {
                    let ticket = open.remove(index % open.len());
                    ledger.settle(ticket, Charge::Unknown, &ThrottleStatus::default(), now);
                }
                Op::Release(index) if !open.is_empty() => {
                    ledger.release(open.remove(index % open.len()), now);
                }
                Op::Pass(millis) => now += Duration::from_millis(millis),
                _ => {}
            }
            let level = ledger.read(now);
            let held: u64 = open.iter().map(|ticket| ticket.cost().get()).sum();
            let held = float(Points(held));
            prop_assert!((level.in_flight - held).abs() < 1e-3);
            prop_assert_eq!(level.calls, open.len());
            prop_assert!(level.available.is_finite());
            prop_assert!(level.available <= level.maximum + 1e-3);
            prop_assert!(level.maximum > 0.0 && level.restore_rate > 0.0);
            prop_assert!(level.foreign_rate >= 0.0 && level.foreign_rate <= level.restore_rate);
        }
        for ticket in open {
            ledger.release(ticket, now);
        }
        let level = ledger.read(now);
        let full = (level.maximum - level.available) / (0.1 * level.restore_rate);
        if full < 1e9 {
            let later = now + Duration::from_secs_f64(full + 1.0);
            prop_assert!(ledger.is_idle(later));
            prop_assert!((ledger.available(later) - level.maximum).abs() < 1e-3);
        }
    }
}
