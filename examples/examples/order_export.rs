//! All orders with their lines, in bulk, as CSV on standard output. Interrupted, it goes on where
//! it was: the state is one line of text.
//!
//! `cargo run --example order_export -- --state orders.state > orders.csv`

#![allow(clippy::print_stdout)]

use std::path::PathBuf;

use clap::Parser;
use tollgate::ResumeToken;
use tollgate_examples::{ShopArgs, orders};

#[derive(Parser)]
struct Args {
    #[command(flatten)]
    shop: ShopArgs,
    /// Which orders, as a search of the shop
    #[arg(long)]
    query: Option<String>,
    /// Where to keep how far the export is
    #[arg(long)]
    state: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let (client, _server) = args.shop.open().await?;
    let variables = orders::Variables {
        query: args.query.clone().into(),
    };
    let call = orders::run(&client, variables);
    let kept = args
        .state
        .as_ref()
        .and_then(|path| std::fs::read_to_string(path).ok());
    let job = match kept {
        Some(text) => call.resume(&text.parse::<ResumeToken>()?).await?,
        None => call.start().await?,
    };
    let keep = |token: &ResumeToken| match &args.state {
        Some(path) => std::fs::write(path, token.to_string()),
        None => Ok(()),
    };
    keep(job.token())?;
    let mut rows = job.rows().await?;
    while let Some(order) = rows.next().await {
        let order = order?;
        let total = &order.total_price_set.shop_money;
        for line in &order.line_items.edges {
            let line = &line.node;
            println!(
                "{},{},{} {:?},{},{}",
                order.name,
                order.created_at.as_str(),
                total.amount.as_str(),
                total.currency_code,
                line.quantity,
                line.sku.as_deref().unwrap_or_default()
            );
        }
        keep(rows.token())?;
    }
    if let Some(path) = &args.state {
        std::fs::remove_file(path)?;
    }
    Ok(())
}
