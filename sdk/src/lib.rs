//! Typed, cost-aware GraphQL for Shopify's Admin API.
#![forbid(unsafe_code)]

pub mod bulk;
pub mod decode;
mod operation;

pub use decode::DecodeError;
pub use operation::{Operation, OperationKind, UserError};
pub use tollgate_cost::{CostError, MilliPoints, Plan, Points};
