//! Ways in: a password, a user with few rights, a prefix, TLS.

use std::{fs, path::Path, process::Command, sync::Arc, time::Duration};

use tollgate::shared::{Bucket, RedisLedger, RedisLedgerBuilder, Store, conformance};

use crate::{
    Server, client,
    server::free_port,
    steady,
    till::{Purchase, Spend, Till},
};

/// What the documentation of `RedisLedger` says a server has to allow.
const COMMANDS: [&str; 13] = [
    "evalsha",
    "script|load",
    "subscribe",
    "ping",
    "time",
    "hmget",
    "hget",
    "hgetall",
    "hset",
    "hdel",
    "pexpire",
    "publish",
    "scan",
];

fn patient(url: String) -> RedisLedgerBuilder {
    RedisLedger::builder([url]).patience(Duration::from_secs(5))
}

/// Calls of a client arrive in the store.
async fn works(ledger: &RedisLedger) {
    let till = Till::new(1000.0, 100.0, steady(0, 1, 0));
    let shop = client(&till, ledger).build().unwrap();
    let _ = shop.run::<Spend>(Purchase::of(1, 10, 10)).await.unwrap();
    // The call is settled in the background.
    let bucket = Bucket::new("", "test.myshopify.com");
    let standing = ledger.store().read(&bucket).await.unwrap();
    assert!(standing.is_some());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_user_needs_the_documented_rights_and_no_more() {
    let Some(server) = Server::start().await else {
        return;
    };
    let rights = COMMANDS.map(|command| format!("+{command}")).join(" ");
    let user = "ACL SETUSER worker on >se:cret resetkeys ~us:* resetchannels &us:* -@all";
    let () = server.command(&format!("{user} {rights}")).await;
    let url = format!("redis://worker:se%3Acret@127.0.0.1:{}", server.port());
    let mut handles: Vec<Arc<dyn Store>> = Vec::new();
    for _ in 0..2 {
        let ledger = patient(url.clone()).prefix("us").connect().await.unwrap();
        handles.push(Arc::new(ledger.store()));
    }
    conformance::check(&handles).await;
    let ledger = patient(url.clone()).prefix("us").connect().await.unwrap();
    works(&ledger).await;
    assert!(ledger.buckets().await.unwrap().len() > 1);
    let keys: Vec<String> = server.command("KEYS *").await;
    assert!(keys.iter().all(|key| key.starts_with("us:{")), "{keys:?}");
    // Elsewhere the user may do nothing.
    assert!(patient(url.clone()).connect().await.is_err());
    // Each of the rights is used, except that to scan, which only the list of buckets needs.
    for command in &COMMANDS[2..12] {
        let () = server
            .command(&format!("ACL SETUSER worker -{command}"))
            .await;
        let refused = match patient(url.clone()).prefix("us").connect().await {
            Ok(ledger) => {
                let mut handle: Vec<Arc<dyn Store>> = vec![Arc::new(ledger.store())];
                let check =
                    tokio::spawn(async move { conformance::check(&handle.split_off(0)).await });
                check.await.is_err()
            }
            Err(_) => true,
        };
        assert!(refused, "{command} is not needed");
        let () = server
            .command(&format!("ACL SETUSER worker +{command}"))
            .await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_password_is_refused_and_never_shown() {
    let Some(server) = Server::start().await else {
        return;
    };
    let () = server.command("CONFIG SET requirepass hush-hush").await;
    let url = |password: &str| format!("redis://{password}127.0.0.1:{}/3", server.port());
    let ledger = patient(url(":hush-hush@")).connect().await.unwrap();
    works(&ledger).await;
    for wrong in ["", ":hush-hash@", "nobody:hush-hush@"] {
        let builder = patient(url(wrong));
        assert!(!format!("{builder:?}").contains("hush"));
        let error = builder.connect().await.unwrap_err();
        assert!(!format!("{error:?} {error}").contains("hush"), "{error:?}");
    }
    assert!(!format!("{ledger:?}").contains("hush"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn prefixes_keep_ledgers_apart() {
    let Some(server) = Server::start().await else {
        return;
    };
    let one = patient(server.url())
        .prefix("a[*]")
        .connect()
        .await
        .unwrap();
    let other = patient(server.url())
        .prefix("a[*]b")
        .connect()
        .await
        .unwrap();
    works(&one).await;
    assert_eq!(one.buckets().await.unwrap().len(), 1);
    assert!(other.buckets().await.unwrap().is_empty());
}

/// Makes a certificate with `openssl`, signed by `issuer` or by itself.
fn certify(directory: &Path, name: &str, issuer: Option<&str>) -> std::io::Result<()> {
    let file = |name: &str, kind: &str| directory.join(format!("{name}.{kind}"));
    fs::write(file("none", "cnf"), "[req]\ndistinguished_name=dn\n[dn]\n")?;
    let mut command = Command::new("openssl");
    command.args(["req", "-x509", "-newkey", "ec", "-nodes", "-days", "2"]);
    command.args(["-pkeyopt", "ec_paramgen_curve:P-256", "-config"]);
    command.arg(file("none", "cnf"));
    command.args(["-subj", &format!("/CN={name}"), "-addext"]);
    if let Some(issuer) = issuer {
        command.args(["basicConstraints=critical,CA:FALSE", "-addext"]);
        command.arg("subjectAltName=IP:127.0.0.1");
        command.arg("-CA").arg(file(issuer, "pem"));
        command.arg("-CAkey").arg(file(issuer, "key"));
    } else {
        command.arg("basicConstraints=critical,CA:TRUE");
    }
    command.arg("-keyout").arg(file(name, "key"));
    command.arg("-out").arg(file(name, "pem"));
    let output = command.output()?;
    assert!(output.status.success(), "{output:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_tls_both_sides_show_their_certificates() {
    let port = free_port();
    let directory = std::env::temp_dir().join(format!("tollgate-tls-{port}"));
    fs::create_dir_all(&directory).unwrap();
    let names = [("root", None), ("leaf", Some("root")), ("stranger", None)];
    for (name, issuer) in names {
        if certify(&directory, name, issuer).is_err() {
            println!("skipped: openssl is not installed");
            return;
        }
    }
    let path = |name: &str| directory.join(name).to_str().unwrap().to_owned();
    let pem = |name: &str| fs::read(directory.join(name)).unwrap();
    let (root, chain, key) = (path("root.pem"), path("leaf.pem"), path("leaf.key"));
    let settings = [
        ["--tls-port", &port.to_string()],
        ["--tls-cert-file", &chain],
        ["--tls-key-file", &key],
        ["--tls-ca-cert-file", &root],
    ];
    let Some(_server) = Server::start_with(settings.as_flattened()).await else {
        return;
    };
    let secure = || patient(format!("rediss://127.0.0.1:{port}"));
    let known = || secure().client_certificate(pem("leaf.pem"), pem("leaf.key"));
    let ledger = known().root_certificates(pem("root.pem")).connect().await;
    works(&ledger.unwrap()).await;
    // A server that is not trusted, a worker that the server does not know, and nonsense.
    assert!(known().connect().await.is_err());
    assert!(
        known()
            .root_certificates(pem("stranger.pem"))
            .connect()
            .await
            .is_err()
    );
    assert!(
        secure()
            .root_certificates(pem("root.pem"))
            .connect()
            .await
            .is_err()
    );
    assert!(
        known()
            .root_certificates("-----BEGIN CERTIFICATE-----\nx")
            .lazy()
            .is_err()
    );
    let plain = patient("redis://127.0.0.1:1".to_owned());
    assert!(plain.root_certificates(pem("root.pem")).lazy().is_err());
    fs::remove_dir_all(&directory).unwrap();
}
