//! Whole data sets as one job of the server.
//!
//! `@bulk` on a query makes it a bulk operation: the server runs it over everything, without page
//! sizes and without a price per page, and gives a file of lines. The build checks the rules of the
//! service on the document; [`Client::bulk`](crate::Client::bulk) starts the job, follows it, reads
//! the file as a stream, and joins children to their parents: rows come typed and whole.
//!
//! ```
//! tollgate::operations! {
//!     schema: "schema/admin.graphql",
//!     document: r#"
//!         query Export @bulk {
//!             products { edges { node { id title variants { edges { node { id sku } } } } } }
//!         }
//!     "#,
//! }
//!
//! # async fn run(shop: tollgate::Client) -> Result<(), Box<dyn std::error::Error>> {
//! let job = shop.bulk::<Export>(export::Variables::default()).start().await?;
//! println!("job {}", job.id());
//! let mut rows = job.rows().await?;
//! while let Some(row) = rows.next().await {
//!     println!("{}", row?.title);
//! }
//! # Ok(())
//! # }
//! # fn main() {}
//! ```
//!
//! - When the shop runs as many jobs as it may, [`when_busy`](crate::bulk::Bulk::when_busy) waits,
//!   attaches to the one that runs the same document, or fails.
//! - [`token`](crate::bulk::Job::token) names the job, so that another process can
//!   [`resume`](crate::bulk::Bulk::resume) it.
//! - A file that is cut off, a line that cannot be read, a child without its parent, a number of
//!   lines that is not the server's: a typed [`BulkError`](crate::bulk::BulkError) with the line,
//!   never a shorter stream.
//! - Children may come long after their parents, so an ungrouped file is joined at its end: of its
//!   lines 64 MB stay in memory, or what [`memory`](crate::bulk::Bulk::memory) says, and the rest
//!   waits on disk, in the directory that [`spill_in`](crate::bulk::Bulk::spill_in) names. Grouped
//!   by the server ([`group_objects`](crate::bulk::Bulk::group_objects)), rows come as they arrive
//!   and nothing waits.
//! - A call to start whose answer is lost is made again; when the job runs already, it is taken up.
//! - `@bulk` on a mutation runs it once per line of an uploaded file:
//!   [`Client::bulk_mutation`](crate::Client::bulk_mutation).
//!
//! # Without Rust
//!
//! `tollgate run export.graphql --bulk --out products.jsonl` writes a line of JSON for each root
//! object, its children in it. A mutation takes the variables of its calls from a file, one JSON
//! object on a line:
//!
//! ```text
//! $ cat prices.graphql
//! mutation Prices($product: ID!, $variants: [ProductVariantsBulkInput!]!) @bulk {
//!   productVariantsBulkUpdate(productId: $product, variants: $variants) {
//!     productVariants { id price }
//!     userErrors { field message }
//!   }
//! }
//! $ cat prices.jsonl
//! {"product": "gid://shopify/Product/1", "variants": [{"id": "gid://shopify/ProductVariant/1", "price": "9.90"}]}
//! {"product": "gid://shopify/Product/2", "variants": [{"id": "gid://shopify/ProductVariant/2", "price": "-1"}]}
//! $ tollgate run prices.graphql --bulk --input prices.jsonl --out results.jsonl
//! error: 1 of 2 lines were not done: 1 refused with user errors, 0 failed, 0 not come to; the output says which
//! ```
//!
//! - Every line is checked before anything is sent: its variables have to be those of the mutation.
//! - The output has a line for each line of input that is not blank, in the same order: `line` (the
//!   number of the input's line, from 1), `input`, and `outcome`. That is `done`, with `data`;
//!   `refused`, with `data` and `userErrors`; `failed`, with `errors`; or `missing`, when the job
//!   ended before it came to the line.
//! - The exit code is 0 when all lines are done, and 1 when some are not: the output is whole then
//!   too. With 3 the run stopped, and with 2 the command line is wrong.
//! - A run that stopped, or was killed, leaves `results.jsonl.part` and a bookmark beside it. The
//!   same command with `--resume` goes on from there: rows that were written are not written again,
//!   and a job that was started is followed, not started a second time.
