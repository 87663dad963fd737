use std::{
    error::Error as StdError,
    fmt,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use http::{HeaderValue, Uri, uri::InvalidUri};
use tollgate_cost::{MAX_QUERY, Points};

use super::{
    Client,
    core::{Core, Options, Settings},
};
use crate::{
    Priority, RetryPolicy,
    event::Observer,
    ledger::Limits,
    ledgers::{Bucket, Ledgers},
    retry::RetryPolicyError,
    shop::{
        ApiVersion, ApiVersionError, EndpointError, ShopDomain, ShopDomainError, endpoint, path,
        shown,
    },
    token::Tokens,
    transport::Transport,
};

/// The API version that calls go to unless another is set.
const API_VERSION: &str = "2026-10";

/// Settings of a [`Client`]; [`build`](Self::build) checks them.
#[must_use = "a client is made by `build`"]
pub struct ClientBuilder {
    shop: String,
    tokens: Tokens,
    version: String,
    endpoint: Option<String>,
    app: String,
    ledgers: Option<Ledgers>,
    limits: Limits,
    transport: Option<Arc<dyn Transport>>,
    observers: Vec<Arc<dyn Observer>>,
    settings: Settings,
    defaults: Options,
    silence: Duration,
}

/// Why a client cannot be built.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The shop.
    #[error(transparent)]
    Shop(#[from] ShopDomainError),
    /// The API version.
    #[error(transparent)]
    Version(#[from] ApiVersionError),
    /// The endpoint.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// The endpoint is no URI.
    #[error("the endpoint cannot be used")]
    Uri(#[from] InvalidUri),
    /// The retry policy.
    #[error("the retry policy cannot be used")]
    Retry(#[from] RetryPolicyError),
    /// A setting out of range.
    #[error("`{setting}` must be {range}")]
    Range {
        /// The setting.
        setting: &'static str,
        /// What it may be.
        range: &'static str,
    },
    /// No HTTP stack: TLS cannot be set up.
    #[error("HTTP cannot be set up")]
    Transport(#[source] Box<dyn StdError + Send + Sync>),
    /// Built without the feature `reqwest`, and no transport was given.
    #[error("there is no transport: enable the feature `reqwest`, or set one")]
    NoTransport,
}

impl ClientBuilder {
    pub(super) fn new(shop: String, tokens: Tokens) -> Self {
        Self {
            shop,
            tokens,
            version: API_VERSION.to_owned(),
            endpoint: None,
            app: String::new(),
            ledgers: None,
            limits: Limits::default(),
            transport: None,
            observers: Vec::new(),
            settings: Settings {
                high_reserve: 0.0,
                in_flight: usize::MAX,
                single_query_maximum: MAX_QUERY,
                attempt_timeout: Duration::from_secs(60),
                body_limit: 64 << 20,
                log_bodies: false,
                user_agent: HeaderValue::from_static(concat!(
                    "tollgate/",
                    env!("CARGO_PKG_VERSION")
                )),
            },
            defaults: Options::default(),
            silence: Duration::from_secs(30),
        }
    }

    /// The API version, as `2026-10`. It is never changed on its own.
    pub fn api_version(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }

    /// Another server of the same protocol: an emulated shop on this machine, or a proxy. A URL
    /// without a path gets the API's usual one.
    pub fn endpoint(mut self, url: impl Into<String>) -> Self {
        self.endpoint = Some(url.into());
        self
    }

    /// Which app this is, when one process serves several: the bucket belongs to app and shop.
    pub fn app_id(mut self, app: impl Into<String>) -> Self {
        self.app = app.into();
        self
    }

    /// Where the ledgers are kept: a set of this process, or one in a store that other processes
    /// use, too. By default that of the process, or one of its own for a client with a transport of
    /// its own.
    pub fn ledger(mut self, ledgers: impl Into<Ledgers>) -> Self {
        self.ledgers = Some(ledgers.into());
        self
    }

    /// The limits to start from before the first answer tells them.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Another HTTP stack, or a shop in this process.
    pub fn transport(mut self, transport: impl Transport) -> Self {
        self.transport = Some(Arc::new(transport));
        self
    }

    /// Somebody to tell of every [`Event`](crate::Event).
    pub fn observer(mut self, observer: impl Observer) -> Self {
        self.observers.push(Arc::new(observer));
        self
    }

    /// The priority of calls that set none.
    pub fn priority(mut self, priority: Priority) -> Self {
        self.defaults.priority = priority;
        self
    }

    /// The deadline of calls that set none; by default there is none, and the number of attempts
    /// and the time for each bound a call.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.defaults.deadline = Some(deadline);
        self
    }

    /// How calls are repeated that do not say.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.defaults.retry = policy;
        self
    }

    /// Takes data with errors beside it as an answer. By default it is an error, from which the
    /// data can be had.
    pub fn accept_partial(mut self, accept: bool) -> Self {
        self.defaults.accept_partial = accept;
        self
    }

    /// Takes `userErrors` of mutations as errors.
    pub fn strict_user_errors(mut self, strict: bool) -> Self {
        self.defaults.strict_user_errors = strict;
        self
    }

    /// Points that calls below [`Priority::High`] leave in the bucket.
    pub fn high_reserve(mut self, points: Points) -> Self {
        self.settings.high_reserve = crate::ledger::float(points);
        self
    }

    /// The most calls in flight on the shop at a time. Unless set only the points bound them: with
    /// 2 000 in the bucket no more than 200 calls of 10 points are under way, and never more than
    /// the program makes. Set it where connections or file handles are fewer.
    pub fn in_flight(mut self, calls: usize) -> Self {
        self.settings.in_flight = calls;
        self
    }

    /// What a single query may cost at most, 1 000 points on every plan of today.
    pub fn single_query_maximum(mut self, points: Points) -> Self {
        self.settings.single_query_maximum = points;
        self
    }

    /// The longest time that one attempt may take from sending to the end of the answer.
    pub fn attempt_timeout(mut self, time: Duration) -> Self {
        self.settings.attempt_timeout = time;
        self
    }

    /// The longest time that a connection may stay silent within an answer, and a file server before
    /// it. The API may think for as long as [`attempt_timeout`](Self::attempt_timeout) says.
    pub fn silence_timeout(mut self, time: Duration) -> Self {
        self.silence = time;
        self
    }

    /// The most bytes of an answer, decompressed.
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.settings.body_limit = bytes;
        self
    }

    /// Writes the bodies of requests and answers to `tracing`, level trace, target
    /// `tollgate::wire`. They hold what your shop's customers wrote; headers, and with them the
    /// token, are never written.
    pub fn log_bodies(mut self, log: bool) -> Self {
        self.settings.log_bodies = log;
        self
    }

    /// Checks the settings and makes the client.
    ///
    /// # Errors
    /// [`BuildError`], naming the setting.
    pub fn build(self) -> Result<Client, BuildError> {
        let shop: ShopDomain = self.shop.parse()?;
        let version: ApiVersion = self.version.parse()?;
        self.defaults.retry.check()?;
        let settings = &self.settings;
        let ranges = [
            ("in_flight", settings.in_flight > 0, "above 0"),
            (
                "attempt_timeout",
                !settings.attempt_timeout.is_zero(),
                "above 0",
            ),
            ("silence_timeout", !self.silence.is_zero(), "above 0"),
            ("body_limit", settings.body_limit > 0, "above 0"),
            (
                "deadline",
                self.defaults.deadline.is_none_or(|time| !time.is_zero()),
                "above 0",
            ),
        ];
        for (setting, fits, range) in ranges {
            if !fits {
                return Err(BuildError::Range { setting, range });
            }
        }
        let url = match &self.endpoint {
            Some(url) => endpoint(url, version.as_str())?.to_string(),
            None => format!("https://{shop}{}", path(version.as_str())),
        };
        let url: Uri = url.parse()?;
        // A transport of one's own leads to a bucket of its own: a test must not share the
        // process's.
        let ledgers = match (self.ledgers, &self.transport) {
            (Some(ledgers), _) => ledgers,
            (None, Some(_)) => Ledgers::new(),
            (None, None) => Ledgers::of_process(),
        };
        let transport = match self.transport {
            Some(transport) => transport,
            None => default_transport(&self.settings, self.silence, &url)?,
        };
        let authority = url.authority().map(ToString::to_string).unwrap_or_default();
        let server = match self.endpoint {
            Some(_) => format!("{shop} at {authority}"),
            None => shop.to_string(),
        };
        let bucket = Bucket::new(self.app, server);
        let longest = self.settings.attempt_timeout;
        Ok(Client {
            core: Arc::new(Core {
                gate: ledgers.entrance(bucket, self.limits, longest),
                told_away: AtomicBool::new(false),
                prices: ledgers.prices(),
                shop: shop.to_string(),
                version: version.to_string(),
                url,
                transport,
                tokens: self.tokens,
                observers: self.observers,
                settings: self.settings,
                defaults: self.defaults,
            }),
        })
    }
}

#[cfg(feature = "reqwest")]
fn default_transport(
    settings: &Settings,
    silence: Duration,
    url: &Uri,
) -> Result<Arc<dyn Transport>, BuildError> {
    let agent = settings.user_agent.to_str().unwrap_or_default();
    let tls = url.scheme_str() == Some("https");
    let transport = crate::transport::ReqwestTransport::new(agent, silence, tls);
    Ok(Arc::new(transport.map_err(BuildError::Transport)?))
}

#[cfg(not(feature = "reqwest"))]
fn default_transport(_: &Settings, _: Duration, _: &Uri) -> Result<Arc<dyn Transport>, BuildError> {
    Err(BuildError::NoTransport)
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("shop", &self.shop)
            .field("version", &self.version)
            .field("endpoint", &self.endpoint.as_deref().map(shown))
            .field("settings", &self.settings)
            .field("defaults", &self.defaults)
            .finish_non_exhaustive()
    }
}
