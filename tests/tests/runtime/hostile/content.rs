//! What stands in the body: other types and charsets, shapes, numbers and texts that cannot be.

use serde_json::json;
use tollgate::{BodyError, ErrorKind};

use super::{MEGABYTE, answered, ask, good, refused};
use crate::wire::Wire;

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
    let answer = answered(inner).await.unwrap();
    let title = &answer.data.products.nodes[0].title;
    assert_eq!(title, "a", "within the data the first");
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
