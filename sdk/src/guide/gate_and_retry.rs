//! When a call goes, waits, and goes again.
//!
//! # The gate
//! Every call has its price before it is sent, and the client keeps the shop's bucket as a ledger.
//! A call whose points are there goes at once; one whose points are not there waits in line,
//! exactly until they are, and is not throttled. Calls of one shop wait for each other in order,
//! whatever task they come from; a clone of the client, or another client of the same app and shop
//! in the process, uses the same ledger.
//!
//! ```
//! use std::time::Duration;
//! use tollgate::Priority;
//!
//! # tollgate::operations! {
//! #     schema: "schema/admin.graphql",
//! #     document: "query Titles($first: Int! = 20) { products(first: $first) { nodes { title } } }",
//! # }
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let emulated = tollgate_shop::Shop::builder().build()?;
//! # let shop = tollgate::Client::builder("test.myshopify.com", "t").transport(emulated).build()?;
//! let page = shop
//!     .call::<Titles>(titles::Variables::default())
//!     .priority(Priority::High)
//!     .deadline(Duration::from_secs(30))
//!     .await?;
//! println!("waited {:?} in the gate", page.waits.gate);
//! # Ok(())
//! # }
//! ```
//!
//! - [`Priority`](crate::Priority) says who goes first; nobody starves, since a call gives way only
//!   to those that began a limited time after it.
//!   [`high_reserve`](crate::ClientBuilder::high_reserve) keeps points free for `High`.
//! - The deadline is for everything: waits, attempts, the wire. When a wait would pass it, the call
//!   fails at once, and [`Error::retry_at`](crate::Error::retry_at) says when it could go.
//! - [`try_admit`](crate::Client::try_admit) asks without waiting, for job queues.
//! - Dropping a call gives back its points and its place.
//!
//! # Retry
//! What is repeated, with one counter of attempts and one deadline over all of it:
//!
//! | what | a query | a mutation |
//! | --- | --- | --- |
//! | throttled | after the exact wait, first in line | the same: it did not run |
//! | no connection | after a growing wait | the same: it was not sent |
//! | connection lost, timeout, 5xx | after a growing wait | only with `@idempotent`; else [`UnknownOutcome`](crate::ErrorKind::UnknownOutcome) |
//! | anything else | no | no |
//!
//! [`RetryPolicy`](crate::RetryPolicy) sets attempts and waits, on the client or on a call.
//!
//! # Watching
//! Every wait is announced when it begins, with its reason and length: to `tracing`, to the
//! `metrics` facade (feature `metrics`), and to an [`Observer`](crate::Observer).
//!
//! ```
//! use tollgate::{Client, Event, What};
//!
//! # fn build() -> Result<Client, Box<dyn std::error::Error>> {
//! let shop = Client::builder("my-shop.myshopify.com", "shpat_…")
//!     .observer(|event: &Event<'_>| {
//!         if let What::Wait { reason, length, .. } = &event.what {
//!             eprintln!("{} waits {length:?} ({reason})", event.operation);
//!         }
//!     })
//!     .build()?;
//! # Ok(shop)
//! # }
//! ```
