//! How many simple queries a second the shop answers on one core: in process and over HTTP.
//!
//! `cargo run --release -p tollgate-shop --example throughput`; the last line is
//! `in_process= http=`, in queries per second.
#![expect(clippy::print_stdout, reason = "its output is its purpose")]

use std::error::Error;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tollgate_shop::{Catalogue, Server, Shop};

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
    println!("in_process={in_process} http={http}");
    Ok(())
}

async fn in_process(shop: &Shop) -> Result<u64, Box<dyn Error>> {
    let start = Instant::now();
    let mut answers = 0;
    while start.elapsed() < TIME {
        let request = http::Request::post(format!("http://shop{PATH}"))
            .header("x-shopify-access-token", "t")
            .body(Bytes::from_static(QUERY.as_bytes()))?;
        let response = shop.handle(request).await?;
        assert_eq!(response.status(), 200);
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
