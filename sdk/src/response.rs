use std::{borrow::Cow, time::Duration};

use tollgate_cost::Points;

use crate::{
    Error, ErrorKind, UserError,
    answer::{Body, FieldCost, GraphQlError},
    error::Context,
};

/// The answer to a call.
#[derive(Debug)]
#[must_use = "look at `data`, and at `user_errors` after a mutation; `into_result` does both"]
#[non_exhaustive]
pub struct Response<T> {
    /// The decoded `data`.
    pub data: T,
    /// Errors beside the data; only when the call accepts partial data.
    pub errors: Vec<GraphQlError>,
    /// The entries of `userErrors` and the like in the payloads of a mutation: HTTP says 200, and
    /// the shop refused.
    pub user_errors: Vec<UserError>,
    /// What it cost, and what is left.
    pub cost: Cost,
    /// Requests that were sent for it.
    pub attempts: u32,
    /// Where the time went.
    pub waits: Waits,
    /// The server's id of the request.
    pub request_id: Option<String>,
    /// The API version that served the call; not always the one asked for.
    pub api_version: Option<String>,
    /// The server's deprecation notice for something in the document.
    pub deprecation: Option<String>,
    pub(crate) origin: Origin,
}

/// What a later error needs to say.
#[derive(Debug)]
pub(crate) struct Origin {
    pub(crate) operation: Cow<'static, str>,
    pub(crate) shop: String,
    /// Kept only when there are user errors.
    pub(crate) body: Option<Body>,
}

impl<T> Response<T> {
    /// The data, or the `userErrors` of the mutation as an error.
    ///
    /// # Errors
    /// [`ErrorKind::UserErrors`] when there are any.
    pub fn into_result(self) -> Result<T, Error> {
        if self.user_errors.is_empty() {
            return Ok(self.data);
        }
        let context = Context {
            operation: self.origin.operation,
            shop: self.origin.shop,
            attempts: self.attempts,
            status: Some(200),
            request_id: self.request_id,
            cost: self.cost,
            waits: self.waits,
        };
        let kind = ErrorKind::UserErrors(self.user_errors);
        Err(Error::new(kind, context, self.origin.body))
    }

    /// The same answer with other data.
    pub fn map<U>(self, map: impl FnOnce(T) -> U) -> Response<U> {
        Response {
            data: map(self.data),
            errors: self.errors,
            user_errors: self.user_errors,
            cost: self.cost,
            attempts: self.attempts,
            waits: self.waits,
            request_id: self.request_id,
            api_version: self.api_version,
            deprecation: self.deprecation,
            origin: self.origin,
        }
    }
}

/// What a call cost, in points, and how the bucket stands. Where the answer does not say, the
/// figures are the client's own.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Cost {
    /// Our price of the call, before sending.
    pub estimated: Points,
    /// `requestedQueryCost`: what had to be in the bucket.
    pub requested: Points,
    /// `actualQueryCost`: what was charged in the end.
    pub actual: Points,
    /// `currentlyAvailable`: what is left.
    pub available: f64,
    /// `maximumAvailable`: what the bucket holds when full.
    pub maximum: f64,
    /// `restoreRate`, in points per second.
    pub restore_rate: f64,
    /// Prices by field, when the call asked for them.
    pub fields: Vec<FieldCost>,
}

/// Where the time of a call went, over all attempts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Waits {
    /// In the gate, until the points were there.
    pub gate: Duration,
    /// After throttles.
    pub throttled: Duration,
    /// Before repetitions after failures.
    pub backoff: Duration,
    /// Between sending requests and having their answers.
    pub wire: Duration,
}

impl Waits {
    /// All of it.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.gate + self.throttled + self.backoff + self.wire
    }
}
