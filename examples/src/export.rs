//! The export of all orders as CSV, which goes on exactly where it was interrupted.

use std::borrow::Cow;
use std::io::Write as _;
use std::path::Path;

use tollgate::{Client, ResumeToken};

use crate::checkpoint::Checkpoint;
use crate::orders;

/// Rows between two checkpoints.
const ROWS: u64 = 500;

/// Writes the lines of all orders that `query` finds to `out`; how many orders this run read.
/// `state` keeps how far it is, from run to run, until it is done.
///
/// # Errors
/// When the shop, the bulk operation or the disk fails; another run goes on.
pub async fn export(
    client: &Client,
    query: Option<String>,
    out: &Path,
    state: &Path,
) -> anyhow::Result<u64> {
    let (mut out, kept) = Checkpoint::open(out, state)?;
    let call = orders::run(
        client,
        orders::Variables {
            query: query.into(),
        },
    );
    let job = match kept {
        Some(token) => call.resume(&token.parse::<ResumeToken>()?).await?,
        None => call.start().await?,
    };
    out.keep(&job.token().to_string())?;
    let mut rows = job.rows().await?;
    let mut count = 0;
    while let Some(order) = rows.next().await {
        let order = order?;
        let total = &order.total_price_set.shop_money;
        for line in &order.line_items.edges {
            let line = &line.node;
            writeln!(
                out,
                "{},{},{} {:?},{},{}",
                field(&order.name),
                order.created_at.as_str(),
                total.amount.as_str(),
                total.currency_code,
                line.quantity,
                field(line.sku.as_deref().unwrap_or_default())
            )?;
        }
        count += 1;
        if count % ROWS == 0 {
            out.keep(&rows.token().to_string())?;
        }
    }
    out.finish()?;
    Ok(count)
}

/// A text as a field of CSV.
fn field(text: &str) -> Cow<'_, str> {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\"")).into()
    } else {
        text.into()
    }
}
