use std::{
    fmt,
    future::IntoFuture,
    marker::PhantomData,
    time::{Duration, Instant},
};

use tollgate_cost::{CostError, Points};

use super::{
    Client,
    core::{Answer, Core, Options},
};
use crate::{
    Error, ErrorKind, Operation, Priority, Response, RetryPolicy, UserError,
    classify::Reply,
    error::{Context, CostLimit},
    gate::{self, Reservation},
    ledger::Readiness,
    request::Request,
    response::Origin,
    transport::BoxFuture,
};

/// A call about to be sent: set what is to differ from the client, then await it.
///
/// Dropping the future takes the call out of the queue and gives its points back. After the
/// request was sent the server may run it all the same; the points then count as spent.
#[must_use = "a call is sent when it is awaited"]
pub struct Call<'a, O> {
    client: &'a Client,
    request: Result<Request, CostError>,
    options: Options,
    permit: Option<Permit>,
    operation: PhantomData<fn() -> O>,
}

impl<'a, O: Operation> Call<'a, O> {
    pub(super) fn new(client: &'a Client, request: Result<Request, CostError>) -> Self {
        Self {
            client,
            request,
            options: client.core.defaults.clone(),
            permit: None,
            operation: PhantomData,
        }
    }

    /// How urgent the call is.
    pub fn priority(mut self, priority: Priority) -> Self {
        self.options.priority = priority;
        self
    }

    /// The longest time that the call may take: waiting in the gate, all attempts and all waits
    /// between them together.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.options.deadline = Some(deadline);
        self
    }

    /// How the call is repeated. A policy out of range is brought into it.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.options.retry = policy.within_range();
        self
    }

    /// Takes data with errors beside it as an answer; [`Response::errors`] has them.
    pub fn accept_partial(mut self, accept: bool) -> Self {
        self.options.accept_partial = accept;
        self
    }

    /// Takes `userErrors` of a mutation as an error.
    pub fn strict_user_errors(mut self, strict: bool) -> Self {
        self.options.strict_user_errors = strict;
        self
    }

    /// Asks the server for the price of every field, see [`Cost::fields`](crate::Cost::fields).
    pub fn debug_cost(mut self, debug: bool) -> Self {
        self.options.debug_cost = debug;
        self
    }

    /// Sends the first attempt with points had from [`Client::try_admit`].
    pub fn permit(mut self, permit: Permit) -> Self {
        self.permit = Some(permit);
        self
    }

    /// The exact price of the call, in points.
    ///
    /// # Errors
    /// When the variables have no price.
    pub fn cost(&self) -> Result<Points, CostError> {
        let request = self.request.as_ref();
        request.map(|request| request.price).map_err(Clone::clone)
    }
}

impl<'a, O: Operation + 'a> IntoFuture for Call<'a, O> {
    type Output = Result<Response<O::Data>, Error>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        let core = &*self.client.core;
        let strict = self.options.strict_user_errors;
        let answer = send(core, self.request, O::NAME, self.options, self.permit);
        Box::pin(async move { finish::<O>(answer.await?, strict) })
    }
}

/// The part of a call that is the same for all operations.
pub(super) fn send<'a>(
    core: &'a Core,
    request: Result<Request, CostError>,
    name: impl Into<std::borrow::Cow<'static, str>>,
    options: Options,
    permit: Option<Permit>,
) -> BoxFuture<'a, Result<Answer, Error>> {
    match request {
        Ok(request) => {
            let permit = permit.map(|permit| permit.0);
            Box::pin(core.execute(request, options, permit))
        }
        Err(error) => {
            let error = core.refuse(name, error);
            Box::pin(async { Err(error) })
        }
    }
}

fn finish<O: Operation>(answer: Answer, strict: bool) -> Result<Response<O::Data>, Error> {
    let Answer { reply, context } = answer;
    let body = reply.body.as_ref().ok();
    let decoded = body.and_then(|body| body.data()).map(O::decode);
    let kind = match decoded {
        Some(Ok(data)) => {
            let user_errors = O::user_errors(&data);
            if user_errors.is_empty() || !strict {
                return Ok(response(reply, context, data, user_errors));
            }
            ErrorKind::UserErrors(user_errors)
        }
        Some(Err(source)) => ErrorKind::Decode {
            source,
            errors: body.map(|body| body.errors.clone()).unwrap_or_default(),
        },
        None => ErrorKind::NoData,
    };
    Err(Error::new(kind, context, reply.body.ok()))
}

/// Puts an answer together around its decoded data.
pub(super) fn response<T>(
    reply: Reply,
    context: Context,
    data: T,
    user_errors: Vec<UserError>,
) -> Response<T> {
    let header = |name| reply.header(name).map(str::to_owned);
    let api_version = header("x-shopify-api-version");
    let deprecation = header("x-shopify-api-deprecated-reason");
    let mut body = reply.body.ok();
    let errors = body.as_mut().map(|body| std::mem::take(&mut body.errors));
    Response {
        data,
        errors: errors.unwrap_or_default(),
        cost: context.cost,
        attempts: context.attempts,
        waits: context.waits,
        request_id: context.request_id,
        api_version,
        deprecation,
        origin: Origin {
            operation: context.operation,
            shop: context.shop,
            body: body.filter(|_| !user_errors.is_empty()),
        },
        user_errors,
    }
}

impl<O> fmt::Debug for Call<'_, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("client", self.client)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

/// Points for one call, had without waiting. Dropping it gives them back.
#[derive(Debug)]
#[must_use = "hand it to a call with `Call::permit`"]
pub struct Permit(Reservation);

/// Whether a call can go now.
#[derive(Debug)]
pub enum Admission {
    /// It can: send it with the permit.
    Ready(Permit),
    /// It is not worth asking again before this instant.
    NotBefore(Instant),
}

/// Where only an answer can help, it is worth asking again after about the time a call takes.
const ABOUT_A_CALL: Duration = Duration::from_millis(100);

pub(super) async fn try_admit(
    core: &Core,
    request: Result<Request, CostError>,
    name: &'static str,
) -> Result<Admission, Error> {
    let request = request.map_err(|error| core.refuse(name, error))?;
    let price = core.expected(&request);
    let checked = core.check_maximum(request.price);
    checked.map_err(|kind| core.refuse(name, kind))?;
    let now = gate::now();
    let ask = core.ask(price, core.defaults.priority, now);
    match core.gate.try_admit(&ask).await {
        Ok(reservation) => Ok(Admission::Ready(Permit(reservation))),
        Err(Readiness::Never { maximum }) => Err(core.refuse(
            name,
            ErrorKind::TooDear {
                cost: price,
                maximum: super::core::whole(maximum),
                limit: CostLimit::Bucket,
            },
        )),
        Err(Readiness::At(at)) => Ok(Admission::NotBefore(at)),
        Err(Readiness::Now | Readiness::AfterSettling) => {
            Ok(Admission::NotBefore(now + ABOUT_A_CALL))
        }
    }
}
