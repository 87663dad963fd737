//! Three answers in ten are faulty, in every way the emulated shop knows: no mutation is lost or
//! doubled, every failure has its kind, and everything comes to an end.

use std::{collections::BTreeMap, time::Duration};

use tokio::{task::JoinSet, time::timeout};
use tollgate::{Client, Error};
use tollgate_shop::{Fault, Latency, Shop, Storm};

use crate::operations::{adjust, tag, titles};

/// What a call was, and the mark by which the shop's log knows it.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Read,
    /// A mutation without a key: never repeated without proof.
    Tag,
    /// A mutation with a key.
    Adjust,
}

fn mark(id: u64) -> String {
    format!("call-{id}")
}

async fn call(shop: &Client, id: u64) -> (Kind, Result<(), Error>) {
    match id % 3 {
        0 => {
            let variables = titles::Variables { first: 5 };
            (Kind::Read, titles(shop, variables).await.map(drop))
        }
        1 => {
            let variables = tag::Variables {
                id: "gid://shopify/Product/1".into(),
                tag: mark(id),
            };
            (Kind::Tag, tag(shop, variables).await.map(drop))
        }
        _ => {
            let variables = adjust::Variables {
                reason: mark(id),
                key: String::new(),
            };
            (Kind::Adjust, adjust(shop, variables).await.map(drop))
        }
    }
}

/// Answers that do not come, or do not end: only the client's own limits end them.
fn without_end() -> Vec<Fault> {
    let faults = [Fault::silence(), Fault::stalled(), Fault::endless_body()];
    let ran = faults.clone().map(Fault::after_execution);
    faults.into_iter().chain(ran).collect()
}

/// The name of an error's kind.
fn name(error: &Error) -> String {
    let text = format!("{:?}", error.kind());
    let end = text.find([' ', '{', '(']).unwrap_or(text.len());
    text[..end].to_owned()
}

/// `TOLLGATE_CALLS` sets how many: 20 000 take 20 seconds of an idle processor, unoptimised.
#[tokio::test(start_paused = true)]
async fn no_mutation_is_lost_or_doubled_in_a_storm() {
    let calls = std::env::var("TOLLGATE_CALLS").ok();
    let calls = calls.and_then(|calls| calls.parse().ok()).unwrap_or(6_000);
    let server = Shop::builder()
        .bucket(20_000, 2_000)
        .latency(Latency::between(
            Duration::from_millis(10),
            Duration::from_millis(200),
        ))
        .storm(
            Storm::new(5)
                .with(0.28, Fault::every_kind())
                .with(0.03, without_end()),
        )
        .build()
        .unwrap();
    let shop = Client::builder("storm.myshopify.com", "shpat_storm")
        .transport(server.clone())
        .attempt_timeout(Duration::from_secs(5))
        .build()
        .unwrap();

    let mut tasks = JoinSet::new();
    for task in 0..40 {
        let shop = shop.clone();
        tasks.spawn(async move {
            let mut outcomes = Vec::new();
            for id in (task..calls).step_by(40) {
                outcomes.push((id, call(&shop, id).await));
            }
            outcomes
        });
    }
    let week = Duration::from_secs(7 * 24 * 3600);
    let outcomes = timeout(week, tasks.join_all())
        .await
        .expect("nothing hangs");

    // How often each call took effect, as the shop saw it.
    let mut ran = BTreeMap::<String, u32>::new();
    let log = server.log();
    for record in log.iter().filter(|record| !record.ran.is_empty()) {
        let variables = &record.variables;
        let mark = variables.get("tag").or_else(|| variables.get("reason"));
        let mark = mark.and_then(|mark| mark.as_str()).unwrap().to_owned();
        *ran.entry(mark).or_default() += 1;
    }
    let mut kinds = BTreeMap::<String, u32>::new();
    let (mut answered, mut unknown) = (0_u32, 0);
    for (id, (kind, outcome)) in outcomes.into_iter().flatten() {
        let times = ran.remove(&mark(id)).unwrap_or(0);
        assert!(times <= 1, "call {id} ran {times} times");
        match outcome {
            Ok(()) => {
                answered += 1;
                assert!(kind == Kind::Read || times == 1, "call {id} is lost");
            }
            Err(error) => {
                *kinds.entry(name(&error)).or_default() += 1;
                if error.outcome_is_unknown() {
                    unknown += 1;
                    assert!(kind != Kind::Read, "{error}");
                } else {
                    assert_eq!(times, 0, "call {id} is said not to have run: {error:?}");
                }
            }
        }
    }
    assert!(ran.is_empty(), "the shop ran what nobody called: {ran:?}");
    let summary = server.summary();
    let share = summary.faults * 100 / summary.requests;
    println!("{answered} of {calls} answered, {unknown} unknown, failures: {kinds:?}");
    println!("{} requests, {share} % faulty", summary.requests);
    assert!((28..=32).contains(&share), "{share} % were faulty");
    assert!(kinds.len() >= 8, "{kinds:?}");
    assert!(
        u64::from(answered) * 10 > calls * 8,
        "{answered} of {calls}"
    );
    assert_eq!((shop.level().calls, shop.waiting()), (0, 0));
}
