use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};
use tokio::time::advance;
use tollgate_codegen::bulk::{Bulk, bulk};
use tollgate_codegen::document::validate;
use tollgate_codegen::schema::Schema;
use tollgate_codegen::source::Source;
use tollgate_shop::{BulkPace, Catalogue, Fault, SCHEMA, Shop};

use super::data;

const RUN: &str = "mutation Run($query: String!, $group: Boolean! = false) { \
    bulkOperationRunQuery(query: $query, groupObjects: $group) { \
    bulkOperation { id status } userErrors { field message code } } }";
const POLL: &str = "query Poll($id: ID!) { bulkOperation(id: $id) { id status errorCode objectCount \
    rootObjectCount fileSize url partialDataUrl completedAt } }";
const CANCEL: &str = "mutation($id: ID!) { bulkOperationCancel(id: $id) { \
    bulkOperation { status } userErrors { message } } }";
const EXPORT: &str =
    "{ products { edges { node { id title variants { edges { node { id sku } } } } } } }";

fn shop(products: u64, variants: u64) -> Shop {
    let catalogue = Catalogue::default()
        .with("products", products)
        .with("Product.variants", variants);
    let pace = BulkPace {
        start: Duration::from_secs(1),
        lines_per_second: 100,
        cancel: Duration::from_secs(2),
    };
    Shop::builder()
        .catalogue(catalogue)
        .bulk(pace)
        .build()
        .unwrap()
}

async fn run(shop: &Shop, query: &str, grouped: bool) -> Value {
    let answer = data(shop, RUN, json!({ "query": query, "group": grouped })).await;
    answer["bulkOperationRunQuery"].clone()
}

async fn poll(shop: &Shop, id: &Value) -> Value {
    data(shop, POLL, json!({ "id": id })).await["bulkOperation"].clone()
}

async fn get(shop: &Shop, url: &Value, range: Option<&str>) -> ::http::Response<Bytes> {
    let mut request = ::http::Request::get(url.as_str().unwrap());
    if let Some(range) = range {
        request = request.header("range", range);
    }
    shop.handle(request.body(Bytes::new()).unwrap())
        .await
        .unwrap()
}

fn lines(body: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(body).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[tokio::test(start_paused = true)]
async fn a_query_grows_completes_and_gives_every_object_once() {
    let shop = shop(70, 2);
    let started = run(&shop, EXPORT, false).await;
    assert_eq!(started["userErrors"], json!([]));
    assert_eq!(started["bulkOperation"]["status"], "CREATED");
    let id = &started["bulkOperation"]["id"];

    advance(Duration::from_secs(2)).await;
    let running = poll(&shop, id).await;
    assert_eq!(running["status"], "RUNNING");
    assert_eq!(running["url"], Value::Null);
    let count: u64 = running["objectCount"].as_str().unwrap().parse().unwrap();
    assert!((100..210).contains(&count), "{count}");

    advance(Duration::from_secs(2)).await;
    let done = poll(&shop, id).await;
    assert_eq!(done["status"], "COMPLETED");
    assert_eq!(done["objectCount"], "210");
    assert_eq!(done["rootObjectCount"], "70");
    let response = get(&shop, &done["url"], None).await;
    let body = response.into_body();
    assert_eq!(done["fileSize"], body.len().to_string());

    let mut children: BTreeMap<String, u64> = BTreeMap::new();
    let rows = lines(&body);
    for row in &rows {
        match row.get("__parentId") {
            Some(parent) => *children.entry(parent.as_str().unwrap().into()).or_default() += 1,
            None => assert!(row.get("variants").is_none() && row["title"].is_string()),
        }
    }
    assert_eq!(children.len(), 70);
    assert!(children.values().all(|count| *count == 2));
    // Not grouped: a child does not follow its parent.
    assert!(rows[0].get("__parentId").is_none() && rows[1].get("__parentId").is_none());
}

#[tokio::test(start_paused = true)]
async fn grouped_children_follow_their_parent() {
    let shop = shop(3, 2);
    let id = run(&shop, EXPORT, true).await["bulkOperation"]["id"].clone();
    advance(Duration::from_secs(5)).await;
    let done = poll(&shop, &id).await;
    let rows = lines(get(&shop, &done["url"], None).await.body());
    assert_eq!(rows[1]["__parentId"], rows[0]["id"]);
    assert_eq!(rows[2]["__parentId"], rows[0]["id"]);
    assert_eq!(rows[4]["__parentId"], rows[3]["id"]);
}

#[tokio::test(start_paused = true)]
async fn nothing_found_completes_without_an_address() {
    let shop = shop(0, 2);
    let id = run(&shop, EXPORT, false).await["bulkOperation"]["id"].clone();
    advance(Duration::from_secs(5)).await;
    let done = poll(&shop, &id).await;
    assert_eq!(
        (&done["status"], &done["url"]),
        (&json!("COMPLETED"), &Value::Null)
    );
    assert_eq!(done["objectCount"], "0");
}

#[tokio::test(start_paused = true)]
async fn a_slot_is_held_until_the_end_and_while_it_is_canceled() {
    let shop = Shop::builder().bulk_slots(1).build().unwrap();
    let id = run(&shop, EXPORT, false).await["bulkOperation"]["id"].clone();
    let refused = run(&shop, EXPORT, false).await;
    assert_eq!(refused["bulkOperation"], Value::Null);
    assert_eq!(refused["userErrors"][0]["code"], "OPERATION_IN_PROGRESS");
    let message = refused["userErrors"][0]["message"].as_str().unwrap();
    assert!(message.contains(id.as_str().unwrap()), "{message}");

    let canceled = data(&shop, CANCEL, json!({ "id": id })).await;
    assert_eq!(
        canceled["bulkOperationCancel"]["bulkOperation"]["status"],
        "CANCELING"
    );
    assert!(run(&shop, EXPORT, false).await["bulkOperation"].is_null());
    advance(Duration::from_secs(2)).await;
    assert_eq!(poll(&shop, &id).await["status"], "CANCELED");
    assert!(run(&shop, EXPORT, false).await["bulkOperation"].is_object());
}

#[tokio::test(start_paused = true)]
async fn five_run_at_a_time_since_2026() {
    let shop = Shop::builder().build().unwrap();
    for _ in 0..5 {
        assert!(run(&shop, EXPORT, false).await["bulkOperation"].is_object());
    }
    let refused = run(&shop, EXPORT, false).await;
    assert_eq!(refused["userErrors"][0]["code"], "LIMIT_REACHED");
    let list = data(
        &shop,
        "{ bulkOperations(first: 10) { nodes { id status } } \
        currentBulkOperation(type: QUERY) { id } }",
        json!({}),
    )
    .await;
    assert_eq!(list["bulkOperations"]["nodes"].as_array().unwrap().len(), 5);
    assert_eq!(
        list["currentBulkOperation"]["id"],
        "gid://shopify/BulkOperation/5"
    );
}

#[tokio::test(start_paused = true)]
async fn a_canceled_query_leaves_what_it_wrote() {
    let shop = shop(500, 1);
    let id = run(&shop, EXPORT, true).await["bulkOperation"]["id"].clone();
    advance(Duration::from_secs(3)).await;
    data(&shop, CANCEL, json!({ "id": id })).await;
    advance(Duration::from_secs(3)).await;
    let done = poll(&shop, &id).await;
    assert_eq!(done["status"], "CANCELED");
    let rows = lines(get(&shop, &done["url"], None).await.body());
    assert_eq!(done["objectCount"], rows.len().to_string());
    assert!(rows.len() >= 200 && rows.len() < 1000, "{}", rows.len());
}

#[tokio::test(start_paused = true)]
async fn a_failure_gives_a_code_and_partial_data() {
    let shop = shop(50, 1);
    shop.fail_next_bulk("TIMEOUT", 10);
    let id = run(&shop, EXPORT, true).await["bulkOperation"]["id"].clone();
    advance(Duration::from_secs(5)).await;
    let failed = poll(&shop, &id).await;
    assert_eq!(failed["status"], "FAILED");
    assert_eq!(failed["errorCode"], "TIMEOUT");
    assert_eq!(failed["url"], Value::Null);
    assert_eq!(
        lines(get(&shop, &failed["partialDataUrl"], None).await.body()).len(),
        10
    );
}

#[tokio::test(start_paused = true)]
async fn documents_that_break_a_rule_are_refused() {
    let shop = shop(5, 1);
    let cases = [
        ("{ shop { name } }", "at least one connection"),
        (
            "{ node(id: \"gid://shopify/Product/1\") { id } }",
            "top-level `node`",
        ),
        ("{ products { nodes { id } } }", "edges { node"),
        (
            "{ products { edges { node { title variants { edges { node { id } } } } } } }",
            "must select the 'id' field",
        ),
        (
            "{ products { edges { node { nope } } } }",
            "Invalid bulk query",
        ),
        (
            "mutation { tagsAdd(id: \"gid://shopify/Product/1\", tags: []) { node { id } } }",
            "only queries",
        ),
    ];
    for (query, message) in cases {
        let refused = run(&shop, query, false).await;
        let error = &refused["userErrors"][0];
        assert_eq!(error["code"], "INVALID", "{query}");
        assert!(
            error["message"].as_str().unwrap().contains(message),
            "{error}"
        );
    }
}

/// What code generation lets through the server takes, and what it refuses for its limits the
/// server refuses too.
#[tokio::test(start_paused = true)]
async fn the_server_and_the_macro_agree_on_limits() {
    let variants = |inner: &str| format!("variants {{ edges {{ node {{ id {inner} }} }} }}");
    let nested = |depth: usize| {
        let innermost = String::new();
        let inner = (0..depth).fold(innermost, |inner, level| match level {
            0 => variants(""),
            _ => variants(&format!("product {{ {inner} }}")),
        });
        format!("query Nested {{ products {{ edges {{ node {{ id {inner} }} }} }} }}")
    };
    let beside = |count: usize| {
        let each = (1..count).map(|n| format!("c{n}: {}", variants("")));
        let inner = each.collect::<Vec<_>>().join(" ");
        format!("query Beside {{ products {{ edges {{ node {{ id {inner} }} }} }} }}")
    };
    for (document, allowed) in [
        (nested(0), true),
        (nested(1), true),
        (nested(2), true),
        (nested(3), false),
        (beside(5), true),
        (beside(6), false),
        (
            "query InList { products { edges { node { id options { id } } } } }".into(),
            true,
        ),
    ] {
        let world = Schema::from_sdl(Source::new("admin.graphql", SCHEMA)).unwrap();
        let source = Source::new("bulk.graphql", document.as_str());
        let valid = validate(&world, vec![source]).unwrap();
        let built = bulk(&world, &valid, &valid.operations[0]);
        assert_eq!(built.is_ok(), allowed, "{document}: {built:?}");
        let submitted = match built {
            Ok(Bulk::Query(query)) => query.template.outline(),
            _ => document,
        };
        let answer = run(&shop(3, 1), &submitted, false).await;
        assert_eq!(
            answer["userErrors"] == json!([]),
            allowed,
            "{submitted}: {answer}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn downloads_come_in_ranges_expire_and_break() {
    let shop = shop(50, 2);
    let id = run(&shop, EXPORT, false).await["bulkOperation"]["id"].clone();
    advance(Duration::from_secs(5)).await;
    let url = poll(&shop, &id).await["url"].clone();
    let whole = get(&shop, &url, None).await.into_body();
    let head = get(&shop, &url, Some("bytes=0-99")).await;
    assert_eq!(head.status(), 206);
    assert_eq!(
        head.headers()["content-range"],
        format!("bytes 0-99/{}", whole.len())
    );
    let tail = get(&shop, &url, Some("bytes=100-")).await;
    assert_eq!([head.body().as_ref(), tail.body().as_ref()].concat(), whole);
    assert_eq!(get(&shop, &url, Some("bytes=9999999-")).await.status(), 416);

    shop.fail_next(Fault::truncated_json());
    assert_eq!(get(&shop, &url, None).await.body().len(), whole.len() / 2);
    shop.fail_next_of("bulk download", Fault::status(429));
    assert_eq!(get(&shop, &url, None).await.status(), 429);

    shop.expire_downloads();
    let expired = get(&shop, &url, None).await;
    assert_eq!(expired.status(), 403);
    assert_eq!(
        expired.headers()["content-type"],
        "application/xml; charset=UTF-8"
    );
    let fresh = poll(&shop, &id).await["url"].clone();
    assert_ne!(fresh, url);
    assert_eq!(get(&shop, &fresh, None).await.into_body(), whole);
}

const STAGE: &str = "mutation($input: [StagedUploadInput!]!) { stagedUploadsCreate(input: $input) { \
    stagedTargets { url resourceUrl parameters { name value } } userErrors { message } } }";
const RUN_MUTATION: &str = "mutation($mutation: String!, $path: String!) { \
    bulkOperationRunMutation(mutation: $mutation, stagedUploadPath: $path) { \
    bulkOperation { id } userErrors { field message code } } }";
const TAG: &str = "mutation($id: ID!, $tags: [String!]!) { tagsAdd(id: $id, tags: $tags) { \
    node { id } userErrors { message } } }";

async fn stage(shop: &Shop, method: &str) -> Value {
    let input = json!([{
        "resource": "BULK_MUTATION_VARIABLES",
        "filename": "input.jsonl",
        "mimeType": "text/jsonl",
        "httpMethod": method,
    }]);
    let staged = data(shop, STAGE, json!({ "input": input })).await;
    staged["stagedUploadsCreate"]["stagedTargets"][0].clone()
}

#[tokio::test(start_paused = true)]
async fn a_mutation_runs_for_every_line_of_an_uploaded_form() {
    let shop = shop(5, 1);
    let target = stage(&shop, "POST").await;
    let path = target["parameters"][0]["value"].as_str().unwrap();
    let file = "{\"id\":\"gid://shopify/Product/1\",\"tags\":[\"a\"]}\n\
                {\"id\":\"gid://shopify/Product/2\"}\n\nnonsense\n";
    let form = format!(
        "--b\r\ncontent-disposition: form-data; name=\"key\"\r\n\r\n{path}\r\n--b\r\n\
         content-disposition: form-data; name=\"file\"; filename=\"input.jsonl\"\r\n\r\n{file}\r\n--b--\r\n"
    );
    let upload = ::http::Request::post(target["url"].as_str().unwrap())
        .header("content-type", "multipart/form-data; boundary=b")
        .body(Bytes::from(form))
        .unwrap();
    assert_eq!(shop.handle(upload).await.unwrap().status(), 201);

    let answer = data(
        &shop,
        RUN_MUTATION,
        json!({ "mutation": TAG, "path": path }),
    )
    .await;
    let id = answer["bulkOperationRunMutation"]["bulkOperation"]["id"].clone();
    assert_eq!(shop.runs("tagsAdd"), 0);
    advance(Duration::from_secs(3)).await;
    let done = poll(&shop, &id).await;
    assert_eq!(
        (&done["status"], &done["objectCount"]),
        (&json!("COMPLETED"), &json!("3"))
    );
    let rows = lines(get(&shop, &done["url"], None).await.body());
    assert_eq!(
        rows[0],
        json!({
            "data": {"tagsAdd": {"node": {"id": "gid://shopify/Product/1"}, "userErrors": []}},
            "__lineNumber": 0,
        })
    );
    assert_eq!(
        rows[1]["errors"][0]["extensions"]["code"],
        "INVALID_VARIABLE"
    );
    assert_eq!(rows[2]["__lineNumber"], 2);
    assert_eq!(shop.runs("tagsAdd"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_file_is_put_as_it_is_and_a_missing_one_is_refused() {
    let shop = shop(5, 1);
    let target = stage(&shop, "PUT").await;
    let url = target["url"].as_str().unwrap();
    let body = "{\"id\":\"gid://shopify/Product/1\",\"tags\":[]}";
    let put = ::http::Request::put(url).body(Bytes::from(body)).unwrap();
    assert_eq!(shop.handle(put).await.unwrap().status(), 200);
    let path = url.split("/staged/").nth(1).unwrap();
    let answer = data(
        &shop,
        RUN_MUTATION,
        json!({ "mutation": TAG, "path": path }),
    )
    .await;
    assert!(answer["bulkOperationRunMutation"]["bulkOperation"].is_object());

    let answer = data(
        &shop,
        RUN_MUTATION,
        json!({ "mutation": TAG, "path": "tmp/9/x" }),
    )
    .await;
    let error = &answer["bulkOperationRunMutation"]["userErrors"][0];
    assert_eq!(error["code"], "NO_SUCH_FILE", "{answer}");
}
