//! What comes over the wire: too much, too slowly, compressed, from elsewhere, from a stranger.

use std::{io::Write as _, sync::Arc, time::Duration};

use flate2::{Compression, write::GzEncoder};
use tokio::time::Instant;
use tollgate::{Client, ErrorKind, TransportErrorKind};
use tollgate_shop::{Fault, Shop};

use super::{MEGABYTE, ask, good, in_process, refused, transport};
use crate::{operations::tag, wire::Wire};

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

/// A certificate that nobody vouches for, and its key: they were made for this test, and protect
/// nothing.
const STRANGER: (&[u8], &[u8]) = (
    include_bytes!("../stranger/certificate.der"),
    include_bytes!("../stranger/key.der"),
);

#[tokio::test]
async fn a_stranger_with_a_valid_handshake_gets_no_token() {
    use std::io::Read as _;

    use rustls::{
        ServerConfig, ServerConnection, Stream,
        crypto::ring,
        pki_types::{CertificateDer, PrivatePkcs8KeyDer},
    };

    let certificate = CertificateDer::from(STRANGER.0);
    let key = PrivatePkcs8KeyDer::from(STRANGER.1).into();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let mut tls = ServerConnection::new(Arc::new(config)).unwrap();
        let mut heard = Vec::new();
        let ended = Stream::new(&mut tls, &mut socket).read_to_end(&mut heard);
        (heard, ended.map_err(|error| error.to_string()))
    });
    let shop = Client::builder("hostile.myshopify.com", "shpat_hostile")
        .endpoint(url)
        .retry(tollgate::RetryPolicy::once())
        .build()
        .unwrap();
    let error = ask(&shop).await.unwrap_err();
    assert_eq!(transport(error.kind()).kind(), TransportErrorKind::Connect);
    // The cause is in the chain.
    let mut chain = String::new();
    let mut next: Option<&dyn std::error::Error> = Some(&error);
    while let Some(cause) = next {
        chain = format!("{chain}: {cause}");
        next = cause.source();
    }
    assert!(chain.contains("certificate"), "{chain}");
    let (heard, ended) = server.join().unwrap();
    assert!(heard.is_empty(), "{}", String::from_utf8_lossy(&heard));
    assert!(ended.is_err(), "the client ended the handshake");
}
