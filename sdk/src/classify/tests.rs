use std::time::{Duration, SystemTime};

use bytes::Bytes;
use serde_json::{Value, json};
use tollgate_cost::Points;

use super::{Cure, Fault, Ran, Reply, fault, transport_fault};
use crate::{
    BodyError, CostLimit, ErrorKind, OperationKind,
    error::Unavailable,
    ledger::Charge,
    transport::{TransportError, TransportErrorKind},
};

fn reply(status: u16, headers: &[(&str, &str)], body: impl Into<Bytes>) -> Reply {
    let mut answer = http::Response::builder().status(status);
    for (name, value) in headers {
        answer = answer.header(*name, *value);
    }
    Reply::read(answer.body(body.into()).unwrap())
}

fn judge(mut reply: Reply, kind: OperationKind) -> (Option<Fault>, Charge) {
    let fault = fault(&mut reply, kind, SystemTime::UNIX_EPOCH);
    let charge = reply.charge(Points(50), fault.as_ref());
    (fault, charge)
}

fn query(status: u16, body: &Value) -> (Fault, Charge) {
    let (fault, charge) = judge(reply(status, &[], body.to_string()), OperationKind::Query);
    (fault.expect("a fault"), charge)
}

fn mutation(body: &Value) -> (Fault, Charge) {
    let (fault, charge) = judge(reply(200, &[], body.to_string()), OperationKind::Mutation);
    (fault.expect("a fault"), charge)
}

fn cost(requested: Value, actual: Value, available: Value) -> Value {
    json!({ "cost": {
        "requestedQueryCost": requested,
        "actualQueryCost": actual,
        "throttleStatus": { "maximumAvailable": 1000.0, "currentlyAvailable": available, "restoreRate": 50.0 },
    }})
}

fn throttled(extensions: &Value) -> Value {
    json!({
        "errors": [{ "message": "Throttled", "extensions": { "code": "THROTTLED" } }],
        "extensions": extensions,
    })
}

#[test]
fn an_answer_with_data_is_none() {
    for extensions in [
        json!(null),
        json!({}),
        json!({ "cost": null }),
        json!({ "cost": { "requestedQueryCost": 50 } }),
        json!({ "cost": { "requestedQueryCost": "x", "throttleStatus": 7 } }),
        cost(json!(50), json!(12), json!("850")),
    ] {
        let body = json!({ "data": { "a": 1 }, "extensions": extensions });
        let (fault, charge) = judge(reply(200, &[], body.to_string()), OperationKind::Query);
        assert!(fault.is_none(), "{body}");
        let expected = if extensions["cost"]["actualQueryCost"] == 12 {
            12
        } else {
            50
        };
        assert_eq!(charge, Charge::Actual(Points(expected)), "{body}");
    }
}

#[test]
fn a_throttle_is_known_by_its_code() {
    let (fault, charge) = query(200, &throttled(&cost(json!(100), json!(null), json!(40))));
    assert_eq!(fault.ran, Ran::No);
    let cure = Cure::Points {
        requested: Some(Points(100)),
        available: Some(40.0),
    };
    assert_eq!(fault.cure, cure);
    assert_eq!(charge, Charge::Nothing);
    // Not only as the first of several errors.
    let mut body = throttled(&json!(null));
    let other = json!({ "message": "also" });
    body["errors"].as_array_mut().unwrap().insert(0, other);
    assert!(matches!(query(200, &body).0.cure, Cure::Points { .. }));
    // The older form has no code; the message alone tells.
    let old = json!({ "errors": [{ "message": "Throttled" }], "extensions": cost(json!(118), json!(null), json!(7)) });
    assert!(matches!(query(200, &old).0.cure, Cure::Points { .. }));
}

#[test]
fn words_in_a_message_are_not_a_throttle() {
    for body in [
        json!({ "errors": [{ "message": "Throttled", "extensions": { "code": "BAD_REQUEST" } }] }),
        json!({ "errors": [{ "message": "the product THROTTLED is gone" }] }),
        json!({ "data": { "a": "THROTTLED" }, "errors": [{ "message": "x", "path": ["a"] }] }),
    ] {
        let (fault, _) = query(200, &body);
        assert_eq!(fault.cure, Cure::None, "{body}");
        assert!(matches!(fault.kind, ErrorKind::GraphQl(_)), "{body}");
    }
}

#[test]
fn a_throttle_beside_data_is_no_proof_that_nothing_ran() {
    let code = json!({ "code": "THROTTLED" });
    let error = |path: Value| json!({ "message": "Throttled", "path": path, "extensions": code });
    for body in [
        json!({ "data": { "a": null, "b": 1 }, "errors": [error(json!(["a"]))] }),
        json!({ "data": null, "errors": [error(json!(["a"]))] }),
        json!({ "errors": [error(json!(null))], "extensions": cost(json!(9), json!(9), json!(0)) }),
    ] {
        let (fault, _) = mutation(&body);
        assert_eq!(fault.cure, Cure::None, "{body}");
    }
}

#[test]
fn a_throttle_with_room_left_is_another_limit() {
    let (fault, charge) = query(200, &throttled(&cost(json!(100), json!(null), json!(900))));
    assert_eq!((fault.cure, fault.ran), (Cure::Patience, Ran::No));
    assert!(matches!(fault.kind, ErrorKind::OtherThrottle { .. }));
    assert_eq!(charge, Charge::Nothing);
}

#[test]
fn lasting_limits_are_not_waited_for() {
    let body = json!({
        "data": { "productCreate": null },
        "errors": [{ "message": "daily", "path": ["productCreate"],
            "extensions": { "code": "VARIANT_THROTTLE_EXCEEDED" } }],
        "extensions": cost(json!(72), json!(10), json!(990)),
    });
    let (fault, charge) = mutation(&body);
    assert!(
        matches!(fault.kind, ErrorKind::ResourceLimit { code, .. } if code == "VARIANT_THROTTLE_EXCEEDED")
    );
    assert_eq!(fault.cure, Cure::None);
    assert_eq!(charge, Charge::Actual(Points(10)));
}

#[test]
fn a_maximum_without_figures_is_that_of_every_query() {
    let error = json!({ "message": "Too much", "extensions": { "code": "MAX_COST_EXCEEDED" } });
    let cost = json!({ "cost": { "requestedQueryCost": 1200 } });
    for (extensions, expected) in [(json!({}), 1000), (cost, 1200)] {
        let body = json!({ "errors": [error], "extensions": extensions });
        let ErrorKind::TooDear { cost, maximum, .. } = query(200, &body).0.kind else {
            panic!("{body}");
        };
        assert_eq!((cost, maximum), (Points(expected), Points(1000)));
    }
}

#[test]
fn the_maximum_of_a_query_comes_with_both_figures() {
    let message = "Query cost is 1293, which exceeds the single query max cost limit (1000).";
    for extensions in [
        json!({ "code": "MAX_COST_EXCEEDED", "cost": 1293, "maxCost": 1000 }),
        json!({ "code": "MAX_COST_EXCEEDED" }),
    ] {
        let body = json!({ "errors": [{ "message": message, "extensions": extensions }] });
        let (fault, charge) = query(200, &body);
        let ErrorKind::TooDear {
            cost,
            maximum,
            limit,
        } = fault.kind
        else {
            panic!("{fault:?}");
        };
        assert_eq!((cost, maximum), (Points(1293), Points(1000)));
        assert_eq!(limit, CostLimit::SingleQuery);
        assert_eq!(charge, Charge::Nothing);
    }
}

#[test]
fn internal_errors_pass_for_queries_and_leave_mutations_unknown() {
    let internal = json!({ "code": "INTERNAL_SERVER_ERROR", "requestId": "abc-1" });
    let whole = json!({ "data": null, "errors": [{ "message": "Internal error", "extensions": internal }] });
    for (fault, charge) in [query(200, &whole), mutation(&whole)] {
        assert!(matches!(fault.kind, ErrorKind::Internal { .. }));
        assert_eq!((fault.ran, fault.cure), (Ran::Perhaps, Cure::Again));
        assert_eq!(charge, Charge::Unknown);
    }
    assert_eq!(
        reply(200, &[], whole.to_string()).request_id().unwrap(),
        "abc-1"
    );
    // One field of many failed: a query has partial data, a mutation may have written.
    let field = json!({ "data": { "a": null, "b": {} }, "errors": [{ "message": "x", "path": ["a"], "extensions": internal }] });
    let (fault, _) = query(200, &field);
    assert!(matches!(fault.kind, ErrorKind::GraphQl(_)));
    assert_eq!(mutation(&field).0.ran, Ran::Perhaps);
}

#[test]
fn a_null_payload_with_errors_is_unknown_unless_it_was_refused() {
    let body = |code: &str| {
        json!({ "data": { "productCreate": null }, "errors": [
            { "message": "x", "path": ["productCreate"], "extensions": { "code": code } }] })
    };
    for refused in [
        "BAD_REQUEST",
        "ACCESS_DENIED",
        "RESOURCE_NOT_FOUND",
        "INVALID_FIELD_ARGUMENTS",
    ] {
        assert_eq!(mutation(&body(refused)).0.ran, Ran::No, "{refused}");
    }
    assert_eq!(mutation(&body("SOMETHING_NEW")).0.ran, Ran::Perhaps);
    let no_code = json!({ "data": { "productCreate": { "product": null, "userErrors": [] } },
        "errors": [{ "message": "x" }] });
    assert_eq!(mutation(&no_code).0.ran, Ran::Perhaps);
}

#[test]
fn validation_errors_have_neither_data_nor_extensions() {
    let body = json!({ "errors": [{ "message": "Field 'x' doesn't exist on type 'Shop'",
        "locations": [{ "line": 1, "column": 9 }], "path": ["query Q", "shop", "x"],
        "extensions": { "code": "undefinedField" } }] });
    let (fault, charge) = mutation(&body);
    assert_eq!((fault.ran, fault.cure), (Ran::No, Cure::None));
    assert_eq!(charge, Charge::Nothing);
    let ErrorKind::GraphQl(errors) = fault.kind else {
        panic!("GraphQL errors");
    };
    assert_eq!(errors[0].code.as_deref(), Some("undefinedField"));
    assert_eq!(errors[0].locations, [(1, 9)]);
    assert_eq!(errors[0].path_text(), "query Q.shop.x");
    // Too long an input list is debited all the same.
    let long = json!({ "errors": [{ "message": "x", "extensions": { "code": "MAX_INPUT_SIZE_EXCEEDED" } }],
        "extensions": cost(json!(10), json!(null), json!(990)) });
    assert_eq!(mutation(&long).1, Charge::Actual(Points(10)));
}

#[test]
fn access_denied_for_all_or_for_a_part() {
    let error = json!({ "message": "Access denied for orders field.", "path": ["orders"],
        "extensions": { "code": "ACCESS_DENIED" } });
    let whole = json!({ "data": null, "errors": [error] });
    assert!(matches!(
        query(200, &whole).0.kind,
        ErrorKind::AccessDenied { .. }
    ));
    let part = json!({ "data": { "orders": null, "shop": {} }, "errors": [error] });
    let (fault, _) = query(200, &part);
    assert!(matches!(fault.kind, ErrorKind::GraphQl(_)));
    assert_eq!(fault.ran, Ran::No);
}

#[test]
fn every_status_has_its_kind() {
    type Case = (u16, Value, fn(&ErrorKind) -> bool, Cure);
    let text = |text: &str| json!({ "errors": text });
    let kinds: [Case; 18] = [
        (
            301,
            json!({}),
            |k| matches!(k, ErrorKind::Redirected { .. }),
            Cure::None,
        ),
        (
            400,
            text("bad"),
            |k| matches!(k, ErrorKind::Refused { status: 400, .. }),
            Cure::None,
        ),
        (
            401,
            text("Invalid API key"),
            |k| matches!(k, ErrorKind::Unauthorized { message } if message == "Invalid API key"),
            Cure::Token,
        ),
        (
            402,
            text("Unavailable Shop"),
            |k| {
                matches!(
                    k,
                    ErrorKind::ShopUnavailable {
                        reason: Unavailable::Unpaid,
                        ..
                    }
                )
            },
            Cure::None,
        ),
        (
            403,
            text("no access"),
            |k| matches!(k, ErrorKind::AccessDenied { .. }),
            Cure::None,
        ),
        (
            403,
            text("Unavailable Shop"),
            |k| {
                matches!(
                    k,
                    ErrorKind::ShopUnavailable {
                        reason: Unavailable::Inactive,
                        ..
                    }
                )
            },
            Cure::None,
        ),
        (
            403,
            text("Non-expiring access tokens are no longer accepted"),
            |k| matches!(k, ErrorKind::TokenKindRejected { .. }),
            Cure::None,
        ),
        (
            404,
            json!({ "errors": "Not Found" }),
            |k| matches!(k, ErrorKind::NotFound { .. }),
            Cure::None,
        ),
        (
            404,
            text("Unavailable Shop"),
            |k| matches!(k, ErrorKind::ShopUnavailable { .. }),
            Cure::None,
        ),
        (
            408,
            json!({}),
            |k| matches!(k, ErrorKind::Refused { .. }),
            Cure::Again,
        ),
        (
            413,
            json!({}),
            |k| matches!(k, ErrorKind::Refused { .. }),
            Cure::None,
        ),
        (
            422,
            json!({ "errors": { "base": ["a", "b"] } }),
            |k| matches!(k, ErrorKind::Refused { message, .. } if message == "base: a; base: b"),
            Cure::None,
        ),
        (
            423,
            text("locked"),
            |k| {
                matches!(
                    k,
                    ErrorKind::ShopUnavailable {
                        reason: Unavailable::Locked,
                        ..
                    }
                )
            },
            Cure::None,
        ),
        (
            429,
            json!({}),
            |k| matches!(k, ErrorKind::TooManyRequests { status: 429, .. }),
            Cure::After(None),
        ),
        (
            430,
            json!({}),
            |k| matches!(k, ErrorKind::TooManyRequests { status: 430, .. }),
            Cure::After(None),
        ),
        (
            500,
            json!({}),
            |k| matches!(k, ErrorKind::Server { .. }),
            Cure::Again,
        ),
        (
            502,
            json!({}),
            |k| matches!(k, ErrorKind::Server { .. }),
            Cure::Again,
        ),
        (
            504,
            json!({}),
            |k| matches!(k, ErrorKind::Server { .. }),
            Cure::Again,
        ),
    ];
    for (status, body, fits, cure) in kinds {
        let (fault, charge) = query(status, &body);
        assert!(fits(&fault.kind), "{status} {body}: {:?}", fault.kind);
        assert_eq!(fault.cure, cure, "{status}");
        let perhaps = status >= 500 || status == 408;
        assert_eq!(fault.ran == Ran::Perhaps, perhaps, "{status}");
        let expected = if perhaps {
            Charge::Unknown
        } else {
            Charge::Nothing
        };
        assert_eq!(charge, expected, "{status} {body}");
    }
}

#[test]
fn redirects_name_the_host() {
    let location = [("location", "https://other.myshopify.com/admin/api")];
    let (fault, _) = judge(reply(302, &location, ""), OperationKind::Query);
    let Some(ErrorKind::Redirected { host }) = fault.map(|fault| fault.kind) else {
        panic!("a redirect");
    };
    assert_eq!(host.as_deref(), Some("other.myshopify.com"));
}

#[test]
fn retry_after_in_all_its_forms() {
    let after = |value: &str, date: Option<&str>| {
        let mut headers = vec![("retry-after", value)];
        headers.extend(date.map(|date| ("date", date)));
        match judge(reply(429, &headers, ""), OperationKind::Mutation).0 {
            Some(Fault {
                cure: Cure::After(after),
                ran: Ran::No,
                ..
            }) => after,
            other => panic!("{other:?}"),
        }
    };
    let millis = |millis| Some(Duration::from_millis(millis));
    assert_eq!(after("2", None), millis(2000));
    assert_eq!(after(" 2.5 ", None), millis(2500));
    assert_eq!(after("0", None), millis(0));
    assert_eq!(after("Thu, 01 Jan 1970 00:00:30 GMT", None), millis(30_000));
    let date = Some("Thu, 01 Jan 1970 00:00:20 GMT");
    assert_eq!(after("Thu, 01 Jan 1970 00:00:30 GMT", date), millis(10_000));
    assert_eq!(after("Thu, 01 Jan 1970 00:00:10 GMT", date), millis(0));
    for garbage in ["", "soon", "-1", "NaN", "inf", "1e400", "2 seconds"] {
        assert_eq!(after(garbage, None), None, "{garbage}");
    }
}

#[test]
fn bodies_that_are_no_answer() {
    type Case<'a> = (&'a [u8], fn(&BodyError) -> bool);
    let html = "<!DOCTYPE html><title>503</title>";
    let cases: [Case<'_>; 9] = [
        (b"", |e| matches!(e, BodyError::Empty)),
        (b" \n ", |e| matches!(e, BodyError::Empty)),
        (
            html.as_bytes(),
            |e| matches!(e, BodyError::NotJson { content_type, excerpt } if content_type == "text/html" && excerpt.starts_with("<!DOCTYPE")),
        ),
        (b"{\"data\":{\"a\":1}", |e| {
            matches!(e, BodyError::Broken { .. })
        }),
        (b"{\"data\":{}} trailing", |e| {
            matches!(e, BodyError::Broken { .. })
        }),
        (b"[1]", |e| matches!(e, BodyError::Broken { .. })),
        (b"{\"a\":1}", |e| matches!(e, BodyError::Foreign { .. })),
        (b"{}", |e| matches!(e, BodyError::Foreign { .. })),
        (b"\xff\xfe{", |e| matches!(e, BodyError::NotJson { .. })),
    ];
    for (body, fits) in cases {
        let reply = reply(200, &[("content-type", "text/html")], body.to_vec());
        let (fault, charge) = judge(reply, OperationKind::Query);
        let Some(Fault {
            kind: ErrorKind::Body(error),
            ran: Ran::Perhaps,
            cure: Cure::Again,
        }) = fault
        else {
            panic!("{body:?}: {fault:?}");
        };
        assert!(fits(&error), "{body:?}: {error:?}");
        assert_eq!(charge, Charge::Unknown);
    }
    // With a status of failure the page is only an explanation.
    let page = reply(503, &[("content-type", "text/html")], html);
    let (fault, _) = judge(page, OperationKind::Query);
    let Some(ErrorKind::Server { message, .. }) = fault.map(|fault| fault.kind) else {
        panic!("a failure");
    };
    assert!(message.starts_with("<!DOCTYPE"));
}

#[test]
fn null_data_without_errors_is_no_data() {
    let (fault, _) = query(200, &json!({ "data": null }));
    assert!(matches!(fault.kind, ErrorKind::NoData));
    let (fault, _) = query(200, &json!({ "data": null, "errors": [] }));
    assert!(matches!(fault.kind, ErrorKind::NoData));
}

#[test]
fn transport_failures_tell_whether_anything_left() {
    let cases = [
        (TransportErrorKind::Connect, Ran::No, Cure::Again),
        (TransportErrorKind::Timeout, Ran::Perhaps, Cure::Again),
        (TransportErrorKind::Closed, Ran::Perhaps, Cure::Again),
        (TransportErrorKind::Other, Ran::Perhaps, Cure::Again),
        (
            TransportErrorKind::TooLarge { limit: 1 },
            Ran::Perhaps,
            Cure::None,
        ),
    ];
    for (kind, ran, cure) in cases {
        let fault = transport_fault(TransportError::new(kind, "cause"));
        assert_eq!((fault.ran, fault.cure), (ran, cure), "{kind:?}");
    }
}

#[test]
fn shops_about_to_close() {
    let body = json!({ "errors": [{ "message": "x", "extensions": { "code": "SHOP_PENDING_TERMINATION" } }] });
    let (fault, _) = query(200, &body);
    assert!(matches!(
        fault.kind,
        ErrorKind::ShopUnavailable {
            reason: Unavailable::Closing,
            ..
        }
    ));
}

#[test]
fn very_many_errors_are_read_in_time() {
    let errors = |last: Value| {
        let error = json!({ "message": "Throttled" });
        let mut errors = vec![error; 100_000];
        errors.push(last);
        json!({ "errors": errors })
    };
    let begun = std::time::Instant::now();
    let partly = json!({ "message": "x", "path": ["shop"] });
    let (fault, _) = query(200, &errors(partly));
    assert!(matches!(fault.kind, ErrorKind::GraphQl(errors) if errors.len() == 100_001));
    let (fault, _) = query(200, &errors(json!({ "message": "x" })));
    assert!(matches!(fault.cure, Cure::Points { .. }));
    // Each compared with all of the others it takes minutes.
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
}
