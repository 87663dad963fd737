//! What a client is made of, free of the types of operations.

use std::{
    borrow::Cow,
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

use http::{HeaderValue, Uri};
use tollgate_cost::Points;

use super::run::Run;
use crate::{
    Error, ErrorKind,
    classify::Reply,
    error::{Context, CostLimit},
    event::Observer,
    gate::{self, Ask, Entrance, Priority, Reservation},
    learning::Prices,
    request::Request,
    retry::RetryPolicy,
    token::Tokens,
    transport::Transport,
};

/// All that a client is made of.
pub(crate) struct Core {
    pub(crate) shop: String,
    pub(crate) version: String,
    pub(crate) url: Uri,
    pub(crate) gate: Entrance,
    /// Whether the observers were told that the store is away.
    pub(crate) told_away: AtomicBool,
    pub(crate) prices: Arc<Prices>,
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) tokens: Tokens,
    pub(crate) observers: Vec<Arc<dyn Observer>>,
    pub(crate) settings: Settings,
    pub(crate) defaults: Options,
}

/// What holds for all calls of a client.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) high_reserve: f64,
    pub(crate) in_flight: usize,
    pub(crate) single_query_maximum: Points,
    pub(crate) attempt_timeout: Duration,
    pub(crate) body_limit: usize,
    pub(crate) log_bodies: bool,
    pub(crate) user_agent: HeaderValue,
}

/// What a call may set for itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(crate) priority: Priority,
    pub(crate) deadline: Option<Duration>,
    pub(crate) retry: RetryPolicy,
    pub(crate) accept_partial: bool,
    pub(crate) strict_user_errors: bool,
    pub(crate) debug_cost: bool,
}

/// An answer with its types still off.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) reply: Reply,
    pub(crate) context: Context,
}

impl Core {
    pub(crate) fn execute<'a>(
        &'a self,
        request: Request,
        options: Options,
        permit: Option<Reservation>,
    ) -> impl Future<Output = Result<Answer, Error>> + Send + 'a {
        let span = tracing::debug_span!(
            target: "tollgate",
            "call",
            shop = self.shop,
            operation = &*request.operation.name,
        );
        tracing::Instrument::instrument(
            async move { Run::new(self, request, options).finish(permit).await },
            span,
        )
    }

    /// What a call asks of the gate.
    pub(crate) fn ask(&self, cost: Points, priority: Priority, since: Instant) -> Ask {
        let reserve = match priority {
            Priority::High => 0.0,
            Priority::Normal | Priority::Low => self.settings.high_reserve,
        };
        Ask {
            cost,
            priority,
            since,
            not_before: None,
            exact: false,
            spare: reserve,
            in_flight: self.settings.in_flight,
        }
    }

    /// What the gate goes by before the server has said what it wants for this call. What was
    /// learnt from other calls may be wrong for this one: it never refuses a call by itself.
    pub(crate) fn expected(&self, request: &Request) -> Points {
        let learnt = self.prices.expect(&request.operation, request.price);
        let maximum = whole(self.gate.read(gate::now()).maximum);
        learnt.min(maximum.max(request.price))
    }

    /// An error before anything was sent.
    pub(crate) fn refuse(
        &self,
        operation: impl Into<Cow<'static, str>>,
        kind: impl Into<ErrorKind>,
    ) -> Error {
        let context = Context {
            operation: operation.into(),
            shop: self.shop.clone(),
            ..Context::default()
        };
        Error::new(kind.into(), context, None)
    }

    /// Refuses what no bucket would ever admit.
    pub(crate) fn check_maximum(&self, price: Points) -> Result<(), ErrorKind> {
        let maximum = self.settings.single_query_maximum;
        if price > maximum {
            return Err(ErrorKind::TooDear {
                cost: price,
                maximum,
                limit: CostLimit::SingleQuery,
            });
        }
        Ok(())
    }
}

/// Whole points of a maximum.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positive, and a cast from a float saturates"
)]
pub(crate) fn whole(maximum: f64) -> Points {
    Points(maximum as u64)
}
