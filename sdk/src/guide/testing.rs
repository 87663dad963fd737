//! Your own tests, against the emulated shop.
//!
//! `tollgate-shop`, as a dev-dependency, is a shop in your test process: it validates and executes
//! *any* operation against the schema with data made from a seed, keeps a real bucket, and fails on
//! demand. As a [`Transport`](crate::Transport) it needs no network, and on tokio's paused time
//! waits take no time.
//!
//! ```sh
//! cargo add --dev tollgate-shop --path ../tollgate/sdk-shop # once published without `--path …`
//! cargo add --dev tokio --features macros,rt,test-util
//! cargo add --dev serde_json # for answers of your own
//! ```
//!
//! # A throttle, without sleeping
//!
//! ```
//! use std::time::Duration;
//! use tollgate::Client;
//! use tollgate_shop::{Fault, Shop};
//!
//! tollgate::operations! {
//!     schema: "schema/admin.graphql",
//!     document: "query Titles($first: Int! = 20) { products(first: $first) { nodes { title } } }",
//! }
//!
//! // In a test: #[tokio::test(start_paused = true)]
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     tokio::time::pause();
//!     let emulated = Shop::builder().bucket(1_000, 50).build()?;
//!     let shop = Client::builder("test.myshopify.com", "token")
//!         .transport(emulated.clone())
//!         .build()?;
//!
//!     // The bucket is emptied behind the client's back: the call is throttled once, waits until
//!     // the points are there, and has its answer.
//!     emulated.set_level(0);
//!     let page = titles(&shop, titles::Variables::default()).await?;
//!     assert_eq!(page.attempts, 2);
//!     assert!(page.waits.throttled > Duration::ZERO);
//!     assert_eq!(emulated.summary().throttled(), 1);
//!
//!     // A lost connection: queries are repeated.
//!     emulated.fail_next(Fault::status(502));
//!     let page = titles(&shop, titles::Variables::default()).await?;
//!     assert_eq!(page.attempts, 2);
//!     Ok(())
//! }
//! ```
//!
//! # Answers of your own
//! `answer_to::<Titles>(data)` answers an operation with what you give it, priced and charged as
//! ever: with the generated types, where they derive `Serialize` (which needs no serde of yours),
//! or with `json!`. The data is checked against the generated type at once: a test that answers
//! with a shape that the operation does not have fails there, with the path, and not somewhere in
//! your code.
//!
//! ```
//! use serde_json::json;
//!
//! tollgate::operations! {
//!     schema: "schema/admin.graphql",
//!     document: "query Titles($first: Int! = 20) { products(first: $first) { nodes { title } } }",
//!     derives: [Serialize],
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let emulated = tollgate_shop::Shop::builder().build()?;
//! # let shop = tollgate::Client::builder("test.myshopify.com", "t").transport(emulated.clone()).build()?;
//! let mine = titles::ProductsNodes { title: "Mine".into() };
//! emulated.answer_to::<Titles>(titles::Data { products: titles::Products { nodes: vec![mine] } });
//! let page = titles(&shop, titles::Variables::default()).await?;
//! assert_eq!(page.data.products.nodes[0].title, "Mine");
//! emulated.assert_spent_at_most(8);
//!
//! emulated.answer_once_to::<Titles>(json!({ "products": { "nodes": [{ "title": "Once" }] } }));
//! let page = titles(&shop, titles::Variables::default()).await?;
//! assert_eq!(page.data.products.nodes[0].title, "Once");
//! # Ok(())
//! # }
//! ```
//!
//! `answer("Titles", data)` takes what it gets, for a test of what the client does with nonsense;
//! `set("Product.title", …)` fixes one field everywhere; `deny`, `set_user_errors`, `set_nulls` and
//! faults do the rest. Afterwards, `log()`, `summary()` and the assertions (`assert_sent`,
//! `assert_no_throttles`, `assert_spent_at_most`) say what was sent and spent. An answer written by
//! hand for an operation that spreads a fragment under `@include` or `@skip` has that fragment where
//! it has its mark, `"__in_TheFragment": "TheType"`, as the document that is sent asks for it.
//!
//! # Your own schema
//! Unless it is told otherwise, the shop serves a part of the Admin API, enough for common jobs;
//! `Field 'blogs' doesn't exist` is how it refuses the rest. `Shop::builder().schema_file(path)`
//! takes the file that your macros take, and `tollgate shop --schema FILE` does the same.
//!
//! # In another language
//! `tollgate shop --port 4010` is the same shop over HTTP: catalogue size, bucket, latency and
//! faults are options, and it prints what it answered.
