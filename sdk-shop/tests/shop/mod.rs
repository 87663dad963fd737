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

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use serde_json::{Value, json};
use tollgate_codegen::schema::Schema;
use tollgate_codegen::source::Source;
use tollgate_shop::{Builder, Catalogue, SCHEMA, Shop};

/// The embedded schema, parsed once for all tests.
pub(crate) fn builder() -> Builder {
    static PARSED: OnceLock<Arc<Schema>> = OnceLock::new();
    let schema = PARSED
        .get_or_init(|| Arc::new(Schema::from_sdl(Source::new("admin.graphql", SCHEMA)).unwrap()));
    Shop::builder().parsed_schema(Arc::clone(schema))
}

/// A shop with so many products of so many variants.
pub(crate) fn catalogue(products: u64, variants: u64) -> Shop {
    let catalogue = Catalogue::default()
        .with("products", products)
        .with("Product.variants", variants);
    builder().catalogue(catalogue).build().unwrap()
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
