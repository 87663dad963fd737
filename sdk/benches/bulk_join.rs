//! Rows per second of a bulk query beside a plain `serde_json` loop over the same file.
//!
//! `cargo bench -p tollgate --bench bulk_join [-- PRODUCTS WAY]`, where a part of a way's name
//! measures that way and the two loops only.
//!
//! Ours is the whole way of the product, from the first call to typed rows with their children;
//! only HTTP is replaced, by reading a file. The loops parse each line by itself and join nothing.

#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a command that prints figures"
)]

use std::fs;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use bytes::Bytes;
use serde::Deserialize;
use tollgate::transport::{BoxFuture, Chunks};
use tollgate::{Client, Transport, TransportError};

tollgate::operations! {
    schema: "../schema/admin.graphql",
    document: r"
        query Export @bulk {
            products {
                nodes {
                    id title handle
                    variants { nodes { id title sku price inventoryQuantity } }
                }
            }
        }
    ",
}

const VARIANTS: usize = 5;
/// How often each is measured, in turns; the fastest counts.
const RUNS: usize = 5;

/// The members the typed loop reads; both kinds of lines in one, as plain loops do it.
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

fn main() -> io::Result<()> {
    let products = std::env::args().filter_map(|arg| arg.parse().ok()).next();
    let products = products.unwrap_or(100_000);
    let directory = tempfile::tempdir()?;
    let file = |name: &str| directory.path().join(name);
    let (grouped, apart, shuffled) = (file("grouped"), file("apart"), file("shuffled"));
    write_files(products, &grouped, &apart, &shuffled)?;
    let lines = products * (1 + VARIANTS);
    let size = fs::metadata(&grouped)?.len() >> 20;
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or_default();
    println!("{products} products × {VARIANTS} variants, {lines} lines, {size} MB, load {load}");
    let mut words = std::env::args().skip(1).filter(|arg| !arg.starts_with('-'));
    let only = words.find(|word| word.parse::<usize>().is_err());
    let ways: [(&str, &dyn Fn() -> io::Result<usize>); 6] = [
        ("asked grouped", &|| rows(&grouped, products, true)),
        ("any order, grouped", &|| rows(&grouped, products, false)),
        ("any order, 64 apart", &|| rows(&apart, products, false)),
        ("any order, shuffled", &|| rows(&shuffled, products, false)),
        ("serde_json loop, typed", &|| plain_typed(&grouped)),
        ("serde_json loop, Value", &|| plain_value(&grouped)),
    ];
    let measured = |way: &str| {
        let is_loop = way.starts_with("serde_json");
        is_loop || only.as_ref().is_none_or(|only| way.contains(only))
    };
    let mut found = ways.map(|_| (f64::MAX, f64::MAX, String::new(), 0));
    for _ in 0..RUNS {
        for (best, (way, run)) in found.iter_mut().zip(ways) {
            if !measured(way) {
                continue;
            }
            let (started, spent) = (Instant::now(), processor_time());
            best.3 = run()?;
            best.0 = best.0.min(started.elapsed().as_secs_f64());
            best.1 = best.1.min(processor_time() - spent);
            if best.2.is_empty() {
                // The peak of a process only grows: that of the first round, ours first, counts.
                best.2 = peak();
            }
        }
    }
    let (typed, values) = (found[4].0, found[5].0);
    let typed_processor = found[4].1;
    for ((what, _), (time, processor, peak, check)) in ways.iter().zip(&found) {
        if !measured(what) {
            continue;
        }
        println!(
            "{what:<22} {time:>5.2} s {:>9.0} lines/s, {:.2} × typed, {:.2} × Value; \
             processor {processor:.2} s, {:.2} × typed; peak {peak} MB ({check})",
            lines as f64 / time,
            typed / time,
            values / time,
            typed_processor / processor,
        );
    }
    Ok(())
}

fn rows(path: &Path, products: usize, grouped: bool) -> io::Result<usize> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let service = Service {
        path: path.to_owned(),
        products,
    };
    runtime.block_on(async {
        let client = Client::builder("bench.myshopify.com", "no token").transport(service);
        let client = client.build().map_err(io::Error::other)?;
        let run = export::run(&client, export::Variables).group_objects(grouped);
        let mut rows = run.await.map_err(io::Error::other)?;
        let mut check = 0;
        while let Some(product) = rows.next().await {
            let product = product.map_err(io::Error::other)?;
            check += product.id.as_str().len() + product.title.len() + product.handle.len();
            for variant in &product.variants.nodes {
                check += variant.id.as_str().len() + variant.title.len();
                check += variant.sku.as_deref().map_or(0, str::len) + variant.price.as_str().len();
                check += usize::from(variant.inventory_quantity > Some(0));
            }
        }
        Ok(check)
    })
}

/// A service whose one operation is done at once, and its file server.
struct Service {
    path: PathBuf,
    products: usize,
}

impl Transport for Service {
    fn send(
        &self,
        _: http::Request<Bytes>,
        _: usize,
    ) -> BoxFuture<'_, Result<http::Response<Bytes>, TransportError>> {
        let size = fs::metadata(&self.path).map_or(0, |file| file.len());
        let objects = self.products * (1 + VARIANTS);
        let answer = format!(
            r#"{{"data":{{"bulkOperationRunQuery":{{"userErrors":[],"bulkOperation":{{
                "id":"gid://shopify/BulkOperation/1","status":"COMPLETED","errorCode":null,
                "objectCount":"{objects}","rootObjectCount":"{}","fileSize":"{size}",
                "url":"https://files.example/result","partialDataUrl":null}}}}}}}}"#,
            self.products
        );
        Box::pin(async { Ok(http::Response::new(answer.into())) })
    }

    fn open(
        &self,
        _: http::Request<Bytes>,
    ) -> BoxFuture<'_, Result<http::Response<Box<dyn Chunks>>, TransportError>> {
        let file = fs::File::open(&self.path).map_err(other);
        Box::pin(async {
            Ok(http::Response::new(
                Box::new(Pieces(file?)) as Box<dyn Chunks>
            ))
        })
    }
}

/// A file in pieces of the length that a connection gives.
struct Pieces(fs::File);

impl Chunks for Pieces {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Bytes>, TransportError>> {
        let mut piece = vec![0; 16 << 10];
        let read = self.0.read(&mut piece).map_err(other);
        Box::pin(async {
            piece.truncate(read?);
            Ok((!piece.is_empty()).then(|| piece.into()))
        })
    }
}

fn other(error: io::Error) -> TransportError {
    TransportError::new(tollgate::TransportErrorKind::Other, error)
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

/// The same lines three times: each product before its variants, 64 products before theirs, and
/// all products before all variants in an order that has nothing to do with theirs.
fn write_files(products: usize, grouped: &Path, apart: &Path, shuffled: &Path) -> io::Result<()> {
    let create = |path| fs::File::create(path).map(BufWriter::new);
    let (mut grouped, mut apart, mut shuffled) =
        (create(grouped)?, create(apart)?, create(shuffled)?);
    for first in (0..products).step_by(64) {
        let some = first..products.min(first + 64);
        for product in some.clone() {
            writeln!(grouped, "{}", self::product(product))?;
            writeln!(apart, "{}", self::product(product))?;
            writeln!(shuffled, "{}", self::product(product))?;
            for index in 0..VARIANTS {
                writeln!(grouped, "{}", variant(product, index))?;
            }
        }
        for product in some {
            for index in 0..VARIANTS {
                writeln!(apart, "{}", variant(product, index))?;
            }
        }
    }
    // A stride that shares no factor with the number of lines visits each of them once.
    let count = products * VARIANTS;
    let stride = (7919..).find(|stride| gcd(*stride, count) == 1);
    for at in (0..count).map(|n| n * stride.unwrap_or(1) % count) {
        writeln!(shuffled, "{}", variant(at / VARIANTS, at % VARIANTS))?;
    }
    for mut file in [grouped, apart, shuffled] {
        file.flush()?;
    }
    Ok(())
}

fn product(product: usize) -> String {
    format!(
        r#"{{"_0":"Product","id":"gid://shopify/Product/{product}","title":"Wäschekorb № {product}","handle":"waeschekorb-{product}"}}"#
    )
}

fn variant(product: usize, index: usize) -> String {
    format!(
        r#"{{"_1":"ProductVariant","id":"gid://shopify/ProductVariant/{product}{index}","title":"Größe {index}","sku":"SKU-{product}-{index}","price":"{index}9.95","inventoryQuantity":{index},"__parentId":"gid://shopify/Product/{product}"}}"#
    )
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Seconds that the processors worked for this process, where the system tells.
fn processor_time() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let fields = after_name.split_whitespace().skip(11).take(2);
    // In user and system mode, in hundredths.
    fields
        .filter_map(|ticks| ticks.parse::<f64>().ok())
        .sum::<f64>()
        / 100.0
}

/// The largest resident size so far, in MB, where the system tells.
fn peak() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.map_or("?".into(), |kilobytes| (kilobytes >> 10).to_string())
}
