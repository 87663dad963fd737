use serde_json::{Value, json};

use super::{ask, catalogue, data};

#[tokio::test]
async fn payloads_give_back_what_was_sent() {
    let shop = catalogue(3, 2);
    let query = "mutation($id: ID!) { tagsAdd(id: $id, tags: [\"red\", \"blue\"]) { \
                 node { id ... on Product { tags } } userErrors { field message } } }";
    let answer = data(&shop, query, json!({ "id": "gid://shopify/Product/2" })).await;
    assert_eq!(
        answer["tagsAdd"],
        json!({
            "node": {"id": "gid://shopify/Product/2", "tags": ["red", "blue"]},
            "userErrors": [],
        })
    );

    let query = "mutation($m: [MetafieldsSetInput!]!) { metafieldsSet(metafields: $m) { \
                 metafields { key namespace value owner { ... on Product { id } } } userErrors { message } } }";
    let owner = "gid://shopify/Product/1";
    let field = |key: &str| json!({ "ownerId": owner, "namespace": "n", "key": key, "value": "v", "type": "t" });
    let answer = data(&shop, query, json!({ "m": [field("a"), field("b")] })).await;
    let metafields = answer["metafieldsSet"]["metafields"].as_array().unwrap();
    assert_eq!(metafields.len(), 2);
    assert_eq!(
        metafields[1],
        json!({ "key": "b", "namespace": "n", "value": "v", "owner": {"id": owner} })
    );

    let query = "mutation($p: ProductCreateInput) { productCreate(product: $p) { \
                 product { id title } userErrors { message } } }";
    let product = json!({ "p": { "title": "New" } });
    let one = data(&shop, query, product.clone()).await;
    let two = data(&shop, query, product).await;
    assert_eq!(one["productCreate"]["product"]["title"], "New");
    assert_ne!(
        one["productCreate"]["product"]["id"],
        two["productCreate"]["product"]["id"]
    );
    assert_eq!(shop.runs("productCreate"), 2);
    assert_eq!(shop.log().last().unwrap().ran, ["productCreate"]);
}

const ADJUST: &str = "mutation($input: InventoryAdjustQuantitiesInput!, $key: String!) { \
    inventoryAdjustQuantities(input: $input) @idempotent(key: $key) { \
    inventoryAdjustmentGroup { id reason } userErrors { code message } } }";

fn adjustment(delta: i64, key: &str) -> Value {
    json!({
        "key": key,
        "input": {
            "reason": "correction",
            "name": "available",
            "changes": [{
                "delta": delta,
                "inventoryItemId": "gid://shopify/InventoryItem/1",
                "locationId": "gid://shopify/Location/1",
            }],
        },
    })
}

#[tokio::test]
async fn an_idempotency_key_runs_once() {
    let shop = catalogue(1, 1);
    let first = data(&shop, ADJUST, adjustment(1, "k")).await;
    let again = data(&shop, ADJUST, adjustment(1, "k")).await;
    assert_eq!(first, again);
    assert_eq!(shop.runs("inventoryAdjustQuantities"), 1);
    assert!(shop.knows_key("k"));

    let other = data(&shop, ADJUST, adjustment(2, "k")).await;
    let payload = &other["inventoryAdjustQuantities"];
    assert_eq!(payload["inventoryAdjustmentGroup"], Value::Null);
    assert_eq!(
        payload["userErrors"][0]["code"],
        "IDEMPOTENCY_KEY_PARAMETER_MISMATCH"
    );
    assert_eq!(shop.runs("inventoryAdjustQuantities"), 1);
}

#[tokio::test]
async fn user_errors_come_on_demand_and_nothing_runs() {
    let shop = catalogue(1, 1);
    let error = json!({ "field": ["product", "title"], "message": "Title can't be blank" });
    shop.set_user_errors("productCreate", vec![error.clone()]);
    let query = "mutation { productCreate(product: {title: \"\"}) { product { id } \
                 userErrors { field message } } }";
    let answer = data(&shop, query, json!({})).await;
    assert_eq!(
        answer["productCreate"],
        json!({ "product": null, "userErrors": [error] })
    );
    assert_eq!(shop.runs("productCreate"), 0);
}

#[test]
fn user_errors_that_the_schema_does_not_have_are_no_test() {
    let refused = |error: Value| {
        let set = || catalogue(1, 1).set_user_errors("productVariantsBulkUpdate", vec![error]);
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(set)).unwrap_err();
        *panic.downcast::<String>().unwrap()
    };
    let said = refused(json!({ "feild": ["price"], "message": "m" }));
    assert!(said.contains("has a field `feild`"), "{said}");
    let said = refused(json!({ "message": "m", "code": "NOT_A_CODE" }));
    assert!(said.contains("has no value `NOT_A_CODE`"), "{said}");
    let said = refused(json!("m"));
    assert!(said.contains("is an object"), "{said}");
}

#[tokio::test]
async fn an_id_that_is_none_is_refused_on_its_field() {
    let shop = catalogue(1, 1);
    let query = "mutation { tagsAdd(id: \"42\", tags: []) { node { id } } }";
    let body = ask(&shop, query, json!({})).await;
    assert_eq!(body["data"], json!({ "tagsAdd": null }));
    assert_eq!(
        body["errors"][0]["extensions"]["code"],
        "RESOURCE_NOT_FOUND"
    );
    assert_eq!(body["extensions"]["cost"]["actualQueryCost"], 10);
    assert_eq!(shop.runs("tagsAdd"), 0);
}
