//! Many tasks on many shops for minutes, over HTTP on the loopback address: whether the points of
//! every shop are used up, whether memory stays flat, whether every task gets its turn, and
//! whether all of it can be stopped while it is busy.

mod shops;
mod watch;

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::task::JoinSet;
use tollgate::{Client, Error};

use self::{shops::Shops, watch::Watch};
use crate::Failure;

tollgate::operations! {
    schema: "../schema/admin.graphql",
    document: r#"
        query LoadPage($first: Int! @max(value: 10)) {
            products(first: $first) {
                nodes { id title variants(first: 10) { nodes { sku } } }
            }
        }
        mutation LoadTag($id: ID!, $tag: String!) {
            tagsAdd(id: $id, tags: [$tag]) { node { id } userErrors { message } }
        }
    "#,
}

#[derive(clap::Args)]
pub(crate) struct Args {
    /// How long, in minutes
    #[arg(long, default_value_t = 1.0)]
    minutes: f64,
    /// Shops, each with a bucket of its own
    #[arg(long, default_value_t = 50)]
    shops: usize,
    /// Tasks of each shop
    #[arg(long, default_value_t = 1000)]
    tasks: usize,
}

/// What one task has done.
#[derive(Default)]
struct Done {
    calls: AtomicU32,
    failed: AtomicU32,
    /// Mutations that were answered.
    tags: AtomicU32,
    /// The longest call, in milliseconds.
    longest: AtomicU32,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(load(args))
}

async fn load(args: &Args) -> Result<(), Failure> {
    let mut shops = Shops::open(args.shops).await?;
    let alive = tokio::runtime::Handle::current().metrics();
    let before = alive.num_alive_tasks();
    let mut tasks = JoinSet::new();
    let mut done = Vec::new();
    for (number, client) in shops.clients().iter().enumerate() {
        for task in 0..args.tasks {
            let tally = Arc::new(Done::default());
            done.push(Arc::clone(&tally));
            let client = client.clone();
            let id = number * args.tasks + task;
            tasks.spawn(async move { work(&client, id, &tally).await });
        }
    }
    let time = Duration::from_secs_f64(args.minutes * 60.0);
    let watch = Watch::over(&mut shops, time).await;

    // Busy as it is: calls wait in every gate and are on every wire.
    let busy = shops.clients().iter().map(Client::waiting).sum::<usize>();
    let begun = Instant::now();
    tasks.shutdown().await;
    let left = shops.left_behind();
    let tags_ran = shops.close().await;
    let stopped = begun.elapsed();
    // Connections of the clients' pools end by themselves when their server does.
    let mut orphans = alive.num_alive_tasks().saturating_sub(before);
    while orphans > 0 && begun.elapsed() < Duration::from_secs(5) {
        tokio::time::sleep(Duration::from_millis(10)).await;
        orphans = alive.num_alive_tasks().saturating_sub(before);
    }

    let fairness = Fairness::of(&done, args.tasks);
    let sum = |of: fn(&Done) -> &AtomicU32| -> u64 {
        let counts = done.iter().map(|done| of(done).load(Ordering::Relaxed));
        counts.map(u64::from).sum()
    };
    let (calls, failed, tags) = (sum(|d| &d.calls), sum(|d| &d.failed), sum(|d| &d.tags));
    println!(
        "{calls} calls of {} tasks on {} shops, {failed} failed; {tags} mutations answered, \
         {tags_ran} ran",
        done.len(),
        args.shops
    );
    println!(
        "calls of a task: fewest {}, most {}; longest call {:.1} s, where the points of one \
         round last {:.1} s",
        fairness.fewest, fairness.most, fairness.longest, watch.round
    );
    println!(
        "stopped with {busy} calls waiting in {} ms; left in gates and buckets: {left}, tasks: \
         {orphans}",
        stopped.as_millis()
    );
    // Those under way at the end ran and were not answered: one for each task at most.
    let lost = tags.saturating_sub(tags_ran);
    println!(
        "throughput_ratio={:.4} throttled={} failed={failed} lost={lost} starved={} \
         rss_start_mb={:.0} rss_end_mb={:.0} rss_growth={:.3} shutdown_ms={} left={}",
        watch.throughput,
        watch.throttled,
        fairness.starved,
        watch.rss.0,
        watch.rss.1,
        watch.rss.1 / watch.rss.0,
        stopped.as_millis(),
        left + orphans,
    );
    Ok(())
}

/// One task: a call after the other, mostly pages of different sizes, now and then a mutation.
async fn work(client: &Client, id: usize, done: &Done) {
    let mut random = fastrand::Rng::with_seed(id as u64);
    loop {
        let begun = Instant::now();
        let outcome: Result<bool, Error> = if random.u32(0..10) == 0 {
            let variables = load_tag::Variables {
                id: "gid://shopify/Product/1".into(),
                tag: format!("task-{id}"),
            };
            let answer = load_tag(client, variables).await;
            answer.map(|_| true)
        } else {
            let first = random.i32(1..=10);
            let answer = load_page(client, load_page::Variables { first }).await;
            answer.map(|_| false)
        };
        let took = u32::try_from(begun.elapsed().as_millis()).unwrap_or(u32::MAX);
        done.longest.fetch_max(took, Ordering::Relaxed);
        match outcome {
            Ok(tag) => {
                done.calls.fetch_add(1, Ordering::Relaxed);
                done.tags.fetch_add(u32::from(tag), Ordering::Relaxed);
            }
            Err(error) => {
                if done.failed.fetch_add(1, Ordering::Relaxed) == 0 {
                    println!("a call failed: {error}");
                }
            }
        }
    }
}

/// How evenly the tasks of a shop came by their turns.
struct Fairness {
    fewest: u32,
    most: u32,
    longest: f64,
    /// Tasks with two turns fewer than most tasks of their shop: in strict order nobody falls
    /// behind by more than one.
    starved: usize,
}

impl Fairness {
    fn of(done: &[Arc<Done>], tasks: usize) -> Self {
        let count = |done: &Arc<Done>| {
            done.calls.load(Ordering::Relaxed) + done.failed.load(Ordering::Relaxed)
        };
        let starved = done.chunks(tasks.max(1)).map(|shop| {
            let mut usual = BTreeMap::<u32, usize>::new();
            for task in shop {
                *usual.entry(count(task)).or_default() += 1;
            }
            let usual = usual.into_iter().max_by_key(|(_, tasks)| *tasks);
            let usual = usual.map_or(0, |(calls, _)| calls);
            shop.iter().filter(|task| count(task) + 1 < usual).count()
        });
        let longest = done.iter().map(|done| done.longest.load(Ordering::Relaxed));
        Self {
            fewest: done.iter().map(count).min().unwrap_or(0),
            most: done.iter().map(count).max().unwrap_or(0),
            longest: f64::from(longest.max().unwrap_or(0)) / 1e3,
            starved: starved.sum(),
        }
    }
}
