//! `tollgate shop`: the emulated shop on a port.

mod config;
mod record;

use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;
use tollgate_codegen::source::Files;
use tollgate_shop::{Builder, Catalogue, Latency, Server, Shop, Spender, Storm, Summary};

use crate::error::Error;
use crate::look::{self, styled};
use crate::runtime;
use config::{Drift, Milliseconds, Place, Share};

/// How long the reader of the output has, once the shop is asked to end. More than the second that
/// the shop itself takes.
const PATIENCE: Duration = Duration::from_secs(3);

/// The exit code of a process that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The port of the loopback address; 0 is any free one
    #[arg(long, default_value_t = 4010)]
    port: u16,
    /// The schema it serves, instead of its own: SDL or introspection JSON, plain or gzipped
    #[arg(long, value_name = "FILE")]
    schema: Option<PathBuf>,
    /// How many products there are
    #[arg(long, value_name = "N")]
    products: Option<u64>,
    /// How many objects a connection or list has: `orders=500`, `Order.lineItems=1..30`
    #[arg(long, value_name = "PLACE=N")]
    size: Vec<Place>,
    /// Points that the bucket holds
    #[arg(long, value_name = "POINTS", default_value_t = 2000)]
    bucket: u64,
    /// Points that come back each second
    #[arg(long, value_name = "POINTS", default_value_t = 100)]
    restore: u64,
    /// Points in the bucket at the start; full if left out
    #[arg(long, value_name = "POINTS")]
    available: Option<u64>,
    /// Points a second that another app process spends
    #[arg(long, value_name = "POINTS")]
    spender: Option<u64>,
    /// Milliseconds that an answer takes: `40`, or `20..80`
    #[arg(long, value_name = "MS")]
    latency: Option<Milliseconds>,
    /// The share of requests that meet a fault, 0 to 1: statuses, cut bodies, lost connections
    #[arg(long, value_name = "SHARE", default_value = "0")]
    faults: Share,
    /// The server asks so many times the price of an operation: `ProductPage=2`
    #[arg(long, value_name = "OPERATION=FACTOR")]
    drift: Vec<Drift>,
    /// The only access token that is let in; every token is, if left out
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// What data, latencies and faults follow from
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Do not print what it answers
    #[arg(long, short)]
    quiet: bool,
    /// Print as JSON, one line for the address, each answer and the summary
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Error> {
    let builder = builder(args)?;
    let runtime = runtime::start(tokio::runtime::Builder::new_multi_thread())?;
    let shop = runtime.block_on(builder.start())?;
    let url = shop.url();
    let mut records = shop.follow();
    let closing = runtime.spawn(close(shop));
    greet(args, &url, out)?;
    // Outside the runtime: a reader that stalls stops this thread, and neither shop nor signals.
    let mut received = 0;
    while let Some(record) = records.blocking_recv() {
        received += 1;
        if !args.quiet {
            record::print(&record, args.json, out)?;
            out.flush()?;
        }
    }
    let summary = runtime.block_on(closing).map_err(std::io::Error::from)??;
    let missed = summary.requests.saturating_sub(received);
    sum(args, &summary, missed, out)
}

fn builder(args: &Args) -> Result<Builder, Error> {
    let mut catalogue = Catalogue::default();
    if let Some(products) = args.products {
        catalogue = catalogue.with("products", products);
    }
    for Place { name, size } in &args.size {
        catalogue = catalogue.with(name, *size);
    }
    let mut builder = Shop::builder()
        .address(SocketAddr::from((Ipv4Addr::LOCALHOST, args.port)))
        .catalogue(catalogue)
        .seed(args.seed)
        .bucket(args.bucket, args.restore);
    if let Some(schema) = &args.schema {
        let mut files = Files::new(std::env::current_dir()?);
        builder = builder.schema(files.schema(schema)?.text);
    }
    if let Some(points) = args.available {
        if points > args.bucket {
            let bucket = args.bucket;
            let message = format!("`--available` is {points}: the bucket holds from 0 to {bucket}");
            return Err(Error::Usage(message));
        }
        builder = builder.available(points);
    }
    if let Some(points) = args.spender {
        builder = builder.spender(Spender::steady(points));
    }
    if let Some(Milliseconds { least, most }) = args.latency {
        builder = builder.latency(Latency::between(least, most));
    }
    if args.faults.0 > 0.0 {
        builder = builder.storm(Storm::of_every_kind(args.seed, args.faults.0));
    }
    for Drift { operation, factor } in &args.drift {
        builder = builder.drift(operation, *factor);
    }
    if let Some(token) = &args.token {
        builder = builder.token(token);
    }
    Ok(builder)
}

/// Closes the shop, and with it the channel of its answers, when the process is asked to end.
async fn close(server: Server) -> std::io::Result<Summary> {
    end().await?;
    tokio::spawn(insist());
    let shop = Shop::clone(&server);
    server.stop().await;
    Ok(shop.summary())
}

/// Ends the process when it is asked to again, or when nobody reads the rest of its output.
async fn insist() {
    tokio::select! {
        _ = end() => {}
        () = tokio::time::sleep(PATIENCE) => {}
    }
    std::process::exit(INTERRUPTED);
}

/// Ctrl-C, or the signal that asks a process to end.
async fn end() -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        tokio::select! {
            ended = tokio::signal::ctrl_c() => ended,
            _ = terminate.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}

fn greet(args: &Args, url: &str, out: &mut dyn Write) -> Result<(), Error> {
    if args.json {
        writeln!(out, "{}", json!({ "url": url }))?;
    } else {
        let heading = styled(look::STRONG, "An emulated shop on");
        writeln!(out, "{heading} {url}")?;
        writeln!(
            out,
            "  GraphQL at {url}/admin/api/2026-10/graphql.json, any version"
        )?;
        let [bucket, restore] = [args.bucket, args.restore].map(look::whole);
        writeln!(
            out,
            "  a bucket of {bucket} points, {restore} more each second"
        )?;
        writeln!(out, "  {}\n", styled(look::FAINT, "Ctrl-C ends it"))?;
    }
    Ok(out.flush()?)
}

fn sum(args: &Args, summary: &Summary, missed: u64, out: &mut dyn Write) -> Result<(), Error> {
    let outcomes = summary.outcomes.iter();
    if args.json {
        let outcomes = outcomes.map(|(outcome, count)| (record::word(*outcome), json!(count)));
        let line = json!({ "summary": {
            "requests": summary.requests,
            "outcomes": outcomes.collect::<serde_json::Map<_, _>>(),
            "faults": summary.faults,
            "spent": summary.spent.get(),
            "mutations": summary.mutations,
            "not_printed": missed,
        }});
        writeln!(out, "{line}")?;
        return Ok(());
    }
    let requests = look::count(
        usize::try_from(summary.requests).unwrap_or(usize::MAX),
        "request",
    );
    let heading = styled(look::STRONG, requests);
    let spent = look::whole(summary.spent.get());
    writeln!(out, "\n{heading}, {spent} points spent")?;
    for (outcome, count) in outcomes {
        writeln!(out, "  {count:>7} {}", record::word(*outcome))?;
    }
    for (mutation, count) in &summary.mutations {
        writeln!(out, "  {count:>7} × {mutation} took effect")?;
    }
    if missed > 0 {
        writeln!(
            out,
            "  {missed:>7} not printed: they came faster than they were read"
        )?;
    }
    Ok(())
}
