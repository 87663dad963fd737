//! Several workers with one ledger, in a store in this process and on paused time.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{
    task::JoinSet,
    time::{Instant, sleep},
};
use tollgate::{
    Admission, Client, ErrorKind, Event, Ledgers, Priority, WaitReason, What,
    shared::{
        Application, Bucket, Grant, InProcess, Settlement, Standing, Store, StoreError, conformance,
    },
    transport::BoxFuture,
};

use crate::{
    client, steady,
    till::{Purchase, Spend, Till},
};

/// A store that can be made to hang or to refuse.
#[derive(Clone, Default)]
struct Moody {
    store: InProcess,
    hangs: Arc<AtomicBool>,
    refuses: Arc<AtomicBool>,
}

impl Moody {
    async fn mood(&self) -> Result<(), StoreError> {
        while self.hangs.load(Ordering::Relaxed) {
            sleep(Duration::from_millis(5)).await;
        }
        if self.refuses.load(Ordering::Relaxed) {
            return Err(StoreError::new("not today"));
        }
        Ok(())
    }
}

impl Store for Moody {
    fn apply<'a>(
        &'a self,
        bucket: &'a Bucket,
        application: &'a Application,
    ) -> BoxFuture<'a, Result<Grant, StoreError>> {
        Box::pin(async move {
            self.mood().await?;
            self.store.apply(bucket, application).await
        })
    }

    fn settle<'a>(
        &'a self,
        bucket: &'a Bucket,
        settlement: &'a Settlement,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            self.mood().await?;
            self.store.settle(bucket, settlement).await
        })
    }

    fn read<'a>(
        &'a self,
        bucket: &'a Bucket,
    ) -> BoxFuture<'a, Result<Option<Standing>, StoreError>> {
        Box::pin(async move {
            self.mood().await?;
            self.store.read(bucket).await
        })
    }

    fn called<'a>(&'a self, bucket: &'a Bucket, worker: &'a str) -> BoxFuture<'a, ()> {
        self.store.called(bucket, worker)
    }
}

const PATIENCE: Duration = Duration::from_millis(50);

/// A worker of the fleet that shares `store`.
fn worker(till: &Till, store: &Moody, name: &str) -> Client {
    let ledgers = Ledgers::in_store(store.clone(), name, PATIENCE);
    client(till).ledger(&ledgers).build().unwrap()
}

async fn standing(store: &Moody) -> Standing {
    let bucket = Bucket::new("", "test.myshopify.com");
    store.store.read(&bucket).await.unwrap().unwrap()
}

#[tokio::test(start_paused = true)]
async fn the_store_in_process_keeps_all_promises() {
    let store = InProcess::new();
    conformance::check(&[Arc::new(store.clone()), Arc::new(store)]).await;
}

#[tokio::test(start_paused = true)]
async fn four_workers_spend_one_bucket_without_a_throttle() {
    let till = Till::new(2000.0, 100.0, |number| {
        [15, 20 + number * 37 % 180, 10].map(Duration::from_millis)
    });
    let store = Moody::default();
    let begun = Instant::now();
    let mut tasks = JoinSet::new();
    let mut points = 0;
    for number in 0..4 {
        let shop = worker(&till, &store, &number.to_string());
        for task in 0..8 {
            let shop = shop.clone();
            let calls: Vec<_> = (0..10)
                .map(|id| {
                    let requested = 10 + (id * 71 + number * 13 + task * 29) % 290;
                    Purchase::of(id, requested, requested - requested * (id % 3) / 4)
                })
                .collect();
            points += calls.iter().map(|call| call.actual).sum::<u64>();
            tasks.spawn(async move {
                for call in calls {
                    let _ = shop.run::<Spend>(call).await.unwrap();
                }
            });
        }
    }
    tasks.join_all().await;
    let took = begun.elapsed().as_secs_f64();
    let least = (points as f64 - 2000.0) / 100.0;
    println!("took {took:.2} s, least {least:.2} s");
    assert_eq!(till.count().throttled, 0);
    assert!(took < 1.02 * least, "took {took:.2} s, least {least:.2} s");
    // Nothing is left behind.
    sleep(Duration::from_millis(10)).await;
    let left = standing(&store).await;
    assert_eq!((left.level.calls, left.waiting), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn cancelled_calls_leave_nothing_behind() {
    let till = Till::new(1000.0, 100.0, steady(5, 10, 5));
    let store = Moody::default();
    let shops = [worker(&till, &store, "a"), worker(&till, &store, "b")];
    for shop in &shops {
        let _ = shop.run::<Spend>(Purchase::of(0, 10, 10)).await.unwrap();
    }
    // Cancelled at every stage: asking, in the line, at the head of the queue, on the wire.
    till.set_level(300.0);
    let _ = shops[0]
        .run::<Spend>(Purchase::of(0, 10, 10))
        .await
        .unwrap();
    for round in 0..60_u64 {
        let calls: Vec<_> = (0..6)
            .map(|call| {
                let shop = shops[call % 2].clone();
                let cost = 30 + round % 7 * 20;
                tokio::spawn(async move {
                    let _ = shop.run::<Spend>(Purchase::of(1, cost, cost)).await;
                })
            })
            .collect();
        sleep(Duration::from_millis(round % 11)).await;
        for (index, call) in (0_u64..).zip(&calls) {
            if (index + round) % 3 != 0 {
                call.abort();
            }
        }
        tokio::task::yield_now().await;
        calls.iter().for_each(tokio::task::JoinHandle::abort);
    }
    sleep(Duration::from_millis(100)).await;
    let left = standing(&store).await;
    assert_eq!((left.level.calls, left.waiting), (0, 0), "{left:?}");
    assert_eq!(shops[0].waiting() + shops[1].waiting(), 0);
    let _ = shops[0]
        .run::<Spend>(Purchase::of(2, 900, 900))
        .await
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn waits_are_announced_deadlines_kept_and_priorities_heeded() {
    let till = Till::new(1000.0, 100.0, steady(0, 1, 0));
    let store = Moody::default();
    let waits = Arc::new(Mutex::new(Vec::new()));
    let note = Arc::clone(&waits);
    let observer = move |event: &Event<'_>| {
        if let What::Wait { reason, length, .. } = event.what {
            note.lock().unwrap().push((reason, length));
        }
    };
    let ledgers = Ledgers::in_store(store.clone(), "a", PATIENCE);
    let shop = client(&till)
        .ledger(&ledgers)
        .observer(observer)
        .build()
        .unwrap();
    let _ = shop.run::<Spend>(Purchase::of(0, 10, 10)).await.unwrap();
    assert!(waits.lock().unwrap().is_empty(), "there was no wait");
    let _ = shop.run::<Spend>(Purchase::of(0, 990, 990)).await.unwrap();
    let begun = Instant::now();
    let _ = shop.run::<Spend>(Purchase::of(0, 200, 200)).await.unwrap();
    let told = waits.lock().unwrap().clone();
    let [(WaitReason::Points, length)] = *told else {
        panic!("one wait: {told:?}");
    };
    assert!((1900..=2100).contains(&length.as_millis()), "{length:?}");
    assert!((1900..=2100).contains(&begun.elapsed().as_millis()));
    // A deadline that cannot be kept fails now.
    let begun = Instant::now();
    let call = shop.call::<Spend>(Purchase::of(0, 300, 300));
    let late = call.deadline(Duration::from_secs(1)).await.unwrap_err();
    assert!(
        matches!(
            late.kind(),
            ErrorKind::Deadline {
                retry_at: Some(_),
                ..
            }
        ),
        "{late:?}"
    );
    assert!(begun.elapsed() < Duration::from_millis(20));
    // Above the bucket's maximum nothing waits either.
    till.set_limits(400.0, 100.0);
    let _ = shop.run::<Spend>(Purchase::of(0, 10, 10)).await.unwrap();
    let dear = shop
        .run::<Spend>(Purchase::of(0, 500, 500))
        .await
        .unwrap_err();
    assert!(matches!(dear.kind(), ErrorKind::TooDear { .. }), "{dear:?}");
    // Of two workers' calls the urgent one goes first.
    let other = worker(&till, &store, "b");
    let first = Arc::new(Mutex::new(Vec::new()));
    let mut tasks = JoinSet::new();
    for (shop, priority) in [(&shop, Priority::Low), (&other, Priority::High)] {
        let (shop, first) = (shop.clone(), Arc::clone(&first));
        tasks.spawn(async move {
            let call = shop
                .call::<Spend>(Purchase::of(0, 390, 390))
                .priority(priority);
            let _ = call.await.unwrap();
            first.lock().unwrap().push(priority);
        });
        sleep(Duration::from_millis(10)).await;
    }
    tasks.join_all().await;
    assert_eq!(*first.lock().unwrap(), [Priority::High, Priority::Low]);
}

#[tokio::test(start_paused = true)]
async fn asking_without_waiting_takes_no_place() {
    let till = Till::new(1000.0, 100.0, steady(0, 1, 0));
    let store = Moody::default();
    let shop = worker(&till, &store, "a");
    let _ = shop.run::<Spend>(Purchase::of(0, 10, 10)).await.unwrap();
    let Admission::Ready(permit) = shop
        .try_admit::<Spend>(Purchase::of(0, 900, 900))
        .await
        .unwrap()
    else {
        panic!("there is enough");
    };
    let Admission::NotBefore(at) = shop
        .try_admit::<Spend>(Purchase::of(0, 500, 500))
        .await
        .unwrap()
    else {
        panic!("there is not enough for two");
    };
    assert!(at > Instant::now().into_std() + Duration::from_secs(3));
    assert_eq!(standing(&store).await.waiting, 0);
    let call = shop.call::<Spend>(Purchase::of(0, 900, 900)).permit(permit);
    let answer = call.await.unwrap();
    assert_eq!(answer.waits.gate, Duration::ZERO);
    let Admission::Ready(permit) = shop
        .try_admit::<Spend>(Purchase::of(0, 50, 50))
        .await
        .unwrap()
    else {
        panic!("there is enough");
    };
    drop(permit);
    sleep(Duration::from_millis(1)).await;
    assert_eq!(standing(&store).await.level.calls, 0);
}

#[tokio::test(start_paused = true)]
async fn a_store_that_hangs_or_refuses_stops_nobody() {
    let till = Till::new(1000.0, 100.0, steady(0, 1, 0));
    let store = Moody::default();
    let changes = Arc::new(Mutex::new(Vec::new()));
    let note = Arc::clone(&changes);
    let observer = move |event: &Event<'_>| match event.what {
        What::LedgerAway { error } => note.lock().unwrap().push(error.to_string()),
        What::LedgerBack => note.lock().unwrap().push("back".to_owned()),
        _ => {}
    };
    let ledgers = Ledgers::in_store(store.clone(), "a", PATIENCE);
    let shop = client(&till)
        .ledger(&ledgers)
        .observer(observer)
        .build()
        .unwrap();
    let _ = shop.run::<Spend>(Purchase::of(0, 10, 10)).await.unwrap();
    let spend = async |calls: u64| {
        let begun = Instant::now();
        let calls = (0..calls).map(|id| {
            let shop = shop.clone();
            async move { shop.run::<Spend>(Purchase::of(id, 5, 5)).await.map(drop) }
        });
        JoinSet::from_iter(calls)
            .join_all()
            .await
            .into_iter()
            .for_each(Result::unwrap);
        begun.elapsed()
    };
    store.hangs.store(true, Ordering::Relaxed);
    // All of them wait for the store once, together.
    assert!(spend(20).await <= PATIENCE + Duration::from_millis(5));
    assert!(
        spend(20).await <= Duration::from_millis(5),
        "they know by now"
    );
    store.hangs.store(false, Ordering::Relaxed);
    sleep(Duration::from_secs(1)).await;
    spend(1).await;
    // What it granted too late came back, and it was told what was spent meanwhile.
    let left = standing(&store).await;
    assert!(
        left.level.available <= till.level() + 2.0,
        "{left:?} {}",
        till.level()
    );
    store.refuses.store(true, Ordering::Relaxed);
    spend(5).await;
    store.refuses.store(false, Ordering::Relaxed);
    sleep(Duration::from_secs(1)).await;
    spend(1).await;
    sleep(Duration::from_millis(100)).await;
    assert_eq!(standing(&store).await.level.calls, 0);
    let slow = "the store did not reply within 50 ms";
    let failed = "the store failed: not today";
    assert_eq!(*changes.lock().unwrap(), [slow, "back", failed, "back"]);
    assert_eq!(till.count().throttled, 0);
}

#[tokio::test(start_paused = true)]
async fn without_the_store_throttles_stay_few() {
    // The other way to share a bucket: each worker by itself learns from the answers.
    let till = Till::new(2000.0, 100.0, steady(20, 50, 20));
    let mut tasks = JoinSet::new();
    for number in 0..4 {
        let shop = client(&till).build().unwrap();
        tasks.spawn(async move {
            for id in 0..60 {
                let requested = 20 + (id * 37 + number * 11) % 150;
                let call = Purchase::of(id, requested, requested * 2 / 3);
                let _ = shop.run::<Spend>(call).await.unwrap();
            }
        });
    }
    tasks.join_all().await;
    let count = till.count();
    println!("{} of {} throttled", count.throttled, count.requests);
    assert!(count.throttled * 5 < count.requests, "{count:?}");
}
