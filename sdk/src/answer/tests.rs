use bytes::Bytes;

use super::{Body, PathSegment, explanation};
use crate::ledger::{Anomaly, ThrottleStatus};

fn read(text: &str) -> Body {
    Body::read(Bytes::from(text.to_owned()), None).expect(text)
}

#[test]
fn data_is_the_very_text() {
    let body = read("{\"extensions\" : {}, \"data\": {\"a\" : [1, 2.50]} }");
    assert_eq!(body.data(), Some("{\"a\" : [1, 2.50]}"));
    assert!(read(r#"{"data":null,"errors":[{}]}"#).data().is_none());
    assert!(read(r#"{"data":null,"errors":[{}]}"#).has_data_member);
    assert!(!read(r#"{"errors":[{}]}"#).has_data_member);
    // Of a repeated member the last counts; escapes in keys do not hide it.
    assert_eq!(read(r#"{"data":1,"d\u0061ta":2}"#).data(), Some("2"));
}

#[test]
fn errors_in_every_shape() {
    let messages = |text: &str| {
        let errors = read(text).errors;
        errors.into_iter().map(|e| e.message).collect::<Vec<_>>()
    };
    assert_eq!(messages(r#"{"errors":"Not Found"}"#), ["Not Found"]);
    assert_eq!(messages(r#"{"errors":["a",{"message":"b"}]}"#), ["a", "b"]);
    assert_eq!(
        messages(r#"{"errors":{"base":["a","b"],"x":"c"}}"#),
        ["base: a", "base: b", "x: c"]
    );
    assert_eq!(messages(r#"{"errors":[{"code":7}]}"#), [r#"{"code":7}"#]);
    assert_eq!(messages(r#"{"error":"one"}"#), ["one"]);
    assert_eq!(messages(r#"{"errors":7}"#), ["7"]);
    assert!(messages(r#"{"data":{},"errors":null}"#).is_empty());
    let deep = format!(r#"{{"errors":[{}{}]}}"#, "[".repeat(500), "]".repeat(500));
    assert!(messages(&deep)[0].contains("cannot be read"));
}

#[test]
fn paths_and_codes() {
    let errors = read(
        r#"{"data":{},"errors":[{"message":"m","path":["a",0,"b"],"locations":[{"line":2}],"extensions":{"code":"X","n":1}}]}"#,
    )
    .errors;
    let key = |key: &str| PathSegment::Key(key.to_owned());
    assert_eq!(errors[0].path, [key("a"), PathSegment::Index(0), key("b")]);
    assert_eq!(errors[0].to_string(), "m [X] at a[0].b");
    assert_eq!(errors[0].locations, [(2, 0)]);
    assert_eq!(errors[0].extensions["n"], 1);
}

#[test]
fn cost_in_every_shape() {
    let cost = |cost: &str| {
        let text = format!(r#"{{"data":{{}},"extensions":{{"cost":{cost}}}}}"#);
        read(&text).cost
    };
    let whole = cost(
        r#"{"requestedQueryCost":12,"actualQueryCost":3.0,"throttleStatus":{"maximumAvailable":2000.0,"currentlyAvailable":"1986","restoreRate":100}}"#,
    );
    assert_eq!(whole.requested.unwrap().get(), 12);
    assert_eq!(whole.actual.unwrap().get(), 3);
    assert_eq!(whole.status, ThrottleStatus::new(2000.0, 1986.0, 100.0));
    assert!(whole.anomalies.is_empty());

    for empty in ["null", "{}", r#"{"throttleStatus":null}"#] {
        let block = cost(empty);
        assert_eq!(block.status, ThrottleStatus::default(), "{empty}");
        assert!(
            block.requested.is_none() && block.anomalies.is_empty(),
            "{empty}"
        );
    }
    let odd = cost(
        r#"{"requestedQueryCost":-1,"actualQueryCost":[],"throttleStatus":{"currentlyAvailable":"much"}}"#,
    );
    assert!(odd.requested.is_none() && odd.actual.is_none());
    let expected = ["actualQueryCost", "currentlyAvailable"].map(Anomaly::NotANumber);
    assert_eq!(odd.anomalies, expected);
    // A number that no float can hold spoils itself, and nothing beside it.
    let huge = cost(
        r#"{"requestedQueryCost":1e400,"actualQueryCost":"NaN","x":1e999,"throttleStatus":{"restoreRate":100}}"#,
    );
    let expected = ["requestedQueryCost", "actualQueryCost"].map(Anomaly::NotANumber);
    assert_eq!(huge.anomalies, expected);
    assert_eq!(huge.status.restore_rate, Some(100.0));
    // Of a repeated member the last counts; what is no object has no members.
    let twice = cost(r#"{"requestedQueryCost":1,"requestedQueryCost":2}"#);
    assert_eq!(twice.requested.unwrap().get(), 2);
    for other in ["[1]", "\"free\"", "7", r#"{"throttleStatus":[]}"#] {
        assert!(cost(other).requested.is_none(), "{other}");
    }
}

#[test]
fn prices_by_field() {
    let cost = read(
        r#"{"data":{},"extensions":{"cost":{"fields":[{"path":["a","b"],"definedCost":null,"requestedTotalCost":12,"requestedChildrenCost":4}]}}}"#,
    )
    .cost;
    assert_eq!(cost.fields.len(), 1);
    assert_eq!(cost.fields[0].path.len(), 2);
    assert_eq!(cost.fields[0].defined, None);
    assert_eq!(cost.fields[0].requested_total, Some(12.0));
}

#[test]
fn explanations_are_short() {
    let long = "x".repeat(10_000);
    assert!(explanation(long.as_bytes()).chars().count() <= 201);
    assert_eq!(explanation(br#"{"errors":"no"}"#), "no");
    assert_eq!(explanation(b"\xff\xfe"), "\u{fffd}\u{fffd}");
}
