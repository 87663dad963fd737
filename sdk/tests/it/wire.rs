//! The default transport against a server on a real socket.

use std::time::Duration;

use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};
use tollgate::{Client, ClientBuilder, ErrorKind, RetryPolicy, TransportErrorKind};

use crate::till::{Purchase, Spend};

/// Serves each connection with the next of `answers`, raw; gives what was received.
async fn serve(answers: Vec<Vec<u8>>) -> (String, tokio::task::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let task = tokio::spawn(async move {
        let mut received = Vec::new();
        for answer in answers {
            let (mut socket, _) = listener.accept().await.unwrap();
            received.push(read_request(&mut socket).await);
            socket.write_all(&answer).await.unwrap();
            socket.shutdown().await.ok();
        }
        received
    });
    (url, task)
}

async fn read_request(socket: &mut TcpStream) -> String {
    let mut text = String::new();
    let mut buffer = [0; 4096];
    loop {
        let read = socket.read(&mut buffer).await.unwrap();
        text.push_str(&String::from_utf8_lossy(&buffer[..read]));
        let complete = text.split_once("\r\n\r\n").is_some_and(|(head, body)| {
            let length = head.lines().find_map(|line| {
                line.to_ascii_lowercase()
                    .strip_prefix("content-length: ")?
                    .parse::<usize>()
                    .ok()
            });
            length == Some(body.len())
        });
        if read == 0 || complete {
            return text;
        }
    }
}

fn answer(head: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!("HTTP/1.1 {head}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
    [head.as_bytes(), body].concat()
}

fn good() -> Vec<u8> {
    let body = json!({ "data": { "spend": 7 } }).to_string();
    answer("200 OK\r\ncontent-type: application/json", body.as_bytes())
}

fn shop(url: &str) -> ClientBuilder {
    Client::builder("test.myshopify.com", "secret").endpoint(url)
}

async fn fails(builder: ClientBuilder) -> ErrorKind {
    let shop = builder.retry(RetryPolicy::once()).build().unwrap();
    let error = shop.run::<Spend>(Purchase::of(1, 1, 1)).await.unwrap_err();
    error.into_kind()
}

#[tokio::test]
async fn a_request_is_what_the_api_wants() {
    let (url, server) = serve(vec![good()]).await;
    let shop = shop(&url).api_version("2026-04").build().unwrap();
    let answer = shop.run::<Spend>(Purchase::of(1, 10, 10)).await.unwrap();
    assert_eq!(answer.data["spend"], 7);
    let request = server.await.unwrap().remove(0);
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let head = head.to_ascii_lowercase();
    assert!(head.starts_with("post /admin/api/2026-04/graphql.json http/1.1"));
    for header in [
        "x-shopify-access-token: secret",
        "content-type: application/json",
        "accept: application/json",
        "accept-encoding: gzip",
        "user-agent: tollgate/",
    ] {
        assert!(head.contains(header), "{header} in {head}");
    }
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["operationName"], "Spend");
    assert_eq!(body["variables"]["id"], 1);
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let elsewhere = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target = format!("http://{}/", elsewhere.local_addr().unwrap());
    for status in [
        "301 Moved",
        "302 Found",
        "307 Temporary Redirect",
        "308 Permanent Redirect",
    ] {
        let redirect = answer(&format!("{status}\r\nlocation: {target}"), b"");
        let (url, _server) = serve(vec![redirect]).await;
        let kind = fails(shop(&url)).await;
        let ErrorKind::Redirected { host } = kind else {
            panic!("{kind:?}");
        };
        assert_eq!(host.as_deref(), Some("127.0.0.1"));
    }
    let reached = tokio::time::timeout(Duration::from_millis(100), elsewhere.accept()).await;
    assert!(reached.is_err(), "the token went to another host");
}

fn kind_of(kind: &ErrorKind) -> TransportErrorKind {
    match kind {
        ErrorKind::Transport(error) => error.kind(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn answers_are_bounded_whether_announced_or_not() {
    let too_large = TransportErrorKind::TooLarge { limit: 1000 };
    let (url, _server) = serve(vec![answer("200 OK", &[b' '; 2000])]).await;
    assert_eq!(
        kind_of(&fails(shop(&url).body_limit(1000)).await),
        too_large
    );
    let endless = [
        b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n".as_slice(),
        &[b' '; 5000],
    ]
    .concat();
    let (url, _server) = serve(vec![endless]).await;
    assert_eq!(
        kind_of(&fails(shop(&url).body_limit(1000)).await),
        too_large
    );
}

#[tokio::test]
async fn connections_fail_in_known_ways() {
    // Nobody listens.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let nobody = listener.local_addr().unwrap();
    drop(listener);
    let error = fails(shop(&format!("http://{nobody}"))).await;
    assert_eq!(kind_of(&error), TransportErrorKind::Connect);
    let cause = std::error::Error::source(&error).unwrap();
    assert_eq!(cause.to_string(), format!("no connection to {nobody}"));
    // Closed without an answer.
    let (url, _server) = serve(vec![Vec::new()]).await;
    assert_eq!(
        kind_of(&fails(shop(&url)).await),
        TransportErrorKind::Closed
    );
    // Closed within the body.
    let mut cut = good();
    cut.truncate(cut.len() - 5);
    let (url, _server) = serve(vec![cut]).await;
    assert_eq!(
        kind_of(&fails(shop(&url)).await),
        TransportErrorKind::Closed
    );
    // A server that accepts and says nothing, then one that stops within the body.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let silent = shop(&url).attempt_timeout(Duration::from_millis(100));
    assert_eq!(kind_of(&fails(silent).await), TransportErrorKind::Timeout);
    let stalled = tokio::spawn(async move {
        let (mut first, _) = listener.accept().await.unwrap();
        let (mut socket, _) = listener.accept().await.unwrap();
        first.write_all(b"").await.ok();
        read_request(&mut socket).await;
        let head = b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{\"data\"";
        socket.write_all(head).await.unwrap();
        tokio::time::sleep(Duration::from_secs(60)).await;
    });
    let slow = shop(&url).silence_timeout(Duration::from_millis(100));
    assert_eq!(kind_of(&fails(slow).await), TransportErrorKind::Timeout);
    stalled.abort();
}

#[tokio::test]
async fn a_server_may_think_for_longer_than_it_may_be_silent() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        read_request(&mut socket).await;
        tokio::time::sleep(Duration::from_millis(300)).await;
        socket.write_all(&good()).await.unwrap();
    });
    let shop = shop(&url).silence_timeout(Duration::from_millis(100));
    let shop = shop.retry(RetryPolicy::once()).build().unwrap();
    let _ = shop.run::<Spend>(Purchase::of(1, 1, 1)).await.unwrap();
}

#[tokio::test]
async fn a_query_survives_a_connection_that_closes() {
    let (url, _server) = serve(vec![Vec::new(), good()]).await;
    let shop = shop(&url).build().unwrap();
    let answer = shop.run::<Spend>(Purchase::of(1, 1, 1)).await.unwrap();
    assert_eq!(answer.attempts, 2);
}

/// The other half of the test below, in a process with a proxy.
#[tokio::test]
async fn calls_this_machine() {
    if let Ok(url) = std::env::var("TOLLGATE_TEST_CALLS") {
        let _ = shop(&url)
            .build()
            .unwrap()
            .run::<Spend>(Purchase::of(1, 10, 10))
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn what_goes_to_this_machine_passes_no_proxy() {
    let (url, server) = serve(vec![good()]).await;
    // Its address takes no connection: a request that goes there fails.
    let proxy = "http://127.0.0.1:9";
    let call = tokio::task::spawn_blocking(move || {
        std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "wire::calls_this_machine"])
            .envs([
                ("http_proxy", proxy),
                ("HTTP_PROXY", proxy),
                ("all_proxy", proxy),
            ])
            .env_remove("no_proxy")
            .env_remove("NO_PROXY")
            .env("TOLLGATE_TEST_CALLS", url)
            .output()
            .unwrap()
    });
    let output = call.await.unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}"
    );
    assert_eq!(server.await.unwrap().len(), 1);
}
