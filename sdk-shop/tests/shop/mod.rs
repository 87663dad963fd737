mod bucket;
mod bulk;
mod client;
mod data;
mod fault;
mod http;
mod mutation;
mod paging;
mod queries;
mod refusal;

use bytes::Bytes;
use serde_json::{Value, json};
use tollgate_shop::{Catalogue, Shop};

/// A shop with so many products of so many variants.
pub(crate) fn catalogue(products: u64, variants: u64) -> Shop {
    let catalogue = Catalogue::default()
        .with("products", products)
        .with("Product.variants", variants);
    Shop::builder().catalogue(catalogue).build().unwrap()
}

pub(crate) fn request(query: &str, variables: &Value) -> ::http::Request<Bytes> {
    let body = json!({ "query": query, "variables": variables });
    ::http::Request::post("http://shop/admin/api/2026-10/graphql.json")
        .header("content-type", "application/json")
        .header("x-shopify-access-token", "shpat_test")
        .body(body.to_string().into())
        .unwrap()
}

/// The whole body of an answer with status 200.
pub(crate) async fn ask(shop: &Shop, query: &str, variables: Value) -> Value {
    let response = shop.handle(request(query, &variables)).await.unwrap();
    assert_eq!(response.status(), 200);
    serde_json::from_slice(response.body()).unwrap()
}

/// The data of an answer without errors.
pub(crate) async fn data(shop: &Shop, query: &str, variables: Value) -> Value {
    let body = ask(shop, query, variables).await;
    assert_eq!(body.get("errors"), None, "{body}");
    body["data"].clone()
}
