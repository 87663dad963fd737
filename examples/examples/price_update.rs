//! New prices for 10 000 variants, as a bulk mutation: one line per product, a result for each.
//!
//! `cargo run --example price_update`

#![allow(clippy::print_stdout)]

use clap::Parser;
use tollgate::bulk::Outcome;
use tollgate_examples::{ProductVariantsBulkInput, ShopArgs, catalogue, prices};

#[derive(Parser)]
struct Args {
    #[command(flatten)]
    shop: ShopArgs,
    /// By how many percent prices rise
    #[arg(long, default_value_t = 3)]
    percent: u64,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let (client, _server) = args.shop.open().await?;
    let mut input = prices::bulk(&client);
    let mut products = catalogue::items(&client, catalogue::Variables::default());
    let mut variants = 0;
    while let Some(product) = products.next().await {
        let product = product?;
        let raised = product
            .variants
            .nodes
            .iter()
            .map(|variant| ProductVariantsBulkInput {
                id: variant.id.clone().into(),
                price: raise(variant.price.as_str(), args.percent).into(),
                ..Default::default()
            });
        let raised: Vec<_> = raised.collect();
        variants += raised.len();
        input.push(&prices::Variables::new(product.id, raised))?;
    }
    println!("{variants} prices of {} products", input.count());
    let mut results = input.start().await?.results().await?;
    let (mut done, mut refused) = (0, 0);
    while let Some(result) = results.next().await {
        let result = result?;
        match result.outcome {
            Outcome::Done(_) => done += 1,
            Outcome::UserErrors(errors, _) => {
                refused += 1;
                println!("{}: {}", result.input, errors[0]);
            }
            other => println!("{}: {other:?}", result.input),
        }
    }
    println!("{done} products done, {refused} refused");
    Ok(())
}

/// A price in cents arithmetic: money is never a float.
fn raise(price: &str, percent: u64) -> String {
    let (whole, cents) = price.split_once('.').unwrap_or((price, "0"));
    let cents =
        whole.parse::<u64>().unwrap_or(0) * 100 + format!("{cents:0<2}")[..2].parse().unwrap_or(0);
    let cents = (cents * (100 + percent) + 50) / 100;
    format!("{}.{:02}", cents / 100, cents % 100)
}
