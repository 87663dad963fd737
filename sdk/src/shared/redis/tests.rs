use super::{RedisLedger, decode, encode, escape};
use crate::ledgers::Bucket;

#[tokio::test]
async fn keys_tell_buckets_apart_and_back() {
    let ledger = RedisLedger::builder(["redis://127.0.0.1:1"])
        .lazy()
        .unwrap();
    let store = &ledger.store;
    let mut keys = Vec::new();
    for (app, shop) in [
        ("", "a.myshopify.com"),
        ("a", "b:c"),
        ("a:b", "c"),
        ("{x}", "%7B"),
        ("%", "}{"),
        ("ü", "a.myshopify.com at 127.0.0.1:80"),
    ] {
        let bucket = Bucket::new(app, shop);
        let key = store.key_of(&bucket);
        assert!(key.starts_with("tollgate:{") && key.ends_with('}'), "{key}");
        // The tag ends at the first brace after its beginning.
        assert_eq!(key.matches(['{', '}']).count(), 2, "{key}");
        assert_eq!(store.bucket_of(&key), Some(bucket));
        keys.push(key);
    }
    keys.dedup();
    assert_eq!(keys.len(), 6);
    assert_eq!(store.bucket_of("tollgate:worker:x"), None);
}

#[test]
fn parts_survive_and_patterns_match_only_themselves() {
    for part in ["", "%25", "a:b{c}%d", "%3A"] {
        assert_eq!(decode(&encode(part)), part);
    }
    assert_eq!(escape("a*[b]"), r"a\*\[b\]");
}

#[tokio::test]
async fn no_password_is_shown() {
    let builder = RedisLedger::builder(["redis://user:canary@127.0.0.1:1"]);
    let shown = format!("{builder:?}");
    let ledger = builder.lazy().unwrap();
    assert!(!format!("{shown}{ledger:?}").contains("canary"));
}

#[tokio::test]
async fn what_cannot_be_used_is_named() {
    let with = |urls: &[&str]| RedisLedger::builder(urls.iter().copied());
    for (urls, named) in [
        (
            &["127.0.0.1:6379"][..],
            r#""127.0.0.1:6379" is not the URL"#,
        ),
        (
            &["redis://user:canary@127.0.0.1:port"],
            r#""redis://…@127.0.0.1:port" is not the URL of a Redis server: it must be of the form"#,
        ),
        (
            &["http://127.0.0.1"],
            r#""http://127.0.0.1" is not the URL"#,
        ),
        (&["redis://a", "redis://b"], "2 URLs for one Redis server"),
        (&[], "there is no URL"),
    ] {
        let refused = with(urls).lazy().unwrap_err();
        let shown = format!("{refused} {refused:?}");
        assert!(shown.contains(named), "{shown}");
        assert!(!shown.contains("canary"), "{shown}");
    }
    // Nobody listens there.
    let refused = with(&["redis://:canary@127.0.0.1:1"]).connect().await;
    let shown = format!("{:?}", refused.unwrap_err());
    let named = "the Redis server at 127.0.0.1:1 cannot be used: ";
    assert!(
        shown.starts_with(named) && !shown.contains("canary"),
        "{shown}"
    );
}
