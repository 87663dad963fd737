//! What the store promises, and what it costs.

use std::{sync::Arc, time::Duration};

use tokio::task::JoinSet;
use tollgate::{
    ledger::{Charge, ThrottleStatus},
    shared::{Application, Bid, Bucket, Ending, Settlement, Store, conformance},
};

use crate::{
    Server, client, connect, steady,
    till::{Purchase, Spend, Till},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_keeps_all_promises() {
    let Some(server) = Server::start().await else {
        return;
    };
    let mut handles: Vec<Arc<dyn Store>> = Vec::new();
    for _ in 0..3 {
        handles.push(Arc::new(connect(&server).await.store()));
    }
    conformance::check(&handles).await;
}

#[tokio::test]
async fn a_bucket_is_one_small_key_that_outlives_its_use() {
    let Some(server) = Server::start().await else {
        return;
    };
    let ledger = connect(&server).await;
    let till = Till::new(2000.0, 2.0, steady(0, 1, 0));
    let shop = client(&till, &ledger).app_id("app").build().unwrap();
    let _ = shop
        .run::<Spend>(Purchase::of(1, 1000, 1000))
        .await
        .unwrap();
    let keys: Vec<String> = server.command("KEYS *").await;
    let [key] = &*keys else {
        panic!("one key per bucket: {keys:?}");
    };
    assert_eq!(key, "tollgate:{app:test.myshopify.com}");
    // Full again after 500 seconds, at least.
    let left: u64 = server.command(&format!("PTTL {key}")).await;
    assert!((500_000..1_300_000).contains(&left), "{left}");
    let memory: u64 = server.command(&format!("MEMORY USAGE {key}")).await;
    println!("{memory} bytes for a bucket");
    assert!(memory < 1200, "{memory}");
    // And for each call in flight.
    let bids = vec![Bid::new(1.into()); 20];
    let bucket = Bucket::new("app", "test.myshopify.com");
    let application = Application::new("someone", 0, bids);
    let granted = ledger.store().apply(&bucket, &application).await.unwrap();
    assert_eq!(granted.granted, 20);
    let more: u64 = server.command(&format!("MEMORY USAGE {key}")).await;
    println!("{} bytes for a call in flight", (more - memory) / 20);
    assert!(more - memory < 20 * 200, "{more}");
    let (listed, standing) = &ledger.buckets().await.unwrap()[0];
    assert_eq!(*listed, bucket);
    assert_eq!(standing.level.calls, 20);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_takes_two_commands_and_one_more_when_it_waits() {
    let Some(server) = Server::start().await else {
        return;
    };
    let till = Till::new(1000.0, 2000.0, steady(0, 2, 0));
    let shop = client(&till, &connect(&server).await).build().unwrap();
    for id in 0..50 {
        let _ = shop.run::<Spend>(Purchase::of(id, 10, 10)).await.unwrap();
    }
    let alone = server.scripts_run().await;
    // One more to load the script.
    assert!(alone <= 2 * 50 + 1, "{alone}");
    // Four workers that wait all the time.
    let calls = 400;
    let mut tasks = JoinSet::new();
    for _ in 0..4 {
        let shop = client(&till, &connect(&server).await).build().unwrap();
        for task in 0..4 {
            let shop = shop.clone();
            tasks.spawn(async move {
                for id in 0..calls / 16 {
                    let requested = 20 + (id * 13 + task * 7) % 60;
                    let call = Purchase::of(1000 + id, requested, requested / 2);
                    let _ = shop.run::<Spend>(call).await.unwrap();
                }
            });
        }
    }
    tasks.join_all().await;
    let per_call = (server.scripts_run().await - alone) as f64 / calls as f64;
    println!("{per_call:.2} commands for a call that waits");
    assert!(per_call <= 5.0, "{per_call}");
    assert_eq!(till.count().throttled, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dear_call_gets_through_a_stream_of_cheap_ones() {
    let Some(server) = Server::start().await else {
        return;
    };
    let till = Till::new(1000.0, 500.0, steady(0, 2, 0));
    till.set_level(0.0);
    let stream = client(&till, &connect(&server).await).build().unwrap();
    let mut tasks = JoinSet::new();
    for _ in 0..8 {
        let shop = stream.clone();
        tasks.spawn(async move {
            loop {
                let _ = shop.run::<Spend>(Purchase::of(1, 20, 20)).await.unwrap();
            }
        });
    }
    let dear = client(&till, &connect(&server).await).build().unwrap();
    tokio::time::sleep(Duration::from_millis(300)).await;
    let begun = std::time::Instant::now();
    let _ = dear.run::<Spend>(Purchase::of(2, 600, 600)).await.unwrap();
    // Its own points take 1.2 seconds; those of the few that came before it 0.3.
    let took = begun.elapsed();
    assert!(took < Duration::from_millis(2200), "{took:?}");
    tasks.abort_all();
}

#[tokio::test]
async fn limits_that_stop_every_call_are_asked_for_again() {
    let Some(server) = Server::start().await else {
        return;
    };
    let ledger = connect(&server).await;
    let store = ledger.store();
    for (shop, maximum, rate) in [
        ("small", 10.0, 1.0),
        ("slow", 1e3, 1e-9),
        ("still", 1e3, 1e-300),
    ] {
        let bucket = Bucket::new("app", shop);
        let told = ThrottleStatus::new(maximum, 0.0, rate);
        let ending = Ending::Sent {
            charge: Charge::Unknown,
            status: told,
        };
        let settled = Settlement::new("another", None, ending);
        store.settle(&bucket, &settled).await.unwrap();
        let ask = async |first| {
            let bids = vec![Bid::new(20.into()); 2];
            let mut application = Application::new("someone", first, bids);
            application.stay = false;
            store.apply(&bucket, &application).await.unwrap().granted
        };
        assert_eq!(ask(0).await, 0, "{shop}");
        // A minute passes.
        let key = format!("tollgate:{{app:{shop}}}");
        let told: f64 = server.command(&format!("HGET {key} i")).await;
        let () = server
            .command(&format!("HSET {key} i {:.0}", told - 60e6))
            .await;
        // One finds out for all.
        assert_eq!(ask(2).await, 1, "{shop}");
        assert_eq!(ask(4).await, 0, "{shop}");
    }
}
