//! Typed GraphQL for APIs that charge by cost: Shopify's Admin API.
//!
//! Write queries in `.graphql` files. At build time each becomes a function with types, is checked
//! against the schema, and gets a price; a query that cannot fit fails the build, with the dearest
//! paths. At run time the client knows what every call costs before it is sent, waits exactly as
//! long as the shop's bucket needs, and repeats what may be repeated.
//!
//! ```
//! tollgate::operations! {
//!     schema: "schema/admin.graphql",
//!     document: r#"
//!         query Titles($first: Int! = 20 @max(value: 100)) @cost(max: 50) {
//!             products(first: $first) { nodes { id title } }
//!         }
//!     "#,
//! }
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let shop = tollgate::Client::builder("my-shop.myshopify.com", "shpat_…").build()?;
//! let page = titles(&shop, titles::Variables { first: Some(100) }).await?;
//! for product in &page.data.products.nodes {
//!     println!("{}", product.title);
//! }
//! println!("{} points, {} left", page.cost.actual, page.cost.available);
//! # Ok(())
//! # }
//! # fn main() {}
//! ```
//!
//! The [`guide`] teaches the rest, from the [first query](guide::first_query) to
//! [testing your app](guide::testing) and [many workers](guide::processes). The `tollgate` command
//! (crate `tollgate-cli`) starts a project, pulls and compares schemas, shows and checks prices,
//! and serves an emulated shop.
//!
//! # Features
//! | feature | default | what it adds |
//! | --- | --- | --- |
//! | `macros` | yes | [`operations!`] and the derive [`GraphQLQuery`](macro@GraphQLQuery) |
//! | `reqwest` | yes | HTTP over reqwest and rustls; without it, bring a [`Transport`] |
//! | `blocking` | | `tollgate::blocking`, for programs without an async runtime |
//! | `redis` | | [`shared`]: one ledger for several processes, on Redis or Valkey |
//! | `metrics` | | counters and histograms for the `metrics` facade |
//! | `chrono`, `jiff` | | dates and times as types of these crates |
//! | `rust_decimal` | | money and decimals as numbers |
//!
//! Features only add.
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
#[cfg(any(doc, doctest))]
pub mod guide;
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
pub use contract::*;
pub use decode::DecodeError;
pub use error::{Context, CostLimit, Error, ErrorKind, Unavailable};
pub use event::{Event, Observer, WaitReason, What};
pub use forecast::Forecast;
pub use gate::Priority;
pub use input::Input;
pub use learning::Drift;
pub use ledger::{Level, Limits};
pub use ledgers::Ledgers;
pub use operation::{Operation, OperationKind, UserError};
pub use progress::Progress;
pub use response::{Cost, Response, Waits};
#[doc(hidden)]
pub use resume::digest;
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

/// The trait alone: where another crate of the build turns on graphql_client's own derive, that
/// derive comes under the same name, and only what a glob brings gives way to ours.
mod contract {
    pub use graphql_client::GraphQLQuery;
}

/// What generated code calls, under one name. It changes with the generator, whose version is
/// pinned to this crate's.
#[doc(hidden)]
pub mod generated {
    pub use crate::{
        Client, DecodeError, Error, Input, Operation, OperationKind, Plan, Points, Response,
        UserError,
        decode::{
            Answer, Decode, Enum, Failed, Object, OtherType, Reader, Select, UnknownValue,
            answer_serialize, deserialize, enum_decode, enum_from, enum_str, field_write,
            fragment_write, from_str, optional_write, record_fmt, variant_write,
        },
        input::{input_eq, input_fmt, query_body, serialize, user_error},
        operation::{Defined, Definition},
        scalar::*,
        text_scalar,
    };
    pub use crate::{
        bulk::{self, BulkMutation, BulkQuery},
        pages::{Items, PageError, PageInfo, Pages, Paginated},
    };
    pub use graphql_client::{GraphQLQuery, QueryBody};
    pub use serde;
    pub use serde_json::{Error as JsonError, Map, Value};
    pub use std::borrow::Cow;
    pub use std::{
        fmt::{Debug, Display, Formatter, Result as Fmt},
        future::Future,
        hash::{Hash, Hasher},
    };
    pub use tollgate_cost::{Fields, Item, NoVariables, View};

    /// What plans are made of, in letters, since they are long.
    pub mod plan {
        pub use std::borrow::Cow::Borrowed as B;
        pub use tollgate_cost::{
            Condition as W, Literal as L, MilliPoints as P, Node as N, Owner as O, Parameter, Plan,
            Size as S,
        };
    }
}
