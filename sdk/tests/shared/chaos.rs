//! Several processes on one bucket, and one of them in trouble.

use std::{
    process::{Child, Command, Stdio},
    time::Duration,
};

use tokio::task::JoinSet;
use tollgate::{Client, shared::RedisLedger};

use crate::{
    Server, connect,
    server::signal,
    steady,
    till::{Purchase, Spend, Till},
    wire::{self, Wire},
};

const CALLS: u64 = 40;
const TASKS: u64 = 4;

/// The part of a worker process, when this test program is run as one.
#[tokio::test]
async fn worker() {
    let (Ok(redis), Ok(shop)) = (std::env::var("WORKER_REDIS"), std::env::var("WORKER_SHOP"))
    else {
        return;
    };
    let patience = std::env::var("WORKER_PATIENCE").unwrap().parse().unwrap();
    let builder = RedisLedger::builder([redis]).patience(Duration::from_millis(patience));
    let ledger = builder.connect().await.unwrap();
    let shop = Client::builder("test.myshopify.com", "token")
        .transport(Wire(shop.parse().unwrap()))
        .ledger(&ledger)
        .attempt_timeout(Duration::from_secs(1))
        .build()
        .unwrap();
    let mut tasks = JoinSet::new();
    for task in 0..TASKS {
        let shop = shop.clone();
        tasks.spawn(async move {
            for id in 0..CALLS / TASKS {
                let requested = 10 + (id * 31 + task * 17) % 90;
                let call = Purchase::of(id, requested, requested * 2 / 3);
                let _ = shop.run::<Spend>(call).await.unwrap();
            }
        });
    }
    tasks.join_all().await;
}

fn start(wrapper: &[&str], patience: u32, server: &Server, shop: std::net::SocketAddr) -> Child {
    let this = std::env::current_exe().unwrap();
    let this = this.to_str().unwrap();
    let words: Vec<&str> = wrapper
        .iter()
        .copied()
        .chain([this, "--exact", "chaos::worker"])
        .collect();
    Command::new(words[0])
        .args(&words[1..])
        .env("WORKER_REDIS", server.url())
        .env("WORKER_PATIENCE", patience.to_string())
        .env("WORKER_SHOP", shop.to_string())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

async fn finish(child: Child) {
    let ended = tokio::task::spawn_blocking(move || child.wait_with_output());
    let output = ended.await.unwrap().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_killed_stores_paused_flushed_and_restarted() {
    let Some(mut server) = Server::start().await else {
        return;
    };
    let till = Till::new(600.0, 400.0, steady(1, 10, 1));
    let shop = wire::serve(till.clone()).await;
    let mut workers: Vec<Child> = (0..4).map(|_| start(&[], 50, &server, shop)).collect();
    let step = Duration::from_millis(600);
    // Until all are at work.
    while till.count().requests < 20 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let mut dead = workers.pop().unwrap();
    signal("KILL", dead.id());
    dead.wait().unwrap();
    tokio::time::sleep(step).await;
    server.pause();
    tokio::time::sleep(Duration::from_secs(5)).await;
    server.resume();
    tokio::time::sleep(step).await;
    let () = server.command("FLUSHALL").await;
    tokio::time::sleep(step).await;
    server.kill();
    tokio::time::sleep(step).await;
    server.restart().await;
    for worker in workers {
        finish(worker).await;
    }
    let count = till.count();
    println!(
        "{} of {} requests throttled",
        count.throttled, count.requests
    );
    // Every call of the survivors ran once.
    let served = count.requests - count.throttled;
    assert!(served >= 3 * CALLS, "{served}");
    // Three processes that each go by what they saw admit too much for a moment, at each of three
    // changes: no more than a bucket full of calls.
    assert!(count.throttled <= 60, "{}", count.throttled);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_points_of_a_killed_worker_come_back() {
    let Some(server) = Server::start().await else {
        return;
    };
    let till = Till::new(600.0, 400.0, steady(1, 300, 1));
    let shop = wire::serve(till.clone()).await;
    let mut worker = start(&[], 5000, &server, shop);
    while till.count().requests < 5 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    signal("KILL", worker.id());
    worker.wait().unwrap();
    let ledger = connect(&server).await;
    let (_, before) = ledger.buckets().await.unwrap()[0].clone();
    assert!(before.level.calls > 0, "{before:?}");
    // Its calls were charged, as far as anybody knows, and what they took restores.
    tokio::time::sleep(Duration::from_secs(3)).await;
    let (_, after) = ledger.buckets().await.unwrap()[0].clone();
    assert!((after.level.available - 600.0).abs() < 1.0, "{after:?}");
    assert_eq!(till.count().throttled, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_whose_clock_is_an_hour_off_is_as_good_as_the_others() {
    let Some(server) = Server::start().await else {
        return;
    };
    if Command::new("faketime").arg("--version").output().is_err() {
        println!("skipped: faketime is not installed");
        return;
    }
    let till = Till::new(600.0, 800.0, steady(1, 10, 1));
    let shop = wire::serve(till.clone()).await;
    let wrong = start(&["faketime", "-f", "+1h"], 5000, &server, shop);
    let slow = start(&["faketime", "-f", "-1h"], 5000, &server, shop);
    let right = start(&[], 5000, &server, shop);
    for worker in [wrong, slow, right] {
        finish(worker).await;
    }
    assert_eq!(till.count().throttled, 0);
    assert_eq!(till.count().requests, 3 * CALLS);
}
