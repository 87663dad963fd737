//! A catalogue sync, as an app does it: walks all products with their first variants, fetches the
//! variants that did not fit, marks what it saw with a tag and a metafield, many calls at once.
//!
//! Against an emulated shop that keeps a real bucket unless `TOLLGATE_SHOP` and `TOLLGATE_TOKEN`
//! (a real shop) or `TOLLGATE_ENDPOINT` (any server of the protocol) are set.
//!
//! `cargo run --release --example catalog_sync`

#![allow(clippy::print_stdout)]

use std::io::IsTerminal as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use clap::Parser;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tollgate::scalar::Id;
use tollgate::{Client, Event, WaitReason, What};
use tollgate_examples::ShopArgs;
use tollgate_shop::{Catalogue, Latency, Shop};

tollgate::operations! {
    schema: "../schema/admin.graphql",
    documents: "../queries",
}

/// Metafields that one call may set.
const METAFIELDS: usize = 25;
/// One product of so many gets a tag.
const TAGGED: usize = 20;

#[derive(Parser)]
struct Args {
    /// Products of the emulated shop
    #[arg(long, default_value_t = 3_000)]
    products: u64,
    /// Points that the emulated shop's bucket holds
    #[arg(long, default_value_t = 10_000)]
    bucket: u64,
    /// Points per second that come back to it
    #[arg(long, default_value_t = 500)]
    restore_rate: u64,
    /// Calls at once
    #[arg(long, default_value_t = 16)]
    tasks: usize,
    #[command(flatten)]
    shop: ShopArgs,
}

/// What the client did, counted from its events.
#[derive(Default)]
struct Tally {
    requests: AtomicU64,
    throttles: AtomicU64,
    points: AtomicU64,
    waited: AtomicU64,
}

impl Tally {
    fn see(&self, event: &Event<'_>, bar: &ProgressBar) {
        match &event.what {
            What::Answered { .. } => {
                self.requests.fetch_add(1, Relaxed);
            }
            What::Wait {
                reason,
                length,
                estimate,
                available,
            } => match reason {
                WaitReason::Points => {
                    let milliseconds = u64::try_from(length.as_millis()).unwrap_or(u64::MAX);
                    self.waited.fetch_add(milliseconds, Relaxed);
                    bar.set_message(format!(
                        "{} waits {:.1} s for {estimate} points, {available:.0} there",
                        event.operation,
                        length.as_secs_f64(),
                    ));
                }
                WaitReason::Throttled | WaitReason::OtherThrottle => {
                    self.throttles.fetch_add(1, Relaxed);
                }
                _ => {}
            },
            What::Finished { cost, .. } => {
                self.points.fetch_add(cost.actual.get(), Relaxed);
            }
            _ => {}
        }
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let catalogue = Catalogue::default()
        .with("products", args.products)
        .with("Product.variants", 1..=30);
    let emulated = Shop::builder()
        .catalogue(catalogue)
        .bucket(args.bucket, args.restore_rate)
        .latency(Latency::between(
            Duration::from_millis(30),
            Duration::from_millis(120),
        ));
    let (client, server) = args.shop.connect(emulated).await?;
    if let Some(server) = &server {
        println!(
            "an emulated shop at {}: {} products; a bucket of {} points, {} more each second",
            server.url(),
            args.products,
            args.bucket,
            args.restore_rate
        );
    }

    let style = "{bar:30} {pos}/{len} products  {msg}";
    let bar = ProgressBar::new(args.products).with_style(ProgressStyle::with_template(style)?);
    let tally = Arc::new(Tally::default());
    let observer = {
        let (tally, bar) = (Arc::clone(&tally), bar.clone());
        move |event: &Event<'_>| tally.see(event, &bar)
    };
    let client = client.observer(observer).build()?;

    println!(
        "reading all products with their variants, tagging one of {TAGGED} and setting a metafield \
         on each, {} calls at once",
        args.tasks
    );
    if !std::io::stderr().is_terminal() {
        println!("how far it is would be shown on a terminal; what it took is said at the end");
    }
    let begun = Instant::now();
    let count = sync(&client, args.tasks, &bar).await?;
    let time = begun.elapsed();
    bar.finish_with_message("done");
    summarise(&client, &count, &tally, time);
    if let Some(server) = server {
        server.stop().await;
    }
    Ok(())
}

/// What the sync moved.
#[derive(Default)]
struct Count {
    products: usize,
    variants: usize,
    tags: usize,
    metafields: usize,
}

/// Calls that run beside the pages; at most `tasks` of them at once.
struct Beside {
    running: JoinSet<Result<Count, tollgate::Error>>,
    slots: Arc<Semaphore>,
}

impl Beside {
    async fn spawn(
        &mut self,
        call: impl Future<Output = Result<Count, tollgate::Error>> + Send + 'static,
    ) {
        // The semaphore is never closed, so there is always a slot to wait for.
        let slot = Arc::clone(&self.slots).acquire_owned().await;
        self.running.spawn(async move {
            let _slot = slot;
            call.await
        });
    }
}

async fn sync(client: &Client, tasks: usize, bar: &ProgressBar) -> anyhow::Result<Count> {
    let mut count = Count::default();
    let mut beside = Beside {
        running: JoinSet::new(),
        slots: Arc::new(Semaphore::new(tasks.max(1))),
    };
    let mut seen: Vec<Id> = Vec::new();
    let mut variables = product_page::Variables::default();
    loop {
        let page = product_page(client, variables.clone()).await?.data.products;
        for product in page.nodes {
            count.products += 1;
            count.variants += product.variants.nodes.len();
            let id = product.product_card.id.clone();
            if product.variants.page_info.has_next_page {
                let after = product.variants.page_info.end_cursor;
                beside
                    .spawn(rest_of_variants(client.clone(), id.clone(), after))
                    .await;
            }
            if count.products % TAGGED == 0 {
                beside.spawn(tag(client.clone(), id.clone())).await;
            }
            seen.push(id);
            if seen.len() == METAFIELDS {
                beside
                    .spawn(mark(client.clone(), std::mem::take(&mut seen)))
                    .await;
            }
            bar.inc(1);
        }
        while let Some(done) = beside.running.try_join_next() {
            count.add(done??);
        }
        if !page.page_info.has_next_page {
            break;
        }
        variables.after = page.page_info.end_cursor.into();
    }
    beside.spawn(mark(client.clone(), seen)).await;
    while let Some(done) = beside.running.join_next().await {
        count.add(done??);
    }
    Ok(count)
}

/// The variants beyond the first page of a product.
async fn rest_of_variants(
    client: Client,
    product: Id,
    mut after: Option<String>,
) -> Result<Count, tollgate::Error> {
    let mut count = Count::default();
    loop {
        let mut variables = product_variant_page::Variables::new(product.clone());
        variables.after = after.into();
        let answer = product_variant_page(&client, variables).await?;
        // Deleted since the page was read.
        let Some(product) = answer.data.product else {
            return Ok(count);
        };
        count.variants += product.variants.nodes.len();
        if !product.variants.page_info.has_next_page {
            return Ok(count);
        }
        after = product.variants.page_info.end_cursor;
    }
}

/// Tags a product.
async fn tag(client: Client, product: Id) -> Result<Count, tollgate::Error> {
    let variables = tags_add::Variables::new(product, vec!["synced".into()]);
    tags_add(&client, variables).await?.into_result()?;
    Ok(Count {
        tags: 1,
        ..Count::default()
    })
}

/// Notes on the products that they were seen.
async fn mark(client: Client, products: Vec<Id>) -> Result<Count, tollgate::Error> {
    if products.is_empty() {
        return Ok(Count::default());
    }
    let metafields: Vec<_> = products
        .into_iter()
        .map(|owner| MetafieldsSetInput {
            namespace: "sync".into(),
            type_: "boolean".into(),
            ..MetafieldsSetInput::new("seen".into(), owner, "true".into())
        })
        .collect();
    let written = metafields.len();
    metafields_set(&client, metafields_set::Variables::new(metafields))
        .await?
        .into_result()?;
    Ok(Count {
        metafields: written,
        ..Count::default()
    })
}

impl Count {
    fn add(&mut self, other: Self) {
        self.products += other.products;
        self.variants += other.variants;
        self.tags += other.tags;
        self.metafields += other.metafields;
    }
}

fn summarise(client: &Client, count: &Count, tally: &Tally, time: Duration) {
    let level = client.level();
    let points = tally.points.load(Relaxed);
    #[expect(
        clippy::cast_precision_loss,
        reason = "points of a run are far below 2^53"
    )]
    let beyond = (points as f64 - level.maximum).max(0.0);
    let least = Duration::from_secs_f64(beyond / level.restore_rate);
    println!(
        "{} products, {} variants read; {} tags, {} metafields written",
        count.products, count.variants, count.tags, count.metafields
    );
    println!(
        "{points} points in {} requests, {} throttles",
        tally.requests.load(Relaxed),
        tally.throttles.load(Relaxed)
    );
    println!(
        "{:.1} s; the bucket ({:.0} points, {:.0} a second) allowed no less than {:.1} s",
        time.as_secs_f64(),
        level.maximum,
        level.restore_rate,
        least.as_secs_f64()
    );
    println!(
        "calls waited {} in the gate, all told",
        HumanDuration(Duration::from_millis(tally.waited.load(Relaxed)))
    );
}
