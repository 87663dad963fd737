//! New prices for 10 000 variants, as a bulk mutation: one line per product, a result for each.
//!
//! `cargo run --example price_update`

#![allow(clippy::print_stdout)]

use anyhow::Context as _;
use clap::Parser;
use tollgate::bulk::Outcome;
use tollgate_examples::{CatalogueArgs, ProductVariantsBulkInput, catalogue, prices};

#[derive(Parser)]
struct Args {
    #[command(flatten)]
    shop: CatalogueArgs,
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
        let mut raised = Vec::new();
        for variant in product.variants.nodes {
            let price = raise(variant.price.as_str(), args.percent)
                .with_context(|| format!("{} costs {:?}", variant.id, variant.price))?;
            raised.push(ProductVariantsBulkInput {
                id: variant.id.into(),
                price: price.into(),
                ..Default::default()
            });
        }
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

/// A price that is so many percent higher, in cents: money is never a float. `None` for a text that
/// is no price in cents.
fn raise(price: &str, percent: u64) -> Option<String> {
    let (whole, cents) = price.split_once('.').unwrap_or((price, "00"));
    if cents.len() != 2 {
        return None;
    }
    let cents: u64 = format!("{whole}{cents}").parse().ok()?;
    let raised = cents
        .checked_mul(percent.checked_add(100)?)?
        .checked_add(50)?
        / 100;
    Some(format!("{}.{:02}", raised / 100, raised % 100))
}
