//! Rows per second of the bulk reader beside a plain `serde_json` loop over the same file.
//!
//! `cargo bench -p tollgate --bench bulk_join [-- PRODUCTS]`

#![allow(missing_docs, clippy::print_stdout, clippy::cast_precision_loss)]

use std::borrow::Cow;
use std::fs;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::sync::mpsc::SyncSender;
use std::time::Instant;

use serde::Deserialize;
use tollgate::bulk::{Connection, Grouping, Join, JsonlError, Lines, RawRow, Shape};

const SHAPE: Shape = Shape {
    connections: Cow::Borrowed(&[
        Connection {
            parent: None,
            path: Cow::Borrowed(&[]),
            marker: Cow::Borrowed("_0"),
            types: Cow::Borrowed(&[Cow::Borrowed("Product")]),
            open: Cow::Borrowed(""),
            close: Cow::Borrowed(""),
            open_node: Cow::Borrowed(""),
            close_node: Cow::Borrowed(""),
        },
        Connection {
            parent: Some(0),
            path: Cow::Borrowed(&[]),
            marker: Cow::Borrowed("_1"),
            types: Cow::Borrowed(&[Cow::Borrowed("ProductVariant")]),
            open: Cow::Borrowed(r#""variants":{"nodes":["#),
            close: Cow::Borrowed("]}"),
            open_node: Cow::Borrowed(""),
            close_node: Cow::Borrowed(""),
        },
    ]),
};

const VARIANTS: usize = 5;

/// The members the typed loops read; both kinds of lines in one, as plain loops do it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PlainLine {
    id: String,
    title: String,
    #[serde(rename = "__parentId")]
    _parent_id: Option<String>,
    handle: Option<String>,
    sku: Option<String>,
    price: Option<String>,
    inventory_quantity: Option<i64>,
}

#[derive(Deserialize)]
struct Row {
    id: String,
    title: String,
    handle: String,
    variants: Nodes,
}

#[derive(Deserialize)]
struct Nodes {
    nodes: Vec<Variant>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Variant {
    id: String,
    title: String,
    sku: String,
    price: String,
    inventory_quantity: i64,
}

fn main() -> io::Result<()> {
    let products = std::env::args().filter_map(|arg| arg.parse().ok()).next();
    let products = products.unwrap_or(100_000);
    let directory = tempfile::tempdir()?;
    let grouped = directory.path().join("grouped.jsonl");
    let ungrouped = directory.path().join("ungrouped.jsonl");
    write_files(products, &grouped, &ungrouped)?;
    let size = fs::metadata(&grouped)?.len();
    let lines = products * (1 + VARIANTS);
    println!(
        "{products} products × {VARIANTS} variants, {lines} lines, {} MB",
        size >> 20
    );

    let report = |what: &str, run: &dyn Fn() -> io::Result<usize>| -> io::Result<f64> {
        let started = Instant::now();
        let check = run()?;
        let seconds = started.elapsed().as_secs_f64();
        let rate = lines as f64 / seconds;
        println!(
            "{what:<34} {seconds:>6.2} s  {rate:>9.0} lines/s  peak {} MB  ({check})",
            peak()
        );
        Ok(rate)
    };
    // Ours first: the peak of a process only grows.
    let joined = [
        ("joined, grouped", &grouped, Grouping::Grouped),
        ("joined, any order, grouped file", &grouped, Grouping::Any),
        (
            "joined, any order, shuffled file",
            &ungrouped,
            Grouping::Any,
        ),
    ]
    .map(|(what, path, grouping)| report(what, &|| join(path, grouping)));
    let typed = report("plain loop, typed", &|| plain_typed(&ungrouped))?;
    let values = report("plain loop, serde_json::Value", &|| plain_value(&ungrouped))?;
    for rate in joined {
        let rate = rate?;
        println!(
            "{:.2} × typed loop, {:.2} × Value loop",
            rate / typed,
            rate / values
        );
    }
    Ok(())
}

/// As `tollgate::bulk::Rows` does it: lines are joined on a thread of their own, rows decoded here.
fn join(path: &Path, grouping: Grouping) -> io::Result<usize> {
    let (batches, rows) = std::sync::mpsc::sync_channel::<Vec<RawRow>>(4);
    let mut check = 0;
    std::thread::scope(|scope| {
        let joining = scope.spawn(move || read(path, grouping, &batches));
        for batch in rows {
            for row in batch {
                let row: Row = serde_json::from_str(row.json())?;
                check += row.id.len() + row.title.len() + row.handle.len();
                for variant in &row.variants.nodes {
                    let Variant {
                        id,
                        title,
                        sku,
                        price,
                        inventory_quantity,
                    } = variant;
                    check += id.len() + title.len() + sku.len() + price.len();
                    check += usize::from(*inventory_quantity > 0);
                }
            }
        }
        let joined = joining
            .join()
            .map_err(|_| io::Error::other("the thread panicked"))?;
        joined.map_err(io::Error::other)
    })?;
    Ok(check)
}

fn read(
    path: &Path,
    grouping: Grouping,
    batches: &SyncSender<Vec<RawRow>>,
) -> Result<(), JsonlError> {
    let mut file = fs::File::open(path)?;
    let mut chunk = vec![0; 64 << 10];
    let mut lines = Lines::new();
    let mut join = Join::new(SHAPE, grouping);
    let mut batch = Vec::new();
    let mut push = |row: RawRow| {
        batch.push(row);
        if batch.len() < 128 {
            return Ok(());
        }
        let full = std::mem::take(&mut batch);
        batches.send(full).map_err(io::Error::other)
    };
    loop {
        let length = file.read(&mut chunk)?;
        if length == 0 {
            break;
        }
        lines.push(&chunk[..length], |line| match join.push(line)? {
            Some(row) => push(row).map_err(JsonlError::from),
            None => Ok(()),
        })?;
    }
    for row in join.finish()? {
        push(row?)?;
    }
    batches.send(batch).map_err(io::Error::other)?;
    Ok(())
}

fn plain_typed(path: &Path) -> io::Result<usize> {
    let mut check = 0;
    for line in BufReader::with_capacity(64 << 10, fs::File::open(path)?).lines() {
        let line: PlainLine = serde_json::from_str(&line?)?;
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        check += line.id.len() + line.title.len();
        check += text(&line.handle) + text(&line.sku) + text(&line.price);
        check += usize::from(line.inventory_quantity > Some(0));
    }
    Ok(check)
}

fn plain_value(path: &Path) -> io::Result<usize> {
    let mut check = 0;
    for line in BufReader::with_capacity(64 << 10, fs::File::open(path)?).lines() {
        let line: serde_json::Value = serde_json::from_str(&line?)?;
        check += line.as_object().map_or(0, serde_json::Map::len);
    }
    Ok(check)
}

/// The same lines twice: each product before its variants, and all products before all variants
/// in an order that has nothing to do with theirs.
fn write_files(products: usize, grouped: &Path, ungrouped: &Path) -> io::Result<()> {
    let mut together = BufWriter::new(fs::File::create(grouped)?);
    let mut apart = BufWriter::new(fs::File::create(ungrouped)?);
    for product in 0..products {
        let line = format!(
            r#"{{"_0":"Product","id":"gid://shopify/Product/{product}","title":"Wäschekorb № {product}","handle":"waeschekorb-{product}"}}"#
        );
        writeln!(together, "{line}")?;
        writeln!(apart, "{line}")?;
        for index in 0..VARIANTS {
            writeln!(together, "{}", variant(product, index))?;
        }
    }
    // A stride that shares no factor with the number of lines visits each of them once.
    let count = products * VARIANTS;
    let stride = (7919..)
        .find(|stride| gcd(*stride, count) == 1)
        .unwrap_or(1);
    for at in (0..count).map(|n| n * stride % count) {
        writeln!(apart, "{}", variant(at / VARIANTS, at % VARIANTS))?;
    }
    together.flush()?;
    apart.flush()
}

fn variant(product: usize, index: usize) -> String {
    format!(
        r#"{{"_1":"ProductVariant","id":"gid://shopify/ProductVariant/{product}{index}","title":"Größe {index}","sku":"SKU-{product}-{index}","price":"{index}9.95","inventoryQuantity":{index},"__parentId":"gid://shopify/Product/{product}"}}"#
    )
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The largest resident size so far, in MB, where the system tells.
fn peak() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.map_or("?".into(), |kilobytes| (kilobytes >> 10).to_string())
}
