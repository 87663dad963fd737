//! The load of a large fleet on the store: how many commands it takes in a second, and how much
//! memory.

use std::sync::Arc;
use std::time::Instant;

use tokio::task::JoinSet;
use tollgate::{
    Points,
    ledger::{Charge, ThrottleStatus},
    shared::{Application, Bid, Bucket, Ending, RedisLedger, Settlement, Store},
};

use super::Server;
use crate::Failure;

const WORKERS: usize = 1000;
/// Connections of the benchmark; each speaks for many workers.
const CONNECTIONS: usize = 8;
/// Calls that each connection has under way.
const AT_ONCE: usize = 32;
/// Points of a call, and points that a shop restores in a second, to reckon with.
const COST: f64 = 50.0;
const RATE: f64 = 100.0;

pub(super) async fn measure(server: &Server, shops: usize) -> Result<(), Failure> {
    let empty = memory(server).await;
    let mut ledgers = Vec::new();
    for _ in 0..CONNECTIONS {
        ledgers.push(RedisLedger::connect(&server.url()).await?);
    }
    // Every shop with its bucket, and one call in flight in each.
    let begun = Instant::now();
    each(&ledgers, shops, |store, shop| async move {
        known(&*store, shop).await?;
        take(&*store, shop, 0).await
    })
    .await?;
    let taken = memory(server).await.saturating_sub(empty) / shops.max(1) as u64;
    println!(
        "{shops} shops with a call in flight: {taken} bytes each, {:.1} MB in all ({:.1} s to set up)",
        taken as f64 * shops as f64 / 1e6,
        begun.elapsed().as_secs_f64()
    );
    let (begun, before) = (Instant::now(), busy(server).await);
    each(&ledgers, shops, |store, shop| async move {
        take(&*store, shop, 1).await?;
        settle(&*store, shop, 1).await
    })
    .await?;
    let commands = 2.0 * shops as f64;
    // What the machine does besides is not the store's.
    let per_command = (busy(server).await - before) / commands;
    let per_second = 1.0 / per_command;
    println!(
        "commands of {WORKERS} workers: {:.0} a second here; {:.0} µs of the server each, {per_second:.0} a \
         second on a core of its own",
        commands / begun.elapsed().as_secs_f64(),
        per_command * 1e6
    );
    // Where all shops are drained without a pause, a call waits: three commands.
    let calls = shops as f64 * RATE / COST;
    println!(
        "{shops} shops drained at {RATE} points a second by calls of {COST}: {:.0} commands a second, \
         {:.1} such cores",
        3.0 * calls,
        3.0 * calls / per_second
    );
    Ok(())
}

/// The dearest case: all workers wait for one shop.
pub(super) async fn crowd(server: &Server) -> Result<(), Failure> {
    let ledger = RedisLedger::connect(&server.url()).await?;
    let store = ledger.store();
    let bucket = Bucket::new("bench", "crowded");
    let status = ThrottleStatus::new(2000.0, 0.0, 1.0);
    let charge = Charge::Unknown;
    let drained = Settlement::new("first", None, Ending::Sent { charge, status });
    store.settle(&bucket, &drained).await?;
    let empty = memory(server).await;
    let mut took = 0.0;
    // Twice: to come, and to ask again among all.
    for _ in 0..2 {
        let before = busy(server).await;
        for number in 0..WORKERS {
            let bids = vec![Bid::new(Points(2000))];
            let application = Application::new(worker(number), 0, bids);
            store.apply(&bucket, &application).await?;
        }
        took = (busy(server).await - before) / WORKERS as f64;
    }
    println!(
        "{WORKERS} workers wait for one shop: {:.0} µs of the server for a command, {} bytes each",
        took * 1e6,
        memory(server).await.saturating_sub(empty) / WORKERS as u64
    );
    Ok(())
}

/// Does something in every shop, many at a time.
async fn each<F, W>(ledgers: &[RedisLedger], shops: usize, act: W) -> Result<(), Failure>
where
    W: Fn(Arc<dyn Store>, usize) -> F + Copy + Send + 'static,
    F: Future<Output = Result<(), Failure>> + Send,
{
    let lanes = ledgers.len() * AT_ONCE;
    let mut tasks = JoinSet::new();
    for lane in 0..lanes {
        let store: Arc<dyn Store> = Arc::new(ledgers[lane % ledgers.len()].store());
        tasks.spawn(async move {
            for shop in (lane..shops).step_by(lanes) {
                act(Arc::clone(&store), shop).await?;
            }
            Ok::<_, Failure>(())
        });
    }
    while let Some(ended) = tasks.join_next().await {
        ended??;
    }
    Ok(())
}

fn bucket(shop: usize) -> Bucket {
    Bucket::new("bench", format!("shop-{shop}.myshopify.com"))
}

fn worker(shop: usize) -> String {
    format!("{:032}", shop % WORKERS)
}

async fn known(store: &dyn Store, shop: usize) -> Result<(), Failure> {
    settle_as(store, shop, None, Charge::Unknown).await
}

async fn settle(store: &dyn Store, shop: usize, number: u64) -> Result<(), Failure> {
    settle_as(store, shop, Some(number), Charge::Actual(Points(20))).await
}

async fn settle_as(
    store: &dyn Store,
    shop: usize,
    number: Option<u64>,
    charge: Charge,
) -> Result<(), Failure> {
    let status = ThrottleStatus::new(2000.0, 1500.0, RATE);
    let ending = Ending::Sent { charge, status };
    let settlement = Settlement::new(worker(shop), number, ending);
    Ok(store.settle(&bucket(shop), &settlement).await?)
}

async fn take(store: &dyn Store, shop: usize, number: u64) -> Result<(), Failure> {
    let application = Application::new(worker(shop), number, vec![Bid::new(Points(50))]);
    store.apply(&bucket(shop), &application).await?;
    Ok(())
}

/// Seconds of processor time that the server has used.
async fn busy(server: &Server) -> f64 {
    let info: String = server.command("INFO cpu").await;
    let figure = |name: &str| {
        let line = info.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|figure| figure.trim().parse::<f64>().ok())
    };
    let (user, system) = (figure("used_cpu_user:"), figure("used_cpu_sys:"));
    user.unwrap_or(0.0) + system.unwrap_or(0.0)
}

async fn memory(server: &Server) -> u64 {
    let info: String = server.command("INFO memory").await;
    let used = info
        .lines()
        .find_map(|line| line.strip_prefix("used_memory:"));
    used.and_then(|used| used.trim().parse().ok()).unwrap_or(0)
}
