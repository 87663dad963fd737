//! What a caller gets.

use serde_json::json;
use tollgate::{Client, ErrorKind, Operation, Points};

use crate::{
    client, till as till_of,
    till::{Act, Purchase, Spend, Till, Write, ok},
};

fn answering(body: serde_json::Value) -> Till {
    let till = till_of();
    till.script(move |_, _| Act::Instead(ok(&body)));
    till
}

fn denied() -> serde_json::Value {
    json!({
        "data": { "spend": null, "shop": { "name": "x" } },
        "errors": [{ "message": "Access denied for spend field.", "path": ["spend"],
            "extensions": { "code": "ACCESS_DENIED" } }],
        "extensions": { "cost": { "requestedQueryCost": 10, "actualQueryCost": 1 } },
    })
}

#[tokio::test(start_paused = true)]
async fn partial_data_is_an_error_with_the_data_or_an_answer_with_the_errors() {
    let till = answering(denied());
    let shop = client(&till).build().unwrap();
    let call = Purchase::of(1, 10, 10);
    let error = shop.run::<Spend>(call).await.unwrap_err();
    assert_eq!(error.graphql_errors()[0].path_text(), "spend");
    let partial = error.partial::<Spend>().unwrap().unwrap();
    assert_eq!(partial["shop"]["name"], "x");
    assert_eq!(error.context().cost.actual, Points(1));
    let message = error.to_string();
    assert!(
        message.contains("ACCESS_DENIED") && message.contains("at spend"),
        "{message}"
    );

    let answer = shop.call::<Spend>(call).accept_partial(true).await.unwrap();
    assert_eq!(answer.data["shop"]["name"], "x");
    assert_eq!(answer.errors.len(), 1);
    assert_eq!(till.count().requests, 2);
}

#[tokio::test(start_paused = true)]
async fn data_of_another_shape_names_the_place_and_the_errors_beside_it() {
    struct Strict;
    impl Operation for Strict {
        type Variables = ();
        type Data = String;
        const NAME: &'static str = "Strict";
        const KIND: tollgate::OperationKind = tollgate::OperationKind::Query;
        const DOCUMENT: &'static str = "query Strict{spend}";
        const PLAN: &'static tollgate::Plan = Spend::PLAN;
        const MAX_COST: Points = Points(1);
        fn cost((): &()) -> Result<Points, tollgate::CostError> {
            Ok(Points(1))
        }
        fn encode((): &(), out: &mut Vec<u8>) {
            out.extend_from_slice(b"{}");
        }
        fn decode(data: &str) -> Result<String, tollgate::DecodeError> {
            tollgate::decode::from_str(data)
        }
    }

    let till = answering(denied());
    let shop = client(&till).accept_partial(true).build().unwrap();
    let error = shop.run::<Strict>(()).await.unwrap_err();
    let ErrorKind::Decode { source, errors } = error.kind() else {
        panic!("{error}");
    };
    assert_eq!(source.expected(), "String");
    assert_eq!(errors.len(), 1);
    assert!(error.to_string().contains("Access denied"), "{error}");
    assert!(error.data().unwrap().contains("shop"));
}

#[tokio::test(start_paused = true)]
async fn user_errors_can_be_seen_and_can_be_errors() {
    let till = answering(json!({
        "data": { "write": { "userErrors": [{ "message": "Title can't be blank" }] } },
        "extensions": { "cost": { "requestedQueryCost": 10, "actualQueryCost": 10 } },
    }));
    let shop = client(&till).build().unwrap();
    let call = Purchase::of(1, 10, 10);
    let answer = shop.run::<Write>(call).await.unwrap();
    assert_eq!(answer.user_errors[0].message, "Title can't be blank");
    let error = answer.into_result().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::UserErrors(errors) if errors.len() == 1));
    assert!(error.partial::<Write>().unwrap().is_ok());
    assert_eq!(error.context().operation, "Write");

    let strict = client(&till).strict_user_errors(true).build().unwrap();
    let error = strict.run::<Write>(call).await.unwrap_err();
    assert!(
        error.to_string().contains("Title can't be blank"),
        "{error}"
    );
    assert!(error.partial::<Write>().is_some());
    let lenient = strict.call::<Write>(call).strict_user_errors(false).await;
    assert_eq!(lenient.unwrap().user_errors.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn no_cost_block_is_no_trouble() {
    for extensions in [json!(null), json!({ "cost": { "requestedQueryCost": 10 } })] {
        let till = answering(json!({ "data": { "spend": 1 }, "extensions": extensions }));
        let shop = client(&till).build().unwrap();
        let answer = shop.run::<Spend>(Purchase::of(1, 10, 10)).await.unwrap();
        assert_eq!(answer.cost.requested, Points(10));
        // What the answer does not say is our own account: a full bucket less this call.
        assert_eq!(answer.cost.available, 1990.0);
        assert_eq!(answer.cost.maximum, 2000.0);
    }
}

#[tokio::test(start_paused = true)]
async fn the_servers_limit_for_a_query_has_both_figures() {
    let till = answering(
        json!({ "errors": [{ "message": "Query cost is 1293, which exceeds …",
        "extensions": { "code": "MAX_COST_EXCEEDED", "cost": 1293, "maxCost": 1000 } }] }),
    );
    let shop = client(&till).build().unwrap();
    let error = shop
        .run::<Spend>(Purchase::of(1, 900, 900))
        .await
        .unwrap_err();
    let ErrorKind::TooDear { cost, maximum, .. } = error.kind() else {
        panic!("{error}");
    };
    assert_eq!((cost.get(), maximum.get()), (1293, 1000));
    assert_eq!(shop.level().available, 2000.0);
}

#[tokio::test(start_paused = true)]
async fn documents_at_run_time() {
    let till = till_of();
    let shop = client(&till).build().unwrap();
    let variables = json!({ "id": 5, "requested": 30, "actual": 20 });
    let answer = shop
        .raw("mutation { write { id } }", &variables)
        .await
        .unwrap();
    assert_eq!(answer.data["write"]["id"], 5);
    assert_eq!(answer.cost.estimated, Points(10), "the least of a mutation");
    assert_eq!(answer.cost.requested, Points(30));
    let call = shop
        .raw("query A { spend }", &variables)
        .operation_name("A");
    let answer = call.estimate(Points(40)).await.unwrap();
    assert_eq!(answer.cost.estimated, Points(40));
    // Said to cost nothing, it is still taken to cost something.
    let free = shop.raw("{ spend }", &variables).estimate(Points(0)).await;
    assert_eq!(free.unwrap().cost.estimated, Points(1));
}

#[test]
fn settings_are_checked_when_built() {
    let text = |builder: tollgate::ClientBuilder| builder.build().unwrap_err().to_string();
    let shop = || Client::builder("a.myshopify.com", "t");
    assert!(text(Client::builder("a.example.com", "t")).contains("a.example.com"));
    assert!(text(shop().api_version("2026-13")).contains("2026-13"));
    assert!(text(shop().in_flight(0)).contains("in_flight"));
    assert!(text(shop().body_limit(0)).contains("body_limit"));
    let zero = std::time::Duration::ZERO;
    assert!(text(shop().attempt_timeout(zero)).contains("attempt_timeout"));
    assert!(text(shop().deadline(zero)).contains("deadline"));
    assert!(text(shop().endpoint("http://evil.example")).contains("http://evil.example"));
}

#[tokio::test(start_paused = true)]
async fn what_a_server_says_at_length_is_not_repeated_at_length() {
    let long = "é".repeat(100_000);
    let error = |code: &str| {
        let path = vec![json!(long); 3];
        json!({ "message": long, "path": path, "extensions": { "code": code } })
    };
    let refusal = |code: &str| {
        let mut error = error(code);
        error["path"] = json!([]);
        json!({ "errors": [error] })
    };
    let mut throttle = refusal("THROTTLED");
    throttle["extensions"]["cost"] = json!({ "requestedQueryCost": 1,
        "throttleStatus": { "maximumAvailable": 2000, "currentlyAvailable": 2000, "restoreRate": 100 } });
    for body in [
        json!({ "errors": vec![error(&long); 10] }),
        refusal("ACCESS_DENIED"),
        refusal("INTERNAL_SERVER_ERROR"),
        refusal("SHOP_INACTIVE"),
        refusal(&format!("{long}_LIMIT_REACHED")),
        throttle,
    ] {
        let shop = client(&answering(body)).build().unwrap();
        let error = shop
            .run::<Spend>(Purchase::of(1, 10, 10))
            .await
            .unwrap_err();
        let said = error.to_string().chars().count();
        assert!((1_000..20_000).contains(&said), "{said}");
    }
    let refused = tollgate::UserError {
        field: vec![long.clone(); 3],
        code: None,
        message: long,
    };
    assert!(refused.to_string().chars().count() < 3_000);
}

#[tokio::test(start_paused = true)]
async fn ten_thousand_errors_are_one_error() {
    let error =
        json!({ "message": "no", "path": ["a", 1], "locations": [{ "line": 1, "column": 2 }] });
    let till = answering(json!({ "data": null, "errors": vec![error; 10_000] }));
    let shop = client(&till).build().unwrap();
    let error = shop
        .run::<Spend>(Purchase::of(1, 10, 10))
        .await
        .unwrap_err();
    assert_eq!(error.graphql_errors().len(), 10_000);
    assert!(error.to_string().contains("; and 9997 more"));
}
