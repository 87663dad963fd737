//! One bucket for many workers.
//!
//! The bucket belongs to app and shop, not to a process or a token. Within a process all clients of
//! a shop share one ledger. For several processes, put it into Redis or Valkey (feature `redis`):
//!
//! ```no_run
//! # #[cfg(feature = "redis")]
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! use tollgate::{Client, shared::RedisLedger};
//!
//! let ledger = RedisLedger::connect("redis://127.0.0.1").await?;
//! let shop = Client::builder("my-shop.myshopify.com", "shpat_…").ledger(&ledger).build()?;
//! # Ok(())
//! # }
//! ```
//!
//! - A call takes its points where all workers see it; who has waited longest goes first, whichever
//!   process it waits in.
//! - A worker that dies loses its points for as long as its call could have taken, no longer.
//! - When the store does not reply, calls go on with the process's own ledger, and an event says
//!   so once.
//! - One store serves all shops: give each client the same ledger. Two apps on one shop have two
//!   buckets: tell them apart with [`app_id`](crate::ClientBuilder::app_id).
//! - `tollgate top` shows the buckets of a store as they are.
//!
//! Without a store, workers still meet each other's spending in the answers: the client measures
//! what others take from the bucket and expects it. That costs some throttles; a shared ledger
//! costs none. See [`shared`](crate::shared) for the promises, and for a store of your own.
