//! Over real sockets.

use std::io;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tollgate_shop::{Fault, Server, Shop};

const READ: &str = "query Read { products(first: 5) { nodes { id title } } }";

/// Sends a request and reads until the connection ends.
async fn post(server: &Server, headers: &str) -> io::Result<Vec<u8>> {
    let body = json!({ "query": READ }).to_string();
    let mut stream = TcpStream::connect(server.address()).await?;
    let head = format!(
        "POST /admin/api/2026-10/graphql.json HTTP/1.1\r\nhost: shop\r\nconnection: close\r\n\
         x-shopify-access-token: t\r\n{headers}content-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    Ok(answer)
}

fn split(answer: &[u8]) -> (&str, &[u8]) {
    let end = answer
        .windows(4)
        .position(|end| end == b"\r\n\r\n")
        .unwrap();
    (
        std::str::from_utf8(&answer[..end]).unwrap(),
        &answer[end + 4..],
    )
}

#[tokio::test]
async fn it_answers_and_stops() {
    let server = Shop::builder().start().await.unwrap();
    assert_eq!(
        server.endpoint("2026-10"),
        format!("http://{}/admin/api/2026-10/graphql.json", server.address())
    );
    let answer = post(&server, "").await.unwrap();
    let (head, body) = split(&answer);
    assert!(head.starts_with("HTTP/1.1 200 OK"), "{head}");
    let body: Value = serde_json::from_slice(body).unwrap();
    assert_eq!(
        body["data"]["products"]["nodes"].as_array().unwrap().len(),
        5
    );
    server.assert_sent("Read", 1);
    let address = server.address();
    server.stop().await;
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn it_stops_although_a_request_is_unfinished() {
    let server = Shop::builder().start().await.unwrap();
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    let part = "POST /admin/api/2026-10/graphql.json HTTP/1.1\r\nhost: s\r\n\
                content-length: 100\r\n\r\n{";
    stream.write_all(part.as_bytes()).await.unwrap();
    // Accepted after the first, which is therefore being served.
    post(&server, "").await.unwrap();
    let stopped = tokio::time::timeout(Duration::from_secs(20), server.stop());
    stopped.await.unwrap();
    // Reset or ended, and not answered.
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    assert_eq!(answer, b"");
}

/// In a process of its own, which is the one whose file handles run out.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn it_waits_while_file_handles_are_short() {
    use std::fs::File;
    use std::process::Command;

    const FEW: &str = "TOLLGATE_FEW_HANDLES";
    if std::env::var_os(FEW).is_none() {
        let mut few = Command::new("sh");
        few.args(["-c", "ulimit -n 64 && exec \"$0\" \"$@\""])
            .arg(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "shop::http::it_waits_while_file_handles_are_short",
            ])
            .env(FEW, "");
        assert!(few.status().unwrap().success());
        return;
    }
    let server = Shop::builder().start().await.unwrap();
    let runtime = tokio::runtime::Handle::current().metrics();
    let mut held: Vec<File> = std::iter::from_fn(|| File::open("/dev/null").ok()).collect();
    // One for the client, and none for the server.
    held.pop();
    let answer = post(&server, "");
    let mut answer = std::pin::pin!(answer);
    let pause = Duration::from_millis(500);
    let before = runtime.worker_total_busy_duration(0);
    assert!(tokio::time::timeout(pause, answer.as_mut()).await.is_err());
    let busy = runtime.worker_total_busy_duration(0) - before;
    assert!(busy < pause / 2, "it was busy for {busy:?}");
    drop(held);
    assert!(answer.await.unwrap().starts_with(b"HTTP/1.1 200 OK"));
}

#[tokio::test]
async fn it_refuses_a_body_that_is_too_long() {
    const MB: usize = 1 << 20;

    let server = Shop::builder().start().await.unwrap();
    let request = "POST /admin/api/2026-10/graphql.json";
    let upload = "PUT /staged/bulk/1";
    for (route, length, refused) in [
        (request, 4 * MB, false),
        (request, 4 * MB + 1, true),
        (request, 8 * MB, true),
        (upload, 8 * MB, false),
        (upload, 128 * MB + 1, true),
    ] {
        let mut stream = TcpStream::connect(server.address()).await.unwrap();
        let head = format!(
            "{route} HTTP/1.1\r\nhost: s\r\nx-shopify-access-token: t\r\nconnection: close\r\n\
             content-length: {length}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let piece = vec![b' '; MB];
        let mut left = length;
        while left > 0 {
            let sent = left.min(MB);
            stream.write_all(&piece[..sent]).await.unwrap();
            left -= sent;
        }
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        let (head, body) = split(&answer);
        let is_refused = head.starts_with("HTTP/1.1 413");
        assert_eq!(is_refused, refused, "{route}, {length} bytes: {head}");
        if refused {
            let body: Value = serde_json::from_slice(body).unwrap();
            assert_eq!(body, json!({ "errors": "Payload Too Large" }));
            let last = server.log().pop().unwrap();
            assert_eq!(last.outcome, tollgate_shop::Outcome::Status(413));
        }
    }
}

#[tokio::test]
async fn it_closes_when_dropped() {
    let server = Shop::builder().start().await.unwrap();
    let address = server.address();
    drop(server);
    // The listener closes with its task, at the next turn of the runtime.
    let mut turns = 0;
    while TcpStream::connect(address).await.is_ok() {
        turns += 1;
        assert!(turns < 1000, "still listening");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn it_compresses_for_those_who_take_gzip() {
    use std::io::Read;

    let server = Shop::builder().start().await.unwrap();
    let answer = post(&server, "accept-encoding: gzip\r\n").await.unwrap();
    let (head, body) = split(&answer);
    assert!(head.contains("content-encoding: gzip"), "{head}");
    let mut text = String::new();
    flate2::read::GzDecoder::new(body)
        .read_to_string(&mut text)
        .unwrap();
    assert!(text.starts_with("{\"data\":{\"products\""), "{text}");
}

#[tokio::test]
async fn connections_close_reset_and_break_off() {
    let server = Shop::builder().start().await.unwrap();
    server.fail_next(Fault::closed());
    assert_eq!(post(&server, "").await.unwrap(), b"");

    server.fail_next(Fault::reset());
    let error = post(&server, "").await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);

    let whole = post(&server, "").await.unwrap();
    for (fault, sent) in [
        (Fault::cut_off(), split(&whole).1.len() / 2),
        (Fault::cut_off_after(10), 10),
        (Fault::cut_off_after(0), 0),
    ] {
        server.fail_next(fault);
        let answer = post(&server, "").await.unwrap();
        let (head, body) = split(&answer);
        assert_eq!(body.len(), sent);
        let length = head.split("content-length: ").nth(1).unwrap();
        let length: usize = length.split("\r\n").next().unwrap().parse().unwrap();
        assert_eq!(length, split(&whole).1.len());
    }
}

#[tokio::test]
async fn bodies_drip_stall_and_never_end() {
    let server = Shop::builder().start().await.unwrap();
    server.fail_next(Fault::slow_drip(Duration::from_millis(1)));
    let answer = post(&server, "").await.unwrap();
    assert!(serde_json::from_slice::<Value>(split(&answer).1).is_ok());

    server.fail_next(Fault::endless_body());
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    let body = json!({ "query": READ }).to_string();
    let head = format!(
        "POST /admin/api/2026-10/graphql.json HTTP/1.1\r\nhost: s\r\nx-shopify-access-token: t\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut much = vec![0; 4 << 20];
    stream.read_exact(&mut much).await.unwrap();
}

#[tokio::test]
async fn results_of_bulk_operations_are_streamed_and_compressed() {
    use std::io::Read;

    let pace = tollgate_shop::BulkPace {
        start: Duration::ZERO,
        lines_per_second: u64::from(u32::MAX),
        cancel: Duration::ZERO,
    };
    let catalogue = tollgate_shop::Catalogue::default().with("products", 3_000);
    let server = Shop::builder()
        .catalogue(catalogue)
        .bulk(pace)
        .start()
        .await
        .unwrap();
    let run = "mutation { bulkOperationRunQuery(query: \"{ products { edges { node { id title } } } }\") { \
               bulkOperation { id } } }";
    super::data(&server, run, json!({})).await;
    let poll = "{ bulkOperation(id: \"gid://shopify/BulkOperation/1\") { url status } }";
    let done = super::data(&server, poll, json!({})).await;
    let url = done["bulkOperation"]["url"].as_str().unwrap();
    let path = url.strip_prefix("http://shop").unwrap();

    let mut bodies = Vec::new();
    for headers in ["", "accept-encoding: gzip\r\n"] {
        let mut stream = TcpStream::connect(server.address()).await.unwrap();
        // HTTP/1.0 has no chunks: the body ends with the connection.
        let head = format!("GET {path} HTTP/1.0\r\n{headers}\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        let (head, body) = split(&answer);
        if headers.is_empty() {
            bodies.push(body.to_vec());
        } else {
            assert!(head.contains("content-encoding: gzip"), "{head}");
            let mut text = Vec::new();
            flate2::read::GzDecoder::new(body)
                .read_to_end(&mut text)
                .unwrap();
            bodies.push(text);
        }
    }
    assert_eq!(
        bodies[0].iter().filter(|byte| **byte == b'\n').count(),
        3_000
    );
    assert!(bodies[0] == bodies[1]);
}
