//! Typed, cost-aware GraphQL for Shopify's Admin API.
#![forbid(unsafe_code)]

mod answer;
#[cfg(feature = "blocking")]
pub mod blocking;
mod classify;
mod client;
pub mod decode;
mod error;
pub mod event;
mod forecast;
mod gate;
mod learning;
pub mod ledger;
mod ledgers;
mod operation;
mod request;
mod response;
mod retry;
mod shop;
mod token;
pub mod transport;

pub use answer::{BodyError, FieldCost, GraphQlError, PathSegment};
pub use client::{Admission, BuildError, Call, Client, ClientBuilder, Permit, RawCall};
pub use decode::DecodeError;
pub use error::{Context, CostLimit, Error, ErrorKind, Unavailable};
pub use event::{Event, Observer, WaitReason, What};
pub use forecast::Forecast;
pub use gate::Priority;
pub use learning::Drift;
pub use ledger::{Level, Limits};
pub use ledgers::Ledgers;
pub use operation::{Operation, OperationKind, UserError};
pub use response::{Cost, Response, Waits};
pub use retry::{RetryPolicy, RetryPolicyError};
pub use shop::{ApiVersion, ApiVersionError, EndpointError, ShopDomain, ShopDomainError};
pub use token::{AccessToken, TokenSource};
pub use tollgate_cost as cost;
pub use tollgate_cost::{CostError, MilliPoints, Plan, Points};
pub use transport::{Transport, TransportError, TransportErrorKind};
