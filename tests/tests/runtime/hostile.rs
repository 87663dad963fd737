//! Servers that mean harm: each ends in a typed error, in bounded time and memory.

mod connection;
mod content;
mod cost;

use std::time::Duration;

use serde_json::json;
use tokio::time::timeout;
use tollgate::{Client, Error, ErrorKind, Response, TransportError};
use tollgate_shop::Shop;

use crate::{operations::titles, wire::Wire};

const MEGABYTE: usize = 1 << 20;

async fn ask(shop: &Client) -> Result<Response<titles::Data>, Error> {
    let call = titles(shop, titles::Variables { first: 5 });
    let patience = Duration::from_secs(30);
    timeout(patience, call).await.expect("it ends by itself")
}

async fn refused(wire: &Wire) -> ErrorKind {
    let shop = wire.client().build().unwrap();
    ask(&shop).await.unwrap_err().into_kind()
}

/// An answer of status 200 with this JSON, or what is to pass for it.
async fn answered(json: impl AsRef<[u8]>) -> Result<Response<titles::Data>, Error> {
    let wire = Wire::body("content-type: application/json\r\n", json.as_ref()).await;
    ask(&wire.client().build().unwrap()).await
}

#[track_caller]
fn transport(kind: &ErrorKind) -> &TransportError {
    match kind {
        ErrorKind::Transport(error) => error,
        other => panic!("{other:?}"),
    }
}

fn good() -> String {
    let nodes = json!([{ "id": "gid://shopify/Product/1", "title": "Hat" }]);
    json!({ "data": { "products": { "nodes": nodes } } }).to_string()
}

/// A client of the emulated shop, without a wire.
fn in_process(server: &Shop) -> Client {
    let shop = Client::builder("hostile.myshopify.com", "shpat_hostile");
    shop.transport(server.clone()).build().unwrap()
}
