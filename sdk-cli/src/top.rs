//! `tollgate top`: how the shops of a shared ledger stand, live.

mod table;

use std::{
    io::{IsTerminal, Write},
    time::{Duration, Instant},
};

use tollgate::shared::{RedisLedger, RedisLedgerError};

use crate::error::Error;
use crate::look::shown;
use crate::runtime;
use table::Row;

/// How long the store may take to reply.
const PATIENCE: Duration = Duration::from_secs(5);

/// Puts the cursor home and clears what is below.
const CLEAR: &str = "\x1b[H\x1b[J";

/// How much longer it waits than a look takes, at least.
const PAUSE: u32 = 9;

/// Lines beside those of the shops: the sum, the heads, how many more there are, and the cursor's.
const OTHER_LINES: usize = 4;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The store: `redis://[user:password@]host[:port][/database]`; for a cluster each of its nodes
    #[arg(
        long,
        env = "TOLLGATE_REDIS",
        hide_env_values = true,
        required = true,
        value_name = "URL"
    )]
    redis: Vec<String>,
    /// What the keys of the store begin with
    #[arg(long, default_value = "tollgate")]
    prefix: String,
    /// Seconds between two looks; more where there are so many shops that a look takes long
    #[arg(long, default_value_t = 1.0, value_parser = interval, value_name = "SECONDS")]
    interval: f64,
    /// The most shops to show, as far as the terminal has lines: those first that wait or are
    /// throttled, then the emptiest
    #[arg(long, default_value_t = 40)]
    limit: usize,
    /// Look once
    #[arg(long)]
    once: bool,
    /// One line of JSON for each look
    #[arg(long)]
    json: bool,
}

fn interval(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| "it is not a number".to_owned())?;
    if (0.1..=3600.0).contains(&seconds) {
        Ok(seconds)
    } else {
        Err("it must be from 0.1 to 3600".to_owned())
    }
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Error> {
    runtime::start_here()?.block_on(watch(args, out))
}

async fn watch(args: &Args, out: &mut dyn Write) -> Result<(), Error> {
    let mut nodes = Vec::new();
    for url in &args.redis {
        let builder = RedisLedger::builder([url]).prefix(&args.prefix);
        nodes.push(builder.patience(PATIENCE).connect().await?);
    }
    // A table that stands still on a terminal, one after the other elsewhere.
    let still = !args.once && !args.json && std::io::stdout().is_terminal();
    loop {
        let begun = Instant::now();
        let rows = look(&nodes).await;
        let took = begun.elapsed();
        // Read anew: a window changes its size.
        let window = still.then(terminal_size::terminal_size).flatten();
        let (width, limit) = window.map_or((usize::MAX, args.limit), |(width, height)| {
            let lines = usize::from(height.0).saturating_sub(OTHER_LINES);
            (usize::from(width.0), args.limit.min(lines))
        });
        if still {
            write!(out, "{CLEAR}")?;
        }
        match rows {
            Ok(rows) if args.json => writeln!(out, "{}", table::json(&rows))?,
            Ok(rows) => write!(out, "{}", table::text(&rows, limit, width))?,
            Err(error) if args.once => return Err(error.into()),
            // It may come back.
            Err(error) => writeln!(out, "{}", shown(&format!("{error:?}")))?,
        }
        out.flush()?;
        if args.once {
            return Ok(());
        }
        // A store of many shops is not to be kept busy by who looks at it.
        let interval = Duration::from_secs_f64(args.interval);
        tokio::time::sleep(interval.max(took * PAUSE)).await;
    }
}

async fn look(nodes: &[RedisLedger]) -> Result<Vec<Row>, RedisLedgerError> {
    let mut rows = Vec::new();
    for node in nodes {
        let buckets = node.buckets().await?;
        rows.extend(
            buckets
                .into_iter()
                .map(|(bucket, standing)| Row { bucket, standing }),
        );
    }
    table::sort(&mut rows);
    Ok(rows)
}
