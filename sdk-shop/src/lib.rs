//! An emulated shop for Tollgate: a server for tests that is hard to tell from the real one.
//!
//! It validates and executes *any* operation against its schema with generated data, prices it by
//! the server's rules, and keeps a real leaky bucket: answers carry the cost block, calls that do
//! not fit are throttled, what was charged too much is refunded. Bulk operations, staged uploads
//! and downloads work too. Every failure that real servers were seen to give can be had on demand.
//!
//! # In a test
//!
//! The shop is a [`Transport`](tollgate::Transport): give it to the client, and everything runs in
//! one process on tokio's clock. With the clock paused a test of waiting takes no time:
//!
//! ```
//! use std::time::Duration;
//!
//! use serde_json::json;
//! use tollgate::Client;
//! use tollgate_shop::{Fault, Shop};
//!
//! tollgate::operations! {
//!     schema: "schema/admin.graphql",
//!     document: "query Titles($first: Int!) { products(first: $first) { nodes { title } } }",
//! }
//!
//! #[tokio::main(flavor = "current_thread", start_paused = true)]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let shop = Shop::builder().bucket(1_000, 50).available(0).build()?;
//!     let client = Client::builder("test.myshopify.com", "shpat_test")
//!         .transport(shop.clone())
//!         .build()?;
//!
//!     // The gateway fails once; then the bucket is empty, and one second brings 50 points.
//!     shop.fail_next(Fault::html(502));
//!     let start = tokio::time::Instant::now();
//!     let page = titles(&client, titles::Variables { first: 3 }).await?;
//!     assert!(start.elapsed() > Duration::from_millis(50)); // on the paused clock
//!     assert_eq!(page.data.products.nodes[0].title, "Product 1");
//!
//!     // What was sent, and what it cost.
//!     let sent = shop.sent("Titles");
//!     assert_eq!(sent[0].variables["first"], 3);
//!     assert!(sent.len() > 1);
//!     shop.assert_spent_at_most(10);
//!
//!     // Data of the test's own.
//!     shop.set("Product.title", json!("Hat"));
//!     let page = titles(&client, titles::Variables { first: 1 }).await?;
//!     assert_eq!(page.data.products.nodes[0].title, "Hat");
//!     Ok(())
//! }
//! ```
//!
//! # Over HTTP
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), tollgate_shop::StartError> {
//! let server = tollgate_shop::Shop::start().await?;
//! println!("POST to {}", server.endpoint("2026-10"));
//! server.stop().await;
//! # Ok(())
//! # }
//! ```
//!
//! # What can be set
//!
//! - the schema, the [`Catalogue`] and the seed of the generated data, on the [`Builder`];
//! - the bucket, its restore rate and its level, other [`Spender`]s, drifted prices, limits that
//!   change while the shop is open;
//! - the [`Latency`] of answers;
//! - the data of an operation ([`Shop::answer_to`], checked against the generated type, or
//!   [`Shop::answer`], whatever it is), the value of a field ([`Shop::set`]), nulls,
//!   denied fields, `userErrors`;
//! - [`Fault`]s, one by one ([`Shop::fail_next`], [`Shop::fail_next_of`]), standing
//!   ([`Shop::fail_every`], [`Shop::fail_every_of`]) or as a [`Storm`];
//! - the [`BulkPace`] of bulk operations, their failures, expired addresses.
//!
//! # What is generated
//!
//! Everything follows from the seed. The n-th product is `gid://shopify/Product/n` and belongs to
//! the n-th block of variants; `node`, `nodes` and the fields that take an id or a handle find the
//! objects that the connections list, and null for those they do not list. Values of interfaces
//! and unions take turns between the possible types; where there are very many, between those that
//! the document names and one more. Mutations give back what was sent and are counted
//! ([`Shop::runs`]); the data that queries give does not change by them. Search queries and sort
//! keys are read and ignored.

mod answer;
mod bucket;
mod bulk;
mod catalogue;
mod cost;
mod cursor;
mod execution;
mod fault;
mod gid;
mod latency;
mod log;
mod overrides;
mod prepared;
mod refusal;
mod reply;
mod seed;
mod server;
mod shop;
mod spender;
mod sync;
mod timestamp;
mod transport;
mod variables;
mod world;

pub use bucket::Level;
pub use bulk::BulkPace;
pub use catalogue::{Catalogue, Size};
pub use fault::{Fault, Storm};
pub use latency::Latency;
pub use log::{Outcome, Record, Summary};
pub use server::Server;
pub use shop::{BuildError, Builder, Disconnected, SCHEMA, Shop, StartError};
pub use spender::Spender;
