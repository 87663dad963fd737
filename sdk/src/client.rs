//! The client: typed calls on top, an erased core below.

mod attempt;
mod builder;
mod call;
mod core;
mod raw;
mod run;

use std::{borrow::Borrow, fmt, sync::Arc, time::Instant};

pub use builder::{BuildError, ClientBuilder};
pub use call::{Admission, Call, Permit};
pub use raw::RawCall;
use tollgate_cost::Points;

use self::core::Core;
use crate::{
    AccessToken, Error, Operation, Response, TokenSource,
    bulk::{Bulk, BulkInput, BulkMutation, BulkQuery},
    forecast::Forecast,
    gate,
    learning::Drift,
    ledger::Level,
    pages::{Items, Pages, Paginated},
    request::Request,
    token::{Fixed, Tokens},
    transport::Transport,
};

/// A client of one shop's Admin API. Cheap to clone; clones share everything.
///
/// ```no_run
/// # async fn run<ProductPage: tollgate::Operation>(variables: ProductPage::Variables) -> Result<(), Box<dyn std::error::Error>> {
/// let shop = tollgate::Client::builder("my-shop.myshopify.com", "shpat_…").build()?;
/// let page = shop.run::<ProductPage>(variables).await?;
/// println!("{} points, {} left", page.cost.actual, page.cost.available);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    core: Arc<Core>,
}

impl Client {
    /// Begins a client for `shop` (`name.myshopify.com`) with an access token that does not change.
    pub fn builder(shop: impl Into<String>, token: impl Into<AccessToken>) -> ClientBuilder {
        ClientBuilder::new(shop.into(), Tokens::new(Fixed(token.into())))
    }

    /// Begins a client for `shop` whose tokens come from `source`.
    pub fn builder_with(shop: impl Into<String>, source: impl TokenSource) -> ClientBuilder {
        ClientBuilder::new(shop.into(), Tokens::new(source))
    }

    /// Calls an operation with the client's settings.
    ///
    /// # Errors
    /// Any [`ErrorKind`](crate::ErrorKind); errors beside data are errors too.
    pub async fn run<O: Operation>(
        &self,
        variables: impl Borrow<O::Variables>,
    ) -> Result<Response<O::Data>, Error> {
        self.call::<O>(variables).await
    }

    /// Begins a call whose settings differ from the client's. Await it to send it.
    pub fn call<O: Operation>(&self, variables: impl Borrow<O::Variables>) -> Call<'_, O> {
        Call::new(self, Request::of::<O>(variables.borrow()))
    }

    /// Walks the connection of an operation page by page.
    pub fn pages<O>(&self, variables: O::Variables) -> Pages<O>
    where
        O: Paginated + 'static,
        O::Variables: Clone + Send + Sync + 'static,
        O::Data: Send + 'static,
    {
        Pages::new(self, variables)
    }

    /// Walks the connection of an operation node by node.
    pub fn items<O>(&self, variables: O::Variables) -> Items<O>
    where
        O: Paginated + 'static,
        O::Variables: Clone + Send + Sync + 'static,
        O::Data: Send + 'static,
    {
        self.pages(variables).items()
    }

    /// Begins a bulk query. Await it for its rows.
    pub fn bulk<O>(&self, variables: O::Variables) -> Bulk<O>
    where
        O: BulkQuery + 'static,
        O::Variables: Send + Sync,
    {
        Bulk::new(self, variables)
    }

    /// Begins a bulk mutation: a call for each of the variables that are pushed into it.
    pub fn bulk_mutation<O: BulkMutation>(&self) -> BulkInput<O> {
        BulkInput::new(self)
    }

    /// Begins a call of a document that is only known at run time, with variables as JSON.
    ///
    /// Nobody has priced it: say what it may cost with [`RawCall::estimate`]; without, the gate
    /// takes the least that a query (1 point) or a mutation (10) costs until an answer has told
    /// the server's price.
    pub fn raw<'a>(&'a self, document: &str, variables: &serde_json::Value) -> RawCall<'a> {
        RawCall::new(self, document, variables)
    }

    /// Asks for points without waiting: for job queues, which rather do something else meanwhile.
    ///
    /// # Errors
    /// When the variables have no price, or the call costs more than it ever may.
    pub async fn try_admit<O: Operation>(
        &self,
        variables: impl Borrow<O::Variables>,
    ) -> Result<Admission, Error> {
        let request = Request::of::<O>(variables.borrow());
        call::try_admit(&self.core, request, O::NAME).await
    }

    /// The bucket as the ledger has it now.
    #[must_use]
    pub fn level(&self) -> Level {
        self.core.gate.read(gate::now())
    }

    /// Calls that wait in the gate of this shop.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.core.gate.waiting()
    }

    /// Operations whose price at the server was not ours, in this process.
    #[must_use]
    pub fn drift(&self) -> Vec<Drift> {
        self.core.prices.drift()
    }

    /// What `calls` calls with such variables are going to cost, and how long the bucket makes
    /// them take: by the plan, corrected by what the answers of this operation have taught.
    ///
    /// # Errors
    /// When the variables have no price.
    pub fn forecast<O: Operation>(
        &self,
        variables: impl Borrow<O::Variables>,
        calls: u64,
    ) -> Result<Forecast, Error> {
        let request = Request::of::<O>(variables.borrow());
        let request = request.map_err(|error| self.core.refuse(O::NAME, error))?;
        Ok(self.forecast_of(&request, calls))
    }

    fn forecast_of(&self, request: &Request, calls: u64) -> Forecast {
        let requested = self.core.prices.expect(&request.operation, request.price);
        let share = self.core.prices.share(&request.operation);
        Forecast::new(requested, share, calls, &self.level())
    }

    /// When a call that costs `cost` points could go if it was made now and nothing is refunded.
    #[must_use]
    pub fn outlook(&self, cost: Points) -> Option<Instant> {
        self.core.gate.outlook(cost, gate::now())
    }

    /// The dearest call that is ever admitted, in points.
    pub(crate) fn dearest(&self) -> Points {
        let bucket = core::whole(self.level().maximum);
        self.core.settings.single_query_maximum.min(bucket)
    }

    /// The HTTP stack, for files that are no calls.
    pub(crate) fn transport(&self) -> &Arc<dyn Transport> {
        &self.core.transport
    }

    /// The API version asked for.
    pub(crate) fn api_version(&self) -> &str {
        &self.core.version
    }

    /// Where calls go.
    pub(crate) fn endpoint(&self) -> &http::Uri {
        &self.core.url
    }

    /// The shop's domain.
    #[must_use]
    pub fn shop(&self) -> &str {
        &self.core.shop
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("shop", &self.core.shop)
            .field("api_version", &self.core.version)
            .finish_non_exhaustive()
    }
}
