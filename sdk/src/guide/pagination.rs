//! Whole connections, page by page.
//!
//! An operation with a connection, `pageInfo { hasNextPage endCursor }` and a variable for the
//! cursor is [`Paginated`](crate::pages::Paginated): [`Client::items`](crate::Client::items) walks
//! its nodes, [`Client::pages`](crate::Client::pages) its pages. Where several connections could be
//! meant, `@paginate` names one.
//!
//! ```
//! tollgate::operations! {
//!     schema: "schema/admin.graphql",
//!     document: r#"
//!         query Products($first: Int! = 50 @max(value: 250), $after: String) {
//!             products(first: $first, after: $after) {
//!                 pageInfo { hasNextPage endCursor }
//!                 nodes { id title }
//!             }
//!         }
//!     "#,
//! }
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let catalogue = tollgate_shop::Catalogue::default().with("products", 120);
//! # let emulated = tollgate_shop::Shop::builder().catalogue(catalogue).build()?;
//! # let shop = tollgate::Client::builder("test.myshopify.com", "t").transport(emulated).build()?;
//! let mut products = shop.items::<Products>(products::Variables::default());
//! let mut count = 0;
//! while let Some(product) = products.next().await {
//!     let _title = product?.title;
//!     count += 1;
//! }
//! # assert_eq!(count, 120);
//! println!("{count} products");
//! # Ok(())
//! # }
//! ```
//!
//! - Both are `futures` streams too, and fetch a page ahead while you work on one
//!   ([`prefetch`](crate::pages::Pages::prefetch)).
//! - The page size adapts: up to the largest that bound, bucket and answer allow, down after a
//!   timeout. [`page_size`](crate::pages::Pages::page_size) fixes it.
//! - [`token`](crate::pages::Items::token) names the place, for a later
//!   [`resume`](crate::pages::Items::resume).
//! - A cursor that does not move, or none where there is more, is a
//!   [`PageError`](crate::pages::PageError): never an endless loop, never a set cut short.
//!
//! Before a long walk, [`forecast`](crate::pages::Pages::forecast) says from a count what it is
//! going to cost and how long the bucket makes it take, and
//! [`is_for_bulk`](crate::Forecast::is_for_bulk) whether [bulk](super::bulk) is the better way: for
//! a whole catalogue it often is, for what changed since yesterday it is not.
