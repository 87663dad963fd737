//! Servers that mean harm: each ends in a typed error, in bounded time and memory.

use std::{io::Write as _, sync::Arc, time::Duration};

use flate2::{Compression, write::GzEncoder};
use serde_json::json;
use tokio::time::{Instant, timeout};
use tollgate::{
    BodyError, Client, Error, ErrorKind, Response, TransportError, TransportErrorKind, What,
};
use tollgate_shop::{Fault, Shop};

use crate::{
    operations::{tag, titles},
    wire::Wire,
};

const MEGABYTE: usize = 1 << 20;

async fn ask(shop: &Client) -> Result<Response<titles::Data>, Error> {
    let call = titles(shop, titles::Variables { first: 5 });
    let patience = Duration::from_secs(30);
    timeout(patience, call).await.expect("it ends by itself")
}

async fn refused(wire: &Wire) -> ErrorKind {
    let shop = wire.client().build().unwrap();
    ask(&shop).await.unwrap_err().into_kind()
}

/// An answer of status 200 with this JSON, or what is to pass for it.
async fn answered(json: impl AsRef<[u8]>) -> Result<Response<titles::Data>, Error> {
    let wire = Wire::body("content-type: application/json\r\n", json.as_ref()).await;
    ask(&wire.client().build().unwrap()).await
}

#[track_caller]
fn transport(kind: &ErrorKind) -> &TransportError {
    match kind {
        ErrorKind::Transport(error) => error,
        other => panic!("{other:?}"),
    }
}

fn good() -> String {
    let nodes = json!([{ "id": "gid://shopify/Product/1", "title": "Hat" }]);
    json!({ "data": { "products": { "nodes": nodes } } }).to_string()
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(body).unwrap();
    gzip.finish().unwrap()
}

/// The most memory that this process has had, in bytes.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().split(' ').next()?.parse::<usize>().ok());
    kilobytes.unwrap_or(0) * 1024
}

#[tokio::test]
async fn an_endless_body_is_cut_at_the_limit() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{\"data\": \"";
    let script = move |piece| {
        Some(match piece {
            0 => head.as_bytes().to_vec(),
            _ => vec![b'x'; 64 * 1024],
        })
    };
    let wire = Wire::scripted(Duration::ZERO, Arc::new(script)).await;
    let shop = wire.client().body_limit(MEGABYTE).build().unwrap();
    let kind = ask(&shop).await.unwrap_err().into_kind();
    let limit = MEGABYTE;
    let expected = TransportErrorKind::TooLarge { limit };
    assert_eq!(transport(&kind).kind(), expected);
    // What the sockets hold is all that was sent beyond.
    assert!(wire.sent() < 32 * MEGABYTE, "{}", wire.sent());
}

#[tokio::test]
async fn a_slow_drip_ends_with_the_time_of_the_attempt() {
    let script = |piece| {
        Some(match piece {
            0 => b"HTTP/1.1 200 OK\r\n\r\n".to_vec(),
            _ => b" ".to_vec(),
        })
    };
    let wire = Wire::scripted(Duration::from_millis(20), Arc::new(script)).await;
    let begun = Instant::now();
    // Never silent for long: only the time for the whole attempt ends it.
    let shop = wire
        .client()
        .silence_timeout(Duration::from_secs(5))
        .attempt_timeout(Duration::from_millis(400))
        .build()
        .unwrap();
    let kind = ask(&shop).await.unwrap_err().into_kind();
    assert_eq!(transport(&kind).kind(), TransportErrorKind::Timeout);
    assert!(begun.elapsed() >= Duration::from_millis(400));
    // A mutation may have run by then, and is not sent twice.
    let variables = tag::Variables {
        id: "gid://shopify/Product/1".into(),
        tag: "a".to_owned(),
    };
    let error = tag(&shop, variables).await.unwrap_err();
    assert!(error.outcome_is_unknown(), "{error:?}");
}

#[tokio::test]
async fn a_compressed_answer_is_read_and_a_bomb_is_not() {
    let headers = "content-type: application/json\r\ncontent-encoding: gzip\r\n";
    let wire = Wire::body(headers, &gzip(good().as_bytes())).await;
    let answer = ask(&wire.client().build().unwrap()).await.unwrap();
    assert_eq!(answer.data.products.nodes[0].title, "Hat");

    // A gigabyte of spaces in a megabyte: the same compressed block, again and again.
    let mut block = GzEncoder::new(Vec::new(), Compression::best());
    block.write_all(&vec![b' '; MEGABYTE]).unwrap();
    block.flush().unwrap();
    let head = block.get_ref().len();
    block.write_all(&vec![b' '; MEGABYTE]).unwrap();
    block.flush().unwrap();
    let (first, again) = block.get_ref().split_at(head);
    let bomb = [first, &again.repeat(1023)].concat();
    assert!(bomb.len() < 2 * MEGABYTE, "{}", bomb.len());
    let before = peak();
    let wire = Wire::body(headers, &bomb).await;
    let shop = wire.client().body_limit(8 * MEGABYTE).build().unwrap();
    let kind = ask(&shop).await.unwrap_err().into_kind();
    let expected = TransportErrorKind::TooLarge {
        limit: 8 * MEGABYTE,
    };
    assert_eq!(transport(&kind).kind(), expected);
    let grown = peak() - before;
    assert!(grown < 200 * MEGABYTE, "{grown} bytes for a limit of 8 MB");

    // One that ends too early is a connection that closed.
    let cut = gzip(good().as_bytes());
    let wire = Wire::body(headers, &cut[..cut.len() / 2]).await;
    let kind = refused(&wire).await;
    assert_eq!(transport(&kind).kind(), TransportErrorKind::Closed);
    // And what only claims to be compressed is none the less an error.
    let wire = Wire::body(headers, good().as_bytes()).await;
    assert!(matches!(refused(&wire).await, ErrorKind::Transport(_)));
}

#[tokio::test]
async fn the_content_type_decides_nothing_and_explains_much() {
    let wire = Wire::body(
        "content-type: text/html; charset=utf-8\r\n",
        good().as_bytes(),
    )
    .await;
    let answer = ask(&wire.client().build().unwrap()).await.unwrap();
    assert_eq!(answer.data.products.nodes[0].title, "Hat");

    let page = b"<!DOCTYPE html><title>Sign in</title>";
    let wire = Wire::body("content-type: application/json\r\n", page).await;
    let ErrorKind::Body(BodyError::NotJson { excerpt, .. }) = refused(&wire).await else {
        panic!("a page is no answer");
    };
    assert!(excerpt.contains("Sign in"));
}

#[tokio::test]
async fn other_charsets_are_no_json() {
    let utf16: Vec<u8> = good().encode_utf16().flat_map(u16::to_le_bytes).collect();
    let latin: Vec<u8> = good()
        .replace("Hat", "H\u{fc}t")
        .chars()
        .map(|c| c as u8)
        .collect();
    for bytes in [utf16, latin, b"\xff\xfe\xfd".to_vec(), vec![0; 100]] {
        let wire = Wire::body("content-type: application/json; charset=utf-16\r\n", &bytes).await;
        let kind = refused(&wire).await;
        assert!(
            matches!(
                kind,
                ErrorKind::Body(BodyError::NotJson { .. } | BodyError::Broken { .. })
            ),
            "{kind:?}"
        );
    }
}

#[tokio::test]
async fn of_a_repeated_key_one_counts() {
    let twice = r#"{"data":{"products":{"nodes":[]},"products":{"nodes":[{"id":"gid://shopify/Product/2","title":"a","title":"b"}]}},"data":{"products":{"nodes":[]}}}"#;
    let answer = answered(twice).await.unwrap();
    assert!(answer.data.products.nodes.is_empty(), "the last `data`");
    let inner = r#"{"data":{"products":{"nodes":[{"id":"gid://shopify/Product/2","title":"a","title":"b"}]}}}"#;
    match answered(inner).await {
        Ok(answer) => assert_eq!(answer.data.products.nodes.len(), 1),
        Err(error) => assert!(
            matches!(error.kind(), ErrorKind::Decode { .. }),
            "{error:?}"
        ),
    }
}

#[tokio::test]
async fn data_of_the_wrong_shape_names_the_place() {
    let node = |title: serde_json::Value| {
        let nodes = json!([{ "id": "gid://shopify/Product/1", "title": "a" }, { "id": "b", "title": title }]);
        json!({ "data": { "products": { "nodes": nodes } } }).to_string()
    };
    let cases = [
        (node(json!(7)), "products.nodes[1].title"),
        (node(json!(null)), "products.nodes[1].title"),
        (node(json!({})), "products.nodes[1].title"),
        (
            json!({ "data": { "products": [] } }).to_string(),
            "products",
        ),
        (
            json!({ "data": { "products": { "nodes": {} } } }).to_string(),
            "products.nodes",
        ),
        (
            json!({ "data": { "products": { "nodes": [7] } } }).to_string(),
            "products.nodes[0]",
        ),
        (json!({ "data": [] }).to_string(), ""),
        (json!({ "data": "text" }).to_string(), ""),
    ];
    for (body, path) in cases {
        let error = answered(&body).await.unwrap_err();
        let ErrorKind::Decode { source, .. } = error.kind() else {
            panic!("{body}: {error:?}");
        };
        assert_eq!(source.path(), path, "{body}");
    }
    let missing = answered(r#"{"data":{}}"#).await.unwrap_err();
    assert!(
        matches!(missing.kind(), ErrorKind::Decode { .. }),
        "{missing:?}"
    );
}

#[tokio::test]
async fn numbers_and_texts_that_cannot_be_do_no_harm() {
    let titled = |value: &str| {
        format!(
            r#"{{"data":{{"products":{{"nodes":[{{"id":"gid://shopify/Product/1","title":{value}}}]}}}}}}"#
        )
    };
    for value in ["1e400", "-1e400"] {
        let error = answered(titled(value)).await.unwrap_err();
        let ErrorKind::Decode { source, .. } = error.kind() else {
            panic!("{value}: {error:?}");
        };
        assert_eq!(source.path(), "products.nodes[0].title", "{value}");
    }
    // Half a letter is a letter that nobody knows, and the rest of the text is there.
    for value in [r#""a\ud800b""#, r#""a\udc00b""#] {
        let answer = answered(titled(value)).await.unwrap();
        assert_eq!(answer.data.products.nodes[0].title, "a\u{fffd}b", "{value}");
    }
    // Beside the data they disturb nobody; in `errors` they are still errors.
    let beside = good().replacen(
        '{',
        r#"{"extensions":{"a":1e400,"b":"\ud800","cost":{"requestedQueryCost":1e400}},"#,
        1,
    );
    assert!(answered(&beside).await.is_ok());
    let error = answered(r#"{"errors":[{"message":"\ud800","n":1e400}]}"#)
        .await
        .unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::GraphQl(errors) if errors.len() == 1),
        "{error:?}"
    );
    // A key that no text can be.
    let error = answered(r#"{"\ud800":1,"data":null}"#).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Body(_)), "{error:?}");
}

#[tokio::test]
async fn nesting_without_end_is_no_stack_without_end() {
    let deep = |open: &str, close: &str| open.repeat(200_000) + &close.repeat(200_000);
    let bodies = [
        format!(r#"{{"data":{}}}"#, deep("[", "]")),
        format!(r#"{{"data":{{"products":{}}}}}"#, deep("[", "]")),
        format!(
            r#"{{"data":{{"products":{{"nodes":[],"x":{}}}}}}}"#,
            deep(r#"{"a":"#, "}").replace(":}", ":1}")
        ),
        format!(r#"{{"errors":{}}}"#, deep("[", "]")),
        format!(r#"{{"data":null,"extensions":{}}}"#, deep("[", "]")),
        format!(r#"{{"data":null,"x":{}}}"#, deep("[", "]")),
        deep("[", "]"),
        deep(r#"{"data":"#, "}"),
    ];
    for body in bodies {
        let start = &body[..40];
        // Where nothing of it is asked for it may be skipped.
        if let Err(error) = answered(&body).await {
            let typed = matches!(
                error.kind(),
                ErrorKind::Decode { .. }
                    | ErrorKind::Body(_)
                    | ErrorKind::GraphQl(_)
                    | ErrorKind::NoData
            );
            assert!(typed, "{start}: {error:?}");
        }
    }
}

#[tokio::test]
async fn a_hundred_thousand_errors_are_counted_and_three_are_told() {
    let error = json!({
        "message": "x".repeat(50),
        "path": ["products", "nodes", 3, "title"],
        "extensions": { "code": "undefinedField" },
    });
    let errors = vec![error.to_string(); 100_000].join(",");
    let error = answered(format!(r#"{{"errors":[{errors}]}}"#))
        .await
        .unwrap_err();
    assert_eq!(error.graphql_errors().len(), 100_000);
    let text = error.to_string();
    assert!(
        text.contains("and 99997 more") && text.len() < 1000,
        "{text}"
    );
    // One of many megabytes is not shown whole either.
    let long = json!({ "errors": [{ "message": "y".repeat(4 * MEGABYTE) }] });
    let error = answered(long.to_string()).await.unwrap_err();
    assert_eq!(error.graphql_errors()[0].message.len(), 4 * MEGABYTE);
    assert!(error.to_string().len() < 5000);
}

#[tokio::test]
async fn a_header_of_a_megabyte_is_an_error() {
    let head = format!(
        "HTTP/1.1 200 OK\r\nx-huge: {}\r\ncontent-length: {}\r\n\r\n{}",
        "h".repeat(MEGABYTE),
        good().len(),
        good()
    );
    let wire = Wire::raw(head.into_bytes()).await;
    assert!(matches!(refused(&wire).await, ErrorKind::Transport(_)));
    for nonsense in [
        "",
        "HTTP/1.1 2",
        "HTTP/9.9 200 OK\r\n\r\n",
        "\0\0\0\0",
        "HTTP/1.1 99999 OK\r\n\r\n",
    ] {
        let wire = Wire::raw(nonsense.into()).await;
        assert!(
            matches!(refused(&wire).await, ErrorKind::Transport(_)),
            "{nonsense:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_redirect_tells_where_to_and_is_not_followed() {
    let server = Shop::builder().build().unwrap();
    server.fail_next(Fault::redirect("https://other-shop.example/admin?token=x"));
    let shop = in_process(&server);
    let error = ask(&shop).await.unwrap_err();
    let ErrorKind::Redirected { host } = error.kind() else {
        panic!("{error:?}");
    };
    assert_eq!(host.as_deref(), Some("other-shop.example"));
    assert_eq!(server.log().len(), 1);
}

fn in_process(server: &Shop) -> Client {
    let shop = Client::builder("hostile.myshopify.com", "shpat_hostile");
    shop.transport(server.clone()).build().unwrap()
}

/// Whatever the cost block says, the call succeeds, and the ones after it go on.
#[tokio::test(start_paused = true)]
async fn lies_about_cost_change_no_answer_and_brick_nothing() {
    let mut lies = Fault::odd_costs();
    for lie in [
        json!([]),
        json!(true),
        json!({ "throttleStatus": 7, "requestedQueryCost": {} }),
    ] {
        lies.push(Fault::cost(lie));
    }
    let status = |maximum: f64, available: f64, rate: f64| {
        let status = json!({ "maximumAvailable": maximum, "currentlyAvailable": available, "restoreRate": rate });
        Fault::cost(
            json!({ "requestedQueryCost": 7, "actualQueryCost": 7, "throttleStatus": status }),
        )
    };
    lies.extend([
        // Consistent and false: too small for any call, in debt, faster than light.
        status(2.0, 1.0, 1.0),
        status(2000.0, -2000.0, 100.0),
        status(1e300, 1e300, 1e300),
        status(1e-300, 1e-300, 1e-300),
    ]);
    for lie in lies {
        let server = Shop::builder().build().unwrap();
        let anomalies = Arc::new(std::sync::Mutex::new(Vec::new()));
        let seen = Arc::clone(&anomalies);
        let shop = Client::builder("hostile.myshopify.com", "shpat_hostile")
            .transport(server.clone())
            .observer(move |event: &tollgate::Event<'_>| {
                if let What::Anomaly { anomaly } = &event.what {
                    seen.lock().unwrap().push(anomaly.to_string());
                }
            })
            .build()
            .unwrap();
        server.fail_next(lie.clone());
        ask(&shop)
            .await
            .unwrap_or_else(|error| panic!("{lie:?}: {error}"));
        // An hour of calls: if the lie is believed at all, the truth wins it back.
        let begun = Instant::now();
        let mut answered = false;
        while begun.elapsed() < Duration::from_secs(3600) && !answered {
            answered = titles(&shop, titles::Variables { first: 5 }).await.is_ok();
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        let anomalies = anomalies.lock().unwrap();
        assert!(answered, "{lie:?}, {anomalies:?}: {:?}", shop.level());
        let took = begun.elapsed();
        assert!(took < Duration::from_secs(120), "{lie:?}: {took:?}");
        let level = shop.level();
        assert!(
            (1999.0..=2001.0).contains(&level.maximum),
            "{lie:?}: {level:?}"
        );
        assert!(
            (1000.0..=2000.0).contains(&level.available),
            "{lie:?}: {level:?}"
        );
    }
}

#[tokio::test]
async fn tls_that_fails_is_no_connection() {
    // No TLS at all, a refusal in its own words, and nothing.
    const ALERT: [u8; 7] = [0x15, 3, 3, 0, 2, 2, 40];
    for hello in [b"HTTP/1.1 400 Bad Request\r\n\r\n".as_slice(), &ALERT, &[]] {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://{}", listener.local_addr().unwrap());
        let server = tokio::spawn(async move {
            use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
            let mut buffer = vec![0; 16 * 1024];
            let mut seen = Vec::new();
            while let Ok((mut socket, _)) = listener.accept().await {
                if let Ok(read) = socket.read(&mut buffer).await {
                    seen.extend_from_slice(&buffer[..read]);
                }
                let _ = socket.write_all(hello).await;
                let _ = socket.shutdown().await;
                if seen.len() > 100 {
                    return seen;
                }
            }
            seen
        });
        let shop = Client::builder("hostile.myshopify.com", "shpat_hostile")
            .endpoint(url)
            .retry(tollgate::RetryPolicy::once())
            .build()
            .unwrap();
        let variables = tag::Variables {
            id: "gid://shopify/Product/1".into(),
            tag: "a".to_owned(),
        };
        let error = tag(&shop, variables).await.unwrap_err();
        // Nothing was sent, so the mutation has not run, and that is known.
        assert_eq!(
            transport(error.kind()).kind(),
            TransportErrorKind::Connect,
            "{error:?}"
        );
        assert!(std::error::Error::source(transport(error.kind())).is_some());
        let seen = server.await.unwrap();
        assert!(
            !seen.windows(5).any(|bytes| bytes == b"shpat"),
            "the token was sent in the clear"
        );
    }
}
