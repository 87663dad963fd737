//! How many simple queries a second the shop answers on one core: in process and over HTTP.
//!
//! `cargo run --release -p tollgate-shop --example throughput`; the last line is
//! `in_process= http= bulk_lines=`, in queries and in lines of a bulk result per second.
#![expect(clippy::print_stdout, reason = "its output is its purpose")]

use std::error::Error;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tollgate_shop::{BulkPace, Catalogue, Server, Shop};

const QUERY: &str = r#"{"query":"query Page($first: Int!) { products(first: $first) { nodes { id title handle variants(first: 2) { nodes { id price } } } pageInfo { hasNextPage endCursor } } }","variables":{"first":10}}"#;
const PATH: &str = "/admin/api/2026-10/graphql.json";
const TIME: Duration = Duration::from_secs(3);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let catalogue = Catalogue::default().with("products", 1000);
    let shop = Shop::builder()
        .catalogue(catalogue)
        .bucket(u64::from(u32::MAX), 1_000_000)
        .start()
        .await?;
    let in_process = in_process(&shop).await?;
    let http = over_http(&shop).await?;
    let bulk = bulk().await?;
    println!("in_process={in_process} http={http} bulk_lines={bulk}");
    Ok(())
}

const EXPORT: &str = r#"{"query":"mutation { bulkOperationRunQuery(query: \"{ products { edges { node { id title variants { edges { node { id sku price } } } } } } }\") { bulkOperation { id } } }"}"#;
const POLL: &str =
    r#"{"query":"{ bulkOperation(id: \"gid://shopify/BulkOperation/1\") { status } }"}"#;

/// An export of 120 000 lines, as fast as they are made.
async fn bulk() -> Result<u64, Box<dyn Error>> {
    let catalogue = Catalogue::default()
        .with("products", 20_000)
        .with("Product.variants", 5);
    let pace = BulkPace {
        start: Duration::ZERO,
        lines_per_second: u64::MAX,
        cancel: Duration::ZERO,
    };
    let shop = Shop::builder().catalogue(catalogue).bulk(pace).build()?;
    ask(&shop, EXPORT).await?;
    let start = Instant::now();
    let answer = ask(&shop, POLL).await?;
    assert!(std::str::from_utf8(&answer)?.contains("COMPLETED"));
    let millis = u64::try_from(start.elapsed().as_millis())?.max(1);
    Ok(120_000 * 1000 / millis)
}

async fn ask(shop: &Shop, body: &'static str) -> Result<Bytes, Box<dyn Error>> {
    let request = http::Request::post(format!("http://shop{PATH}"))
        .header("x-shopify-access-token", "t")
        .body(Bytes::from_static(body.as_bytes()))?;
    let response = shop.handle(request).await?;
    assert_eq!(response.status(), 200);
    Ok(response.into_body())
}

async fn in_process(shop: &Shop) -> Result<u64, Box<dyn Error>> {
    let start = Instant::now();
    let mut answers = 0;
    while start.elapsed() < TIME {
        ask(shop, QUERY).await?;
        answers += 1;
    }
    Ok(answers / TIME.as_secs())
}

/// One connection, one request after the other, client and shop on the same core.
async fn over_http(server: &Server) -> Result<u64, Box<dyn Error>> {
    let mut stream = TcpStream::connect(server.address()).await?;
    let request = format!(
        "POST {PATH} HTTP/1.1\r\nhost: shop\r\nx-shopify-access-token: t\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{QUERY}",
        QUERY.len()
    );
    let start = Instant::now();
    let mut answers = 0;
    let mut buffer = Vec::new();
    while start.elapsed() < TIME {
        stream.write_all(request.as_bytes()).await?;
        buffer.clear();
        loop {
            stream.read_buf(&mut buffer).await?;
            if let Some(end) = end_of_answer(&buffer) {
                assert_eq!(end, buffer.len());
                break;
            }
        }
        answers += 1;
    }
    Ok(answers / TIME.as_secs())
}

/// Where the answer ends, once its head and its body are there.
fn end_of_answer(buffer: &[u8]) -> Option<usize> {
    let head = buffer.windows(4).position(|end| end == b"\r\n\r\n")? + 4;
    let text = std::str::from_utf8(&buffer[..head]).ok()?;
    let length = text.split("content-length: ").nth(1)?;
    let length: usize = length.split("\r\n").next()?.parse().ok()?;
    (buffer.len() >= head + length).then_some(head + length)
}
