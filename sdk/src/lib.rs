//! Typed, cost-aware GraphQL for Shopify's Admin API.
#![forbid(unsafe_code)]

mod answer;
#[cfg(feature = "blocking")]
pub mod blocking;
pub mod bulk;
mod classify;
mod client;
pub mod decode;
mod error;
pub mod event;
mod forecast;
mod gate;
pub mod input;
mod learning;
pub mod ledger;
mod ledgers;
mod operation;
pub mod pages;
mod progress;
mod request;
mod response;
mod resume;
mod retry;
pub mod scalar;
pub mod shared;
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
pub use graphql_client::GraphQLQuery;
pub use input::Input;
pub use learning::Drift;
pub use ledger::{Level, Limits};
pub use ledgers::Ledgers;
pub use operation::{Operation, OperationKind, UserError};
pub use progress::Progress;
pub use response::{Cost, Response, Waits};
pub use resume::{ResumeError, ResumeToken};
pub use retry::{RetryPolicy, RetryPolicyError};
pub use scalar::{Foreign, Id};
pub use shop::{ApiVersion, ApiVersionError, EndpointError, ShopDomain, ShopDomainError};
pub use token::{AccessToken, TokenSource};
pub use tollgate_cost as cost;
pub use tollgate_cost::{CostError, MilliPoints, Plan, Points};
#[cfg(feature = "macros")]
pub use tollgate_macros::{GraphQLQuery, operations};
pub use transport::{Transport, TransportError, TransportErrorKind};

/// What generated code calls, under one name. It changes with the generator, whose version is
/// pinned to this crate's.
#[doc(hidden)]
pub mod generated {
    pub use crate::{
        Client, DecodeError, Error, Input, Operation, OperationKind, Plan, Points, Response,
        UserError,
        decode::{
            Decode, Enum, Object, OtherType, Perhaps, Reader, Record, Refs, Select, Spread,
            Through, UnknownValue, deserialize, enum_decode, enum_fmt, enum_from, enum_str,
            from_str, record_clone, record_eq, record_fmt,
        },
        input::{cost, encode, query_body, serialize, user_error},
        scalar::*,
        text_scalar,
    };
    pub use crate::{
        bulk::{self, BulkMutation, BulkQuery},
        pages::{Items, PageError, PageInfo, Pages, Paginated},
    };
    pub use graphql_client::{GraphQLQuery, QueryBody};
    pub use serde;
    pub use std::borrow::Cow;
    pub use std::{
        fmt::{Debug, Display, Formatter, Result as Fmt},
        future::Future,
    };
    pub use tollgate_cost::{self as cost_plan, CostError, Fields, Item, View};
}
