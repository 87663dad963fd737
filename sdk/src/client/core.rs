//! The core of the client, free of types: one call from the gate to an answer.

use std::{
    borrow::Cow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant, SystemTime},
};

use bytes::Bytes;
use http::{HeaderValue, Method, Uri, header};
use tollgate_cost::Points;

use crate::{
    AccessToken, Error, ErrorKind,
    classify::{self, Fault, Reply},
    error::{Context, CostLimit},
    event::{self, Event, Observer, WaitReason, What},
    gate::{self, Ask, Entrance, Priority, Refusal, Reservation},
    learning::Prices,
    ledger::{Charge, float},
    request::Request,
    response::Cost,
    retry::{Next, RetryPolicy, Tried},
    token::Tokens,
    transport::{Transport, TransportError},
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

/// One call on its way.
struct Run<'a> {
    core: &'a Core,
    request: Request,
    options: Options,
    since: Instant,
    deadline: Option<Instant>,
    tried: Tried,
    /// What the gate goes by: our price, or the server's as far as it is known.
    price: Points,
    /// Whether that is what the server wants for this very call.
    price_said: bool,
    context: Context,
}

impl<'a> Run<'a> {
    fn new(core: &'a Core, request: Request, options: Options) -> Self {
        let since = gate::now();
        let price = core.expected(&request);
        Self {
            since,
            deadline: options.deadline.and_then(|time| since.checked_add(time)),
            tried: Tried::default(),
            price,
            price_said: false,
            context: Context {
                operation: request.operation.name.clone(),
                shop: core.shop.clone(),
                cost: Cost {
                    estimated: request.price,
                    requested: price,
                    ..Cost::default()
                },
                ..Context::default()
            },
            core,
            request,
            options,
        }
    }

    async fn finish(mut self, permit: Option<Reservation>) -> Result<Answer, Error> {
        let outcome = self.attempts(permit).await;
        let (cost, waits) = (&self.context.cost, &self.context.waits);
        let ok = outcome.is_ok();
        self.tell(What::Finished { ok, cost, waits });
        match outcome {
            Ok(reply) => Ok(Answer {
                reply,
                context: self.context,
            }),
            Err((kind, body)) => Err(Error::new(kind, self.context, body)),
        }
    }

    async fn attempts(
        &mut self,
        mut permit: Option<Reservation>,
    ) -> Result<Reply, (ErrorKind, Option<crate::answer::Body>)> {
        let bare = |kind| (kind, None);
        self.core.check_maximum(self.request.price).map_err(bare)?;
        let mut wait = (WaitReason::Points, None);
        loop {
            let reservation = match permit.take().filter(|permit| self.fits(permit)) {
                Some(permit) => permit,
                None => match self.admit(wait.0, wait.1).await {
                    Err(ErrorKind::TooDear { maximum, .. }) if self.only_feared(maximum) => {
                        self.price = maximum;
                        continue;
                    }
                    admitted => admitted.map_err(bare)?,
                },
            };
            let token = self.core.tokens.current().await;
            let token = token.map_err(|error| bare(ErrorKind::Token(error)))?;
            self.tried.attempts += 1;
            self.context.attempts = self.tried.attempts;
            let (fault, reply) = self.attempt(reservation, &token).await;
            let Some(fault) = fault else {
                // No fault without a reply.
                return reply.ok_or((ErrorKind::NoData, None));
            };
            if self.accepts(&fault, reply.as_ref())
                && let Some(reply) = reply
            {
                return Ok(reply);
            }
            self.tell(What::AttemptFailed { error: &fault.kind });
            let rate = self.core.gate.read(gate::now()).restore_rate;
            let call = (self.request.kind, self.request.idempotent);
            let policy = self.options.retry;
            let next = self
                .tried
                .after(&fault, call, &policy, rate, fastrand::f64());
            match next {
                Next::Fail => return Err((self.final_kind(fault), reply.and_then(body_of))),
                Next::Renew => {
                    let renewed = self.core.tokens.renew(&token).await;
                    match renewed.map_err(|error| bare(ErrorKind::Token(error)))? {
                        Some(_) => wait = (WaitReason::Points, None),
                        None => return Err((fault.kind, reply.and_then(body_of))),
                    }
                }
                Next::Wait { reason, length } => {
                    let until = gate::now().checked_add(length);
                    let late = self
                        .deadline
                        .is_some_and(|deadline| until.is_none_or(|until| until > deadline));
                    if late {
                        let retry_at = until;
                        return Err((
                            ErrorKind::Deadline { reason, retry_at },
                            reply.and_then(body_of),
                        ));
                    }
                    wait = (reason, until);
                }
            }
        }
    }

    fn fits(&self, permit: &Reservation) -> bool {
        permit.cost() >= self.price && permit.is_valid()
    }

    /// Tells of a change in whether the store of the ledger is there, once.
    fn tell_store(&self) {
        let away = self.core.gate.store_away();
        if self.core.told_away.swap(away.is_some(), Ordering::Relaxed) != away.is_some() {
            match away {
                Some(error) => self.tell(What::LedgerAway { error: &error }),
                None => self.tell(What::LedgerBack),
            }
        }
    }

    /// Whether a price above `maximum` is only concluded from other calls: then the server is to
    /// say so itself.
    fn only_feared(&self, maximum: Points) -> bool {
        !self.price_said && self.request.price <= maximum && self.price > maximum
    }

    /// Waits for the points, after a throttle not before `until`; other waits end first.
    async fn admit(
        &mut self,
        reason: WaitReason,
        until: Option<Instant>,
    ) -> Result<Reservation, ErrorKind> {
        let begun = gate::now();
        let in_queue = matches!(reason, WaitReason::Points | WaitReason::Throttled);
        if let Some(until) = until.filter(|_| !in_queue) {
            self.tell_wait(reason, until.saturating_duration_since(begun));
            tokio::time::sleep_until(until.into()).await;
            let waited = gate::now().saturating_duration_since(begun);
            match reason {
                WaitReason::OtherThrottle => self.context.waits.throttled += waited,
                _ => self.context.waits.backoff += waited,
            }
        }
        let entered = gate::now();
        let mut ask = self.core.ask(self.price, self.options.priority, self.since);
        ask.not_before = until.filter(|_| in_queue);
        // The first time; if that was not enough, others are at work and are reckoned with.
        ask.exact = reason == WaitReason::Throttled && self.tried.throttles == 1;
        let gate_reason = if in_queue { reason } else { WaitReason::Points };
        let announce = |length| self.tell_wait(gate_reason, length);
        let admitted = self.core.gate.admit(ask, self.deadline, announce).await;
        self.tell_store();
        let waited = gate::now().saturating_duration_since(entered);
        match gate_reason {
            WaitReason::Throttled => self.context.waits.throttled += waited,
            _ => self.context.waits.gate += waited,
        }
        admitted.map_err(|refusal| match refusal {
            Refusal::TooDear { maximum } => ErrorKind::TooDear {
                cost: self.price,
                maximum: whole(maximum),
                limit: CostLimit::Bucket,
            },
            Refusal::Unavailable(reason) => ErrorKind::ShopUnavailable {
                reason,
                message: "found so by another call while this one waited".to_owned(),
            },
            Refusal::Late { ready } => ErrorKind::Deadline {
                reason: gate_reason,
                retry_at: ready,
            },
        })
    }

    /// Sends once, settles, and reads what came.
    async fn attempt(
        &mut self,
        mut reservation: Reservation,
        token: &AccessToken,
    ) -> (Option<Fault>, Option<Reply>) {
        let Some(request) = self.http_request(token) else {
            let message = "it cannot stand in a header".to_owned();
            let fault = Fault {
                kind: ErrorKind::Unauthorized { message },
                ran: classify::Ran::No,
                cure: classify::Cure::None,
            };
            return (Some(fault), None);
        };
        let settings = &self.core.settings;
        let sent = gate::now();
        let limit = [sent.checked_add(settings.attempt_timeout), self.deadline];
        let limit = limit.into_iter().flatten().min().unwrap_or(sent);
        reservation.mark_sent();
        let answer = tokio::time::timeout_at(
            limit.into(),
            self.core.transport.send(request, settings.body_limit),
        )
        .await
        .unwrap_or_else(|_| Err(TransportError::timeout()));
        let wire = gate::now().saturating_duration_since(sent);
        self.context.waits.wire += wire;
        match answer {
            Err(error) => {
                let fault = classify::transport_fault(error);
                if fault.ran == classify::Ran::No {
                    reservation.mark_unsent();
                }
                drop(reservation);
                (Some(self.late(fault)), None)
            }
            Ok(answer) => {
                let (fault, reply) = self.read(answer, token, reservation, wire);
                (fault, Some(reply))
            }
        }
    }

    /// The deadline ended the attempt: say so rather than "no answer in time".
    fn late(&self, fault: Fault) -> Fault {
        let over = self
            .deadline
            .is_some_and(|deadline| gate::now() >= deadline);
        if !over {
            return fault;
        }
        let kind = ErrorKind::Deadline {
            reason: WaitReason::Answer,
            retry_at: None,
        };
        let cure = classify::Cure::None;
        Fault {
            kind,
            cure,
            ..fault
        }
    }

    fn read(
        &mut self,
        answer: http::Response<Bytes>,
        token: &AccessToken,
        reservation: Reservation,
        wire: Duration,
    ) -> (Option<Fault>, Reply) {
        let mut reply = Reply::read(answer);
        let suspicious = !reply.status.is_success()
            || reply
                .body
                .as_ref()
                .map_or(true, |body| !body.errors.is_empty());
        if suspicious {
            // The server may have repeated the token in what it says about it.
            let mut clean = http::Response::new(token.scrub(reply.text.clone()));
            *clean.status_mut() = reply.status;
            *clean.headers_mut() = std::mem::take(&mut reply.headers);
            reply = Reply::read(clean);
        }
        let fault = classify::fault(&mut reply, self.request.kind, SystemTime::now());
        if let Some(fault) = &fault {
            // Before the points go to others.
            self.spread(fault);
        }
        let reserved = reservation.cost();
        let charge = reply.charge(reserved, fault.as_ref());
        let block = reply.body.as_ref().map(|body| body.cost.clone());
        let block = block.unwrap_or_default();
        let shared = reservation.is_shared();
        let lesson = reservation.settle(charge, &block.status);
        let level = self.core.gate.read(gate::now());

        self.context.status = Some(reply.status.as_u16());
        self.context.request_id = reply.request_id();
        self.context.cost = Cost {
            estimated: self.request.price,
            requested: block.requested.unwrap_or(reserved),
            actual: match charge {
                Charge::Actual(actual) => actual,
                Charge::Nothing => Points::ZERO,
                Charge::Unknown => reserved,
            },
            available: block.status.available.unwrap_or(level.available),
            maximum: level.maximum,
            restore_rate: level.restore_rate,
            fields: block.fields,
        };
        self.tell(What::Answered {
            status: reply.status.as_u16(),
            request_id: self.context.request_id.as_deref(),
            cost: &self.context.cost,
            wire,
        });
        for anomaly in block.anomalies.into_iter().chain(lesson.anomalies) {
            self.tell(What::Anomaly { anomaly });
        }
        if lesson.foreign >= 1.0 && !shared {
            self.tell(What::ForeignSpend {
                points: lesson.foreign,
                rate: level.foreign_rate,
            });
        }
        self.learn(block.requested, block.actual);
        self.notice_headers(&reply);
        (fault, reply)
    }

    fn learn(&mut self, requested: Option<Points>, actual: Option<Points>) {
        let (ours, operation) = (self.request.price, &self.request.operation);
        let now = gate::now();
        let told = self
            .core
            .prices
            .learn(operation, ours, requested, actual, now);
        if let Some(requested) = requested {
            (self.price, self.price_said) = (requested, true);
            if told {
                self.tell(What::Drift { ours, requested });
            }
        }
    }

    fn notice_headers(&self, reply: &Reply) {
        let asked = &*self.core.version;
        if let Some(served) = reply.header("x-shopify-api-version")
            && served != asked
        {
            self.tell(What::OtherVersion { asked, served });
        }
        if let Some(notice) = reply.header("x-shopify-api-deprecated-reason")
            && self
                .core
                .prices
                .tell_deprecation(&self.request.operation, gate::now())
        {
            self.tell(What::Deprecated { notice });
        }
        if self.core.settings.log_bodies {
            let body = String::from_utf8_lossy(&reply.text);
            tracing::trace!(target: "tollgate::wire", status = reply.status.as_u16(), body = &*body, "received");
        }
    }

    fn http_request(&self, token: &AccessToken) -> Option<http::Request<Bytes>> {
        let json = HeaderValue::from_static("application/json");
        let mut request = http::Request::new(self.request.body.clone());
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.core.url.clone();
        let headers = request.headers_mut();
        headers.insert(header::CONTENT_TYPE, json.clone());
        headers.insert(header::ACCEPT, json);
        headers.insert(header::USER_AGENT, self.core.settings.user_agent.clone());
        headers.insert("x-shopify-access-token", token.header()?);
        if self.options.debug_cost {
            headers.insert("shopify-graphql-cost-debug", HeaderValue::from_static("1"));
        }
        if self.core.settings.log_bodies {
            let body = String::from_utf8_lossy(&self.request.body);
            tracing::trace!(target: "tollgate::wire", url = %self.core.url, body = &*body, "sending");
        }
        Some(request)
    }

    /// Whether data beside these errors is what the caller wants.
    fn accepts(&self, fault: &Fault, reply: Option<&Reply>) -> bool {
        let data = reply.and_then(|reply| reply.body.as_ref().ok()?.data());
        let whole =
            fault.ran == classify::Ran::No || self.request.kind == crate::OperationKind::Query;
        self.options.accept_partial
            && data.is_some()
            && whole
            && matches!(fault.kind, ErrorKind::GraphQl(_))
    }

    /// What a fault means for the other calls of the shop.
    fn spread(&self, fault: &Fault) {
        match &fault.kind {
            ErrorKind::ShopUnavailable { reason, .. } => self.core.gate.turn_away(*reason),
            ErrorKind::TooManyRequests {
                retry_after: Some(time),
                ..
            } if *time <= self.options.retry.longest_retry_after => {
                if let Some(until) = gate::now().checked_add(*time) {
                    self.core.gate.pause(until);
                }
            }
            _ => {}
        }
    }

    /// The kind of error after the last attempt.
    fn final_kind(&self, fault: Fault) -> ErrorKind {
        let kind = match fault.kind {
            ErrorKind::Throttled {
                requested,
                available,
                ..
            } => ErrorKind::Throttled {
                requested,
                available,
                retry_at: self.core.gate.outlook(self.price, gate::now()),
            },
            kind => kind,
        };
        let mutation = self.request.kind == crate::OperationKind::Mutation;
        if mutation && fault.ran == classify::Ran::Perhaps {
            return ErrorKind::UnknownOutcome(Box::new(kind));
        }
        kind
    }

    fn tell_wait(&self, reason: WaitReason, length: Duration) {
        self.tell(What::Wait {
            reason,
            length,
            estimate: self.price,
            available: self.core.gate.read(gate::now()).available,
        });
    }

    fn tell(&self, what: What<'_>) {
        let event = Event {
            shop: &self.core.shop,
            operation: &self.request.operation.name,
            attempt: self.tried.attempts,
            what,
        };
        event::record(&event);
        for observer in &self.core.observers {
            observer.observe(&event);
        }
    }
}

fn body_of(reply: Reply) -> Option<crate::answer::Body> {
    reply.body.ok()
}

/// Whole points of a maximum.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positive, and a cast from a float saturates"
)]
pub(crate) fn whole(maximum: f64) -> Points {
    debug_assert!(maximum >= 0.0 && maximum <= float(Points(u64::MAX)));
    Points(maximum as u64)
}
