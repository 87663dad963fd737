//! Bounds, budgets, and the project's own prices.
//!
//! # Bounds
//! A page size in a variable is not known at build time. What the build takes it for, in this
//! order: `@max(value:)` on the variable, its default, the macro's `page_size`, and 250, which is
//! the server's limit. A call above a declared `@max` is refused before it is sent; an `@max` above
//! the largest page, or below the default of its variable, is refused by the build.
//!
//! # Budgets
//! `@cost(max:)` is the team's own limit for an operation: the build fails when the bound is above
//! it, as it does above the 1 000 points that the server takes for any query. The directives are
//! Tollgate's; they are not sent.
//!
//! ```
//! use tollgate::{CostError, Operation};
//!
//! tollgate::operations! {
//!     schema: "schema/admin.graphql",
//!     document: r#"
//!         query Orders($first: Int! = 20 @max(value: 50)) @cost(max: 100) {
//!             orders(first: $first) { nodes { name lineItems(first: 10) { nodes { title } } } }
//!         }
//!     "#,
//! }
//!
//! # fn main() {
//! let variables = orders::Variables { first: Some(51) };
//! let refused = Orders::cost(&variables).unwrap_err();
//! assert!(matches!(refused, CostError::AboveMax { value: 51, max: 50, .. }));
//! # }
//! ```
//!
//! A query that does not fit fails the build, with the dearest paths and what would help:
//!
//! ```compile_fail
//! tollgate::operations! {
//!     schema: "schema/admin.graphql",
//!     document: r#"
//!         query Dear($first: Int!) {
//!             orders(first: $first) {
//!                 nodes {
//!                     lineItems(first: 250) {
//!                         nodes { variant { product { media(first: 50) { nodes { id } } } } }
//!                     }
//!                 }
//!             }
//!         }
//!     "#,
//! }
//! # fn main() {}
//! ```
//!
//! # In a pull request
//! `tollgate check --baseline costs.json --max-rise 10%` fails when an operation got dearer by more
//! than that; `--save` writes the baseline, `--markdown` prints a table for the pull request.
//! `tollgate schema diff OLD NEW --used` says what another version of the schema would do: what
//! breaks, what is deprecated, what gets dearer.
//!
//! # The project's own prices
//! `costs.toml` beside the schema overrides prices that the server sets by hand; it is read by the
//! build and by the command, and checked against the schema.
