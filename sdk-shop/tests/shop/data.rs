use serde_json::{Value, json};

use tollgate_shop::{Catalogue, SCHEMA, Shop};

use super::{ask, catalogue, data};

#[tokio::test]
async fn the_same_seed_gives_the_same_data_and_another_seed_other_data() {
    let query = "{ products(first: 5) { nodes { title vendor description createdAt } } }";
    let first = data(&Shop::builder().seed(1).build().unwrap(), query, json!({})).await;
    let again = data(&Shop::builder().seed(1).build().unwrap(), query, json!({})).await;
    let other = data(&Shop::builder().seed(2).build().unwrap(), query, json!({})).await;
    assert_eq!(first, again);
    assert_ne!(first, other);
}

#[tokio::test]
async fn scalars_have_the_text_forms_of_the_api() {
    let shop = catalogue(2, 2);
    let query = "{ productVariants(first: 1) { nodes { price createdAt legacyResourceId } } \
                 product(id: \"gid://shopify/Product/2\") { status onlineStoreUrl tags } }";
    let data = data(&shop, query, json!({})).await;
    let variant = &data["productVariants"]["nodes"][0];
    let price = variant["price"].as_str().unwrap();
    assert!(
        price.parse::<f64>().is_ok() && price.contains('.'),
        "{price}"
    );
    assert_eq!(variant["legacyResourceId"], "1");
    let created = variant["createdAt"].as_str().unwrap();
    assert!(
        created.starts_with("2026-") && created.ends_with('Z'),
        "{created}"
    );
    let status = data["product"]["status"].as_str().unwrap();
    assert!(
        ["ACTIVE", "ARCHIVED", "DRAFT"].contains(&status),
        "{status}"
    );
    assert!(data["product"]["tags"].as_array().unwrap().len() == 2);
}

#[tokio::test]
async fn nodes_come_by_id_and_nothing_comes_for_what_is_not_there() {
    let shop = catalogue(3, 2);
    let query =
        "query($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on Product { title } } }";
    let ids = json!({ "ids": [
        "gid://shopify/Product/3",
        "gid://shopify/Product/4",
        "gid://shopify/ProductVariant/1",
        "gid://shopify/Nonsense/1",
        "nonsense",
    ]});
    let data = data(&shop, query, ids).await;
    assert_eq!(
        data["nodes"],
        json!([
            {"__typename": "Product", "id": "gid://shopify/Product/3", "title": "Product 3"},
            null,
            {"__typename": "ProductVariant", "id": "gid://shopify/ProductVariant/1"},
            null,
            null,
        ])
    );
}

#[tokio::test]
async fn members_of_a_union_come_in_turn() {
    let shop = Shop::builder().build().unwrap();
    let query = "{ discountNodes(first: 40) { nodes { discount { __typename } } } }";
    let data = data(&shop, query, json!({})).await;
    let nodes = data["discountNodes"]["nodes"].as_array().unwrap();
    let names: std::collections::BTreeSet<_> = nodes
        .iter()
        .map(|node| node["discount"]["__typename"].as_str().unwrap())
        .collect();
    assert!(names.len() > 2, "{names:?}");
}

#[tokio::test]
async fn aliases_fragments_and_conditions_shape_the_answer() {
    let shop = catalogue(3, 2);
    let query = "query($yes: Boolean!, $no: Boolean = false) { \
        a: product(id: \"gid://shopify/Product/1\") { ...Part id @skip(if: $yes) title @include(if: $no) } \
        b: product(id: \"gid://shopify/Product/2\") { ... on Node { id } ... @include(if: $no) { title } } \
      } fragment Part on Product { handle variants(first: 1) { nodes { id } } \
                                   variants(first: 1) { nodes { sku } } }";
    let data = data(&shop, query, json!({ "yes": true })).await;
    assert_eq!(
        data,
        json!({
            "a": {
                "handle": "product-1",
                "variants": {"nodes": [{"id": "gid://shopify/ProductVariant/1", "sku": "SKU-000001"}]},
            },
            "b": {"id": "gid://shopify/Product/2"},
        })
    );
}

#[tokio::test]
async fn keys_come_in_the_order_of_the_document() {
    let shop = catalogue(1, 1);
    let request = super::request("{ shop { name id } }", &json!({}));
    let response = shop.handle(request).await.unwrap();
    let text = std::str::from_utf8(response.body()).unwrap();
    assert!(
        text.find("\"name\"").unwrap() < text.find("\"id\"").unwrap(),
        "{text}"
    );
}

#[tokio::test]
async fn counts_agree_with_connections() {
    let shop = catalogue(7, 2);
    let query = "{ productsCount { count precision } }";
    let data = data(&shop, query, json!({})).await;
    assert_eq!(
        data["productsCount"],
        json!({"count": 7, "precision": "EXACT"})
    );
}

#[tokio::test]
async fn tests_set_values_nulls_and_denials() {
    let shop = catalogue(2, 1);
    shop.set("Product.title", json!("Hat"));
    shop.set("Product.featuredMedia", json!(null));
    shop.deny("Product.handle", "read_products");
    let query = "{ products(first: 2) { nodes { title featuredMedia { id } handle } } }";
    let body = ask(&shop, query, json!({})).await;
    // `handle` may not be null, so the null takes the node, the list, the connection, the data.
    assert_eq!(body["data"], Value::Null);
    assert_eq!(body["errors"][0]["extensions"]["code"], "ACCESS_DENIED");
    assert_eq!(
        body["errors"][0]["path"],
        json!(["products", "nodes", 0, "handle"])
    );

    let query = "{ products(first: 1) { nodes { title featuredMedia { id } } } }";
    let data = data(&shop, query, json!({})).await;
    assert_eq!(
        data["products"]["nodes"][0],
        json!({"title": "Hat", "featuredMedia": null})
    );

    shop.set_nulls(1.0);
    let query = "{ product(id: \"gid://shopify/Product/1\") { onlineStoreUrl } }";
    let data = super::data(&shop, query, json!({})).await;
    assert_eq!(data["product"]["onlineStoreUrl"], Value::Null);
}

#[test]
fn an_override_of_what_no_object_has_is_refused() {
    let shop = Shop::builder().build().unwrap();
    let set = |coordinate: &str| {
        let set = || shop.set(coordinate, json!(1));
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(set)).is_ok()
    };
    assert!(set("Product.title") && set("QueryRoot.products"));
    // A misspelling, a field without its type, an interface, whose objects have types of their own.
    for unknown in ["Product.titel", "products", "Node.id", "Nope.id"] {
        assert!(!set(unknown), "{unknown}");
    }
}

#[tokio::test]
async fn the_schema_that_is_given_last_counts() {
    let sdl = "type QueryRoot { shop: Shop! } type Shop { motto: String! } \
               schema { query: QueryRoot }";
    let shop = Shop::builder().schema(sdl).build().unwrap();
    let answer = data(&shop, "{ shop { motto } }", json!({})).await;
    assert!(answer["shop"]["motto"].is_string(), "{answer}");
}

#[tokio::test]
async fn sizes_may_be_as_large_as_numbers_are() {
    let catalogue = Catalogue::default()
        .with("products", 0..=u64::MAX)
        .with("Product.variants", u64::MAX)
        .with("orders", u64::MAX);
    let shop = Shop::builder().catalogue(catalogue).build().unwrap();
    let query = "{ products(last: 2) { nodes { id variants(last: 2) { nodes { id } } } } \
                 productVariants(last: 2) { nodes { id product { id } } } \
                 orders(last: 2) { nodes { id customer { id } } } }";
    let answer = data(&shop, query, json!({})).await;
    assert_eq!(
        answer["orders"]["nodes"][1]["id"],
        format!("gid://shopify/Order/{}", u64::MAX)
    );
}

#[tokio::test]
async fn introspection_describes_the_schema() {
    let shop = catalogue(1, 1);
    let query = "{ __schema { queryType { name } types { name } } \
        __type(name: \"Product\") { kind interfaces { name } fields { name type { kind ofType { name } } } } }";
    let data = data(&shop, query, json!({})).await;
    assert_eq!(data["__schema"]["queryType"]["name"], "QueryRoot");
    assert!(data["__schema"]["types"].as_array().unwrap().len() > 200);
    let fields = data["__type"]["fields"].as_array().unwrap();
    let id = fields.iter().find(|field| field["name"] == "id").unwrap();
    assert_eq!(
        id["type"],
        json!({"kind": "NON_NULL", "ofType": {"name": "ID"}})
    );
}

#[tokio::test]
async fn answers_of_tests_come_instead_and_cost_the_same() {
    let shop = catalogue(1, 1);
    shop.answer("Name", json!({ "shop": { "name": "Mine" } }));
    shop.answer_once("Name", json!({ "shop": { "name": "First" } }));
    let query = "query Name { shop { name } }";
    let first = ask(&shop, query, json!({})).await;
    assert_eq!(first["data"]["shop"]["name"], "First");
    assert_eq!(first["extensions"]["cost"]["requestedQueryCost"], 1);
    assert_eq!(data(&shop, query, json!({})).await["shop"]["name"], "Mine");

    // What makes an answer may ask the shop.
    let asked = shop.clone();
    shop.answer_with("Echo", move |variables| {
        json!({ "node": { "id": format!("{}-{}", variables["id"], asked.summary().requests) } })
    });
    let echo = data(
        &shop,
        "query Echo($id: ID!) { node(id: $id) { id } }",
        json!({"id": "x"}),
    )
    .await;
    assert_eq!(echo["node"]["id"], "\"x\"-2");
}

#[test]
fn the_embedded_schema_is_the_schema_of_the_project() {
    let project = concat!(env!("CARGO_MANIFEST_DIR"), "/../schema/admin.graphql");
    let Ok(project) = std::fs::read_to_string(project) else {
        println!("skipped: not in the project's workspace");
        return;
    };
    assert!(
        project == SCHEMA,
        "copy schema/admin.graphql to sdk-shop/schema/admin.graphql"
    );
}

#[tokio::test]
async fn a_follower_that_does_not_read_misses_what_it_has_no_place_for() {
    let shop = Shop::builder().build().unwrap();
    let mut records = shop.follow();
    let ask = || async {
        let request = ::http::Request::new(bytes::Bytes::new());
        shop.handle(request).await.unwrap();
    };
    for _ in 0..5000 {
        ask().await;
    }
    assert_eq!(records.len(), 4096);
    assert_eq!(shop.summary().requests, 5000);
    // With places again, it goes on.
    while records.try_recv().is_ok() {}
    ask().await;
    assert_eq!(records.len(), 1);
}
