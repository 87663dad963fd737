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
//!   lines 32 MB stay in memory, or what [`memory`](crate::bulk::Bulk::memory) says, and the rest
//!   waits on disk, in the directory that [`spill_in`](crate::bulk::Bulk::spill_in) names. Grouped
//!   by the server ([`group_objects`](crate::bulk::Bulk::group_objects)), rows come as they arrive
//!   and nothing waits.
//! - A call to start whose answer is lost is made again; when the job runs already, it is taken up.
//! - `@bulk` on a mutation runs it once per line of an uploaded file:
//!   [`Client::bulk_mutation`](crate::Client::bulk_mutation).
//!
//! Without Rust: `tollgate run export.graphql --bulk --out products.jsonl`.
