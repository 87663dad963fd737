//! The whole catalogue by pages and by bulk, side by side: the same document, the same types, the
//! same set.
//!
//! `cargo run --release --example catalogue_export -- --products 100000`

#![allow(clippy::print_stdout, clippy::cast_precision_loss)]

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Instant;

use clap::{Parser, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use tollgate::Client;
use tollgate_examples::{CatalogueArgs, catalogue, catalogue_size, more_variants};

#[derive(Parser)]
struct Args {
    #[command(flatten)]
    shop: CatalogueArgs,
    /// Which way
    #[arg(long, value_enum, default_value_t = Way::Both)]
    way: Way,
    /// Only starts the emulated shop, prints where it is, and waits
    #[arg(long)]
    serve: bool,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Way {
    Pages,
    Bulk,
    Both,
}

/// A set: how many rows, and a sum of hashes that does not depend on their order.
#[derive(Default, Debug, PartialEq)]
struct Set {
    products: u64,
    variants: u64,
    hash: u64,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    if args.serve {
        let server = args.shop.emulated().start().await?;
        println!("{}", server.url());
        std::future::pending::<()>().await;
        return Ok(());
    }
    let (client, _server) = args.shop.open().await?;
    let mut sets = Vec::new();
    for (name, way) in [("pages", Way::Pages), ("bulk", Way::Bulk)] {
        if args.way != way && args.way != Way::Both {
            continue;
        }
        let begun = Instant::now();
        let set = match way {
            Way::Bulk => by_bulk(&client).await?,
            _ => by_pages(&client).await?,
        };
        let seconds = begun.elapsed().as_secs_f64();
        let rows = set.products + set.variants;
        println!(
            "{name:>5}: {} products, {} variants in {seconds:.2} s, {:.0} rows/s, peak {} MB, {:016x}",
            set.products,
            set.variants,
            rows as f64 / seconds,
            peak_memory(),
            set.hash
        );
        sets.push(set);
    }
    anyhow::ensure!(
        sets.windows(2).all(|pair| pair[0] == pair[1]),
        "the sets differ: {sets:?}"
    );
    Ok(())
}

async fn by_pages(client: &Client) -> anyhow::Result<Set> {
    let count = catalogue_size(client, catalogue_size::Variables::default()).await?;
    let count = count
        .data
        .products_count
        .map_or(0, |products| products.count);
    let count = u64::try_from(count)?;
    let mut pages = catalogue::pages(client, catalogue::Variables::default()).expect(count);
    let forecast = pages.forecast(count)?;
    println!(
        "pages: {count} products are {} calls of {} points each at most, {} s at least{}",
        forecast.calls,
        forecast.requested,
        forecast.time.as_secs(),
        if forecast.is_for_bulk() {
            "; bulk is the better way"
        } else {
            ""
        },
    );
    let bar = bar(count);
    let mut set = Set::default();
    while let Some(page) = pages.next().await {
        let page = page?;
        bar.set_message(format!("{} points", page.progress.points));
        for mut product in page.into_items() {
            let rest = product.variants.page_info.rest()?.map(str::to_owned);
            if let Some(cursor) = rest {
                let variables = more_variants::Variables::new(product.id.clone());
                let mut more = more_variants::pages(client, variables)
                    .after(cursor)
                    .items();
                while let Some(variant) = more.next().await {
                    let variant = variant?;
                    product
                        .variants
                        .nodes
                        .push(catalogue::ProductsNodesVariantsNodes {
                            id: variant.id,
                            sku: variant.sku,
                            price: variant.price,
                        });
                }
            }
            set.add(&product);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(set)
}

async fn by_bulk(client: &Client) -> anyhow::Result<Set> {
    let mut set = Set::default();
    let mut rows = catalogue::run(client, catalogue::Variables::default()).await?;
    let bar = bar(rows.progress().total.unwrap_or_default());
    while let Some(product) = rows.next().await {
        set.add(&product?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(set)
}

impl Set {
    fn add(&mut self, product: &catalogue::ProductsNodes) {
        let mut hasher = DefaultHasher::new();
        product.id.as_str().hash(&mut hasher);
        product.title.hash(&mut hasher);
        for variant in &product.variants.nodes {
            variant.id.as_str().hash(&mut hasher);
            variant.sku.hash(&mut hasher);
            variant.price.as_str().hash(&mut hasher);
        }
        self.products += 1;
        self.variants += product.variants.nodes.len() as u64;
        self.hash = self.hash.wrapping_add(hasher.finish());
    }
}

fn bar(total: u64) -> ProgressBar {
    let template = "{human_pos} of {human_len} products, {per_sec}, {eta} left {msg}";
    let style = ProgressStyle::with_template(template);
    ProgressBar::new(total).with_style(style.unwrap_or(ProgressStyle::default_spinner()))
}

/// The largest resident size so far, in MB, where the system tells.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.map_or("?".into(), |kilobytes| (kilobytes >> 10).to_string())
}
