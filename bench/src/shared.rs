//! Four processes on one bucket, in real time: with a shared ledger, and without.

mod fleet;
#[path = "../../sdk/tests/shared/server.rs"]
#[allow(dead_code, clippy::unwrap_used)]
mod server;
mod trip;
#[path = "../../sdk/tests/shared/wire.rs"]
#[allow(unreachable_pub, missing_docs, clippy::unwrap_used)]
mod wire;
mod worker;

use std::{
    net::SocketAddr,
    process::{Child, Command},
    time::Instant,
};

use self::server::Server;
use crate::Failure;
use crate::gate::{
    Bucket, Case, clairvoyant,
    till::{self, Till},
    work::Work,
};

/// 2 000 points, 1 000 a second.
const BUCKET: Bucket = Bucket {
    maximum: 2000.0,
    rate: 1000.0,
};

const PROCESSES: usize = 4;
const TASKS: usize = 8;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Calls in all
    #[arg(long, default_value_t = 400)]
    calls: u64,
    /// Shops of the fleet whose load on the store is measured
    #[arg(long, default_value_t = 10_000)]
    shops: usize,
    /// The part of a process: started by the benchmark itself
    #[command(flatten)]
    part: worker::Part,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    runtime.block_on(async {
        match &args.part.shop {
            Some(shop) => worker::run(&args.part, *shop, args.calls).await,
            None => compare(args).await,
        }
    })
}

/// What came of the processes together.
struct Outcome {
    makespan: f64,
    throttled: u64,
    requests: u64,
    commands: u64,
}

impl Outcome {
    fn share(&self) -> f64 {
        self.throttled as f64 / self.requests.max(1) as f64
    }
}

async fn compare(args: &Args) -> Result<(), Failure> {
    let Some(server) = Server::start().await else {
        return Err("there is no redis-server".into());
    };
    trip::measure(&server).await?;
    fleet::measure(&server, args.shops).await?;
    fleet::crowd(&server).await?;
    let case = Case {
        bucket: BUCKET,
        work: Work::mixed(args.calls, 0),
        tasks: PROCESSES * TASKS,
        spending: None,
    };
    let ideal = clairvoyant::run(&case).makespan;
    let least = (case.work.points() as f64 - BUCKET.maximum) / BUCKET.rate;
    println!("one client that sees the future: {ideal:.2} s; the bucket allows {least:.2} s");
    let apart = together(args, &case, &server, false).await?;
    let shared = together(args, &case, &server, true).await?;
    for (name, outcome) in [("each for itself", &apart), ("shared ledger", &shared)] {
        println!(
            "{PROCESSES} processes × {TASKS} tasks, {name}: {:.2} s (× {:.4}), throttled {} of {} requests",
            outcome.makespan,
            outcome.makespan / ideal,
            outcome.throttled,
            outcome.requests,
        );
    }
    println!(
        "throttled_share={:.4} makespan_ratio={:.4} commands_per_call={:.2}",
        shared.share(),
        shared.makespan / ideal,
        shared.commands as f64 / args.calls as f64,
    );
    Ok(())
}

async fn together(
    args: &Args,
    case: &Case,
    server: &Server,
    shared: bool,
) -> Result<Outcome, Failure> {
    let ways = case.work.ways();
    let till = Till::by_call(BUCKET.maximum, BUCKET.rate, move |id| {
        ways.get(&id).copied().unwrap_or_default()
    });
    let shop = wire::serve(till.clone()).await;
    let before = server.scripts_run().await;
    let begun = Instant::now();
    let workers: Result<Vec<Child>, _> = (0..PROCESSES)
        .map(|number| start(number, args.calls, shop, shared.then(|| server.url())))
        .collect();
    for mut worker in workers? {
        let status = tokio::task::spawn_blocking(move || worker.wait()).await??;
        if !status.success() {
            return Err("a call failed".into());
        }
    }
    let count = till.count();
    Ok(Outcome {
        makespan: begun.elapsed().as_secs_f64(),
        throttled: count.throttled,
        requests: count.requests,
        commands: server.scripts_run().await - before,
    })
}

fn start(
    number: usize,
    calls: u64,
    shop: SocketAddr,
    redis: Option<String>,
) -> std::io::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["shared", "--calls", &calls.to_string()]);
    command.args(["--shop", &shop.to_string(), "--number", &number.to_string()]);
    if let Some(redis) = redis {
        command.args(["--redis", &redis]);
    }
    command.spawn()
}
