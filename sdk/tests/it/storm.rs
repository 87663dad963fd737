//! Thousands of random worlds, and a server that fails three times in ten: every call ends, no
//! points leak, nobody starves, no mutation is lost or doubled.

use std::{sync::Arc, time::Duration};

use fastrand::Rng;
use serde_json::json;
use tokio::{
    task::JoinSet,
    time::{Instant, sleep},
};
use tollgate::{ErrorKind, Priority, TransportError, TransportErrorKind};

use crate::{
    client,
    till::{Act, Answer, Purchase, Spend, Till, Write, WriteOnce, ok, status, throttled},
};

/// A failure of any kind.
fn failure(random: &mut Rng) -> Answer {
    let error = |code: &str| {
        ok(&json!({ "data": null, "errors": [{ "message": "m", "extensions": { "code": code } }] }))
    };
    match random.u32(0..16) {
        0 => Err(TransportError::new(TransportErrorKind::Connect, "refused")),
        1 => Err(TransportError::new(TransportErrorKind::Closed, "reset")),
        2 => Err(TransportError::timeout()),
        3 => status(429, "<html>slow down"),
        4 => status(430, ""),
        5 => status(500, "{}"),
        6 => status(502, "<html>bad gateway"),
        7 => status(503, ""),
        8 => status(504, "gateway"),
        9 => status(200, "<html>maintenance"),
        10 => status(200, r#"{"data":{"spe"#),
        11 => status(200, ""),
        12 => error("INTERNAL_SERVER_ERROR"),
        13 => status(429, "").map(|mut answer| {
            let value = ["2", "0.5", "soon", "-3"][random.usize(0..4)];
            answer
                .headers_mut()
                .insert("retry-after", value.parse().unwrap());
            answer
        }),
        14 => throttled(
            10,
            json!({ "maximumAvailable": 1000, "currentlyAvailable": 900, "restoreRate": 50 }),
        ),
        _ => ok(&json!({ "errors": [{ "message": "Throttled" }] })),
    }
}

/// Whether an answer proves that the call did not run.
fn proves_not_run(answer: &Answer) -> bool {
    match answer {
        Err(error) => error.kind() == TransportErrorKind::Connect,
        Ok(answer) => {
            let refused = answer.status().is_client_error();
            refused || String::from_utf8_lossy(answer.body()).contains("Throttled")
        }
    }
}

/// Fails `percent` of the requests, before or after the call ran.
fn fail(till: &Till, percent: u32, seed: u64) {
    let mut random = Rng::with_seed(seed);
    till.script(move |_, _| {
        if random.u32(0..100) >= percent {
            return Act::Serve;
        }
        let answer = failure(&mut random);
        if proves_not_run(&answer) || random.bool() {
            Act::Instead(answer)
        } else {
            Act::After(answer)
        }
    });
}

async fn world(seed: u64) {
    let mut random = Rng::with_seed(seed);
    let maximum = f64::from(random.u32(200..2000));
    let rate = maximum / f64::from(random.u32(10..40));
    let slow = random.u64(1..400);
    let till = Till::new(maximum, rate, move |number| {
        let time = |salt: u64| (number.wrapping_mul(salt) >> 7) % slow;
        [time(0x9E37), time(0x79B9), time(0x85EB)].map(Duration::from_millis)
    });
    fail(&till, random.u32(0..30), seed);
    let shop = client(&till)
        .in_flight(random.usize(1..50))
        .high_reserve(tollgate::Points(random.u64(0..100)))
        .build()
        .unwrap();
    let others = (random.u32(0..3) > 0).then(|| {
        let (till, mut random) = (till.clone(), random.fork());
        tokio::spawn(async move {
            loop {
                sleep(Duration::from_millis(random.u64(50..2000))).await;
                till.take(rate * random.f64());
            }
        })
    });
    let mut calls = JoinSet::new();
    let total = random.u64(5..60);
    for id in 0..total {
        let requested = random.u64(1..=(maximum as u64).min(1000) / 2);
        let purchase = Purchase {
            price: requested * random.u64(50..150) / 100,
            ..Purchase::of(id, requested, random.u64(0..=requested))
        };
        let priority = [Priority::Low, Priority::Normal, Priority::High][random.usize(0..3)];
        let deadline =
            (random.u32(0..8) == 0).then(|| Duration::from_millis(random.u64(1..20_000)));
        let patience =
            (random.u32(0..8) == 0).then(|| Duration::from_millis(random.u64(1..20_000)));
        let begins = Duration::from_millis(random.u64(0..10_000));
        let shop = shop.clone();
        calls.spawn(async move {
            sleep(begins).await;
            let mut call = shop.call::<Spend>(purchase).priority(priority);
            if let Some(deadline) = deadline {
                call = call.deadline(deadline);
            }
            // Some are given up half way.
            match patience {
                Some(patience) => {
                    let _ = tokio::time::timeout(patience, call).await;
                    true
                }
                None => match call.await {
                    Ok(_) => true,
                    Err(error) => {
                        let late = matches!(error.kind(), ErrorKind::Deadline { .. });
                        assert!(late || error.context().attempts > 0, "{error:?}");
                        let tried = deadline.is_some() || error.context().attempts > 1;
                        assert!(tried, "it failed too soon: {error:?}");
                        true
                    }
                },
            }
        });
    }
    let begun = Instant::now();
    while let Some(ended) = calls.join_next().await {
        assert!(ended.unwrap(), "seed {seed}");
    }
    if let Some(others) = others {
        others.abort();
    }
    // With refunds, failures and others, the work of at most 30 000 points is soon done.
    assert!(begun.elapsed() < Duration::from_secs(3600), "seed {seed}");
    let level = shop.level();
    assert_eq!(
        (level.calls, shop.waiting()),
        (0, 0),
        "seed {seed}: points leak"
    );
    assert!(level.in_flight.abs() < 1e-6, "seed {seed}");
    sleep(Duration::from_secs(300)).await;
    assert!(
        (shop.level().available - level.maximum).abs() < 1e-3,
        "seed {seed}"
    );
}

/// `TOLLGATE_WORLDS` sets how many; 1 000 take some 15 seconds.
#[test]
fn a_thousand_worlds() {
    let worlds = std::env::var("TOLLGATE_WORLDS").ok();
    let worlds = worlds
        .and_then(|worlds| worlds.parse().ok())
        .unwrap_or(1000);
    for seed in 0..worlds {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(world(seed));
    }
}

#[tokio::test(start_paused = true)]
async fn twenty_thousand_calls_in_a_storm() {
    let till = Till::new(2e6, 1e5, |number| {
        [5, number * 31 % 90, 5].map(Duration::from_millis)
    });
    fail(&till, 30, 7);
    let shop = Arc::new(client(&till).build().unwrap());
    let mut tasks = JoinSet::new();
    for task in 0..40_u64 {
        let shop = Arc::clone(&shop);
        tasks.spawn(async move {
            let mut outcomes = Vec::new();
            for number in 0..500 {
                let id = task * 500 + number;
                let purchase = Purchase::of(id, 20, 15);
                let outcome = match id % 3 {
                    0 => shop.run::<Spend>(purchase).await.map(drop),
                    1 => shop.run::<Write>(purchase).await.map(drop),
                    _ => shop.run::<WriteOnce>(purchase).await.map(drop),
                };
                outcomes.push((id, outcome));
            }
            outcomes
        });
    }
    let mut outcomes = Vec::new();
    while let Some(done) = tasks.join_next().await {
        outcomes.extend(done.unwrap());
    }
    let ran = till.count().ran;
    let times = |id: &u64| ran.get(id).copied().unwrap_or(0);
    let mut unknown = 0;
    for (id, outcome) in &outcomes {
        let write = id % 3 == 1;
        match outcome {
            Ok(()) if write => assert_eq!(times(id), 1, "write {id} was answered"),
            Ok(()) => assert!(times(id) >= 1),
            Err(error) if write && error.outcome_is_unknown() => {
                unknown += 1;
                assert!(times(id) <= 1, "write {id} was doubled");
            }
            Err(error) if write => {
                assert_eq!(times(id), 0, "write {id} is said not to have run: {error}");
            }
            Err(error) => assert!(error.context().attempts > 1, "{error}"),
        }
    }
    assert_eq!(outcomes.len(), 20_000);
    assert!(unknown > 500, "the storm was one: {unknown}");
    let failed = outcomes
        .iter()
        .filter(|(_, outcome)| outcome.is_err())
        .count();
    println!("{failed} of 20 000 failed, {unknown} writes of unknown outcome");
    assert_eq!((shop.level().calls, shop.waiting()), (0, 0));
}
