//! All orders with their lines, in bulk, as CSV. Interrupted, however hard, it goes on exactly where
//! it was when it is run again.
//!
//! `cargo run --example order_export -- --out orders.csv`

#![allow(clippy::print_stdout)]

use std::path::PathBuf;

use clap::Parser;
use tollgate_examples::{CatalogueArgs, export};

#[derive(Parser)]
struct Args {
    #[command(flatten)]
    shop: CatalogueArgs,
    /// Which orders, as a search of the shop
    #[arg(long)]
    query: Option<String>,
    /// Where to write to; beside it, with `.state` after its name, is how far the export is
    #[arg(long, default_value = "orders.csv")]
    out: PathBuf,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let (client, _server) = args.shop.open().await?;
    let mut state = args.out.clone().into_os_string();
    state.push(".state");
    let orders = export::export(&client, args.query, &args.out, state.as_ref()).await?;
    println!("{orders} orders in {}", args.out.display());
    Ok(())
}
