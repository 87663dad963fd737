//! One call from the gate to its outcome, over all its attempts.

use std::{
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use tollgate_cost::Points;

use super::core::{Answer, Core, Options, whole};
use crate::{
    Error, ErrorKind, OperationKind,
    answer::Body,
    classify::{Fault, Ran, Reply},
    error::{Context, CostLimit},
    event::{self, Event, WaitReason, What},
    gate::{self, Refusal, Reservation},
    ledger::stands_still,
    request::Request,
    response::Cost,
    retry::{Next, Tried},
    token,
};

/// One call on its way.
pub(super) struct Run<'a> {
    pub(super) core: &'a Core,
    pub(super) request: Request,
    pub(super) options: Options,
    since: Instant,
    pub(super) deadline: Option<Instant>,
    tried: Tried,
    /// Whether some attempt may have run: what becomes of a later one does not change that.
    perhaps_ran: bool,
    /// What the gate goes by: our price, or the server's as far as it is known.
    pub(super) price: Points,
    /// Whether that is what the server wants for this very call.
    pub(super) price_said: bool,
    pub(super) context: Context,
}

impl<'a> Run<'a> {
    pub(super) fn new(core: &'a Core, request: Request, options: Options) -> Self {
        let since = gate::now();
        let price = core.expected(&request);
        Self {
            since,
            deadline: options.deadline.and_then(|time| since.checked_add(time)),
            tried: Tried::default(),
            perhaps_ran: false,
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

    pub(super) async fn finish(mut self, permit: Option<Reservation>) -> Result<Answer, Error> {
        let outcome = self.attempts(permit).await;
        let (cost, waits) = (&self.context.cost, &self.context.waits);
        let ok = outcome.is_ok();
        self.tell(What::Finished { ok, cost, waits });
        match outcome {
            Ok(reply) => Ok(Answer {
                reply,
                context: self.context,
            }),
            Err((kind, body)) => {
                let mutation = self.request.kind == OperationKind::Mutation;
                let kind = if mutation && self.perhaps_ran {
                    ErrorKind::UnknownOutcome(Box::new(kind))
                } else {
                    kind
                };
                Err(Error::new(kind, self.context, body))
            }
        }
    }

    async fn attempts(
        &mut self,
        mut permit: Option<Reservation>,
    ) -> Result<Reply, (ErrorKind, Option<Body>)> {
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
            let token = in_time(self.deadline, self.core.tokens.current()).await;
            let token = token.map_err(bare)?;
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
            self.perhaps_ran |= fault.ran == Ran::Perhaps;
            self.tell(What::AttemptFailed { error: &fault.kind });
            let level = self.core.gate.read(gate::now());
            let waits = !stands_still(level.maximum, level.restore_rate);
            let rate = waits.then_some(level.restore_rate);
            let call = (self.request.kind, self.request.idempotent);
            let policy = self.options.retry;
            let next = self
                .tried
                .after(&fault, call, &policy, rate, fastrand::f64());
            match next {
                Next::Fail => return Err((self.final_kind(fault), reply.and_then(body_of))),
                Next::Renew => {
                    let renewed = in_time(self.deadline, self.core.tokens.renew(&token)).await;
                    match renewed.map_err(bare)? {
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

    /// Whether data beside these errors is what the caller wants.
    fn accepts(&self, fault: &Fault, reply: Option<&Reply>) -> bool {
        let data = reply.and_then(|reply| reply.body.as_ref().ok()?.data());
        let whole = fault.ran == Ran::No || self.request.kind == OperationKind::Query;
        self.options.accept_partial
            && data.is_some()
            && whole
            && matches!(fault.kind, ErrorKind::GraphQl(_))
    }

    /// The kind of error after the last attempt.
    fn final_kind(&self, fault: Fault) -> ErrorKind {
        match fault.kind {
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
        }
    }

    fn tell_wait(&self, reason: WaitReason, length: Duration) {
        self.tell(What::Wait {
            reason,
            length,
            estimate: self.price,
            available: self.core.gate.read(gate::now()).available,
        });
    }

    pub(super) fn tell(&self, what: What<'_>) {
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

/// What the source of tokens gives before the deadline.
async fn in_time<T>(
    deadline: Option<Instant>,
    asking: impl Future<Output = Result<T, token::Failure>>,
) -> Result<T, ErrorKind> {
    let given = match deadline {
        None => asking.await,
        Some(deadline) => {
            let given = tokio::time::timeout_at(deadline.into(), asking).await;
            given.map_err(|_| ErrorKind::Deadline {
                reason: WaitReason::Token,
                retry_at: None,
            })?
        }
    };
    given.map_err(ErrorKind::Token)
}

fn body_of(reply: Reply) -> Option<Body> {
    reply.body.ok()
}
