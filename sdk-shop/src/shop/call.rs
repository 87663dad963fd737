//! One request to GraphQL: read, priced, admitted, executed, settled.

use std::sync::Arc;

use bytes::Bytes;
use http::Request;
use serde::Deserialize;
use serde_json::{Map, Value};
use tollgate_cost::{MAX_QUERY, Points};

use super::Shop;
use super::file::base_of;
use super::limit::{throttled, too_dear, too_long};
use super::state::State;
use crate::cost::{Cost, breakdown};
use crate::execution::{Context, execute};
use crate::fault::{Effect, Fault};
use crate::log::{Outcome, Record};
use crate::prepared::Read;
use crate::refusal::Refusal;
use crate::reply::{Body, Data, Reply};
use crate::sync::lock;
use crate::variables::coerce;

/// The body of a request.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Asked {
    query: String,
    variables: Option<Map<String, Value>>,
    operation_name: Option<String>,
}

/// A request under way. It is written into the log, and what it was charged too much goes back,
/// even when its client gives up while it waits.
pub(super) struct Call<'a> {
    pub(super) shop: &'a Shop,
    pub(super) record: Record,
    refund: Points,
    pub(super) number: u64,
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        let now = self.shop.now();
        let mut state = lock(&self.shop.0.state);
        state.bucket.refund(now, self.refund);
        state.log.push(self.record.clone());
    }
}

impl<'a> Call<'a> {
    pub(super) fn new(shop: &'a Shop) -> Self {
        let mut state = lock(&shop.0.state);
        let number = state.requests;
        state.requests += 1;
        Self {
            shop,
            record: Record {
                at: shop.now(),
                operation: None,
                variables: Map::new(),
                requested: None,
                actual: None,
                outcome: Outcome::Lost,
                ran: Vec::new(),
                faulty: false,
            },
            refund: Points::ZERO,
            number,
        }
    }

    pub(super) async fn answer(&mut self, request: &Request<Bytes>) -> Reply {
        let asked: Asked = match serde_json::from_slice(request.body()) {
            Ok(asked) => asked,
            Err(_) => {
                self.record.outcome = Outcome::Status(400);
                return Reply::status(400);
            }
        };
        self.record.variables = asked.variables.unwrap_or_default();
        self.record.operation = asked.operation_name;
        let prepared = self
            .shop
            .0
            .documents
            .read(&self.shop.0.world.schema, &asked.query);
        if let (None, Ok(prepared)) = (&self.record.operation, &prepared) {
            let only = prepared.operation(None).map(|(only, _)| only.name.clone());
            self.record.operation = only.ok().filter(|name| !name.is_empty());
        }
        let fault = self.strike();
        let effect = fault.as_ref().map(|fault| &fault.effect);
        let mut reply = if fault.as_ref().is_some_and(Fault::prevents) {
            self.wait().await;
            Reply::new(200, "text/plain", Bytes::new())
        } else {
            match self.respond(request, prepared, effect).await {
                Ok(reply) | Err(reply) => reply,
            }
        };
        self.suffer(fault.as_ref(), &mut reply);
        reply
    }

    /// The fault that this request meets.
    pub(super) fn strike(&mut self) -> Option<Fault> {
        let operation = self.record.operation.as_deref();
        let mut state = lock(&self.shop.0.state);
        let fault = state.faults.strike(self.number, operation);
        self.record.faulty = fault.is_some();
        fault
    }

    /// Lets the fault have its way with the answer.
    pub(super) fn suffer(&mut self, fault: Option<&Fault>, reply: &mut Reply) {
        let outcome = fault.and_then(|fault| reply.suffer(&fault.effect));
        if let Some(outcome) = outcome {
            self.record.outcome = outcome;
        }
    }

    /// The server's own way: read, price, admit, execute, settle. `Err` is an early end.
    async fn respond(
        &mut self,
        request: &Request<Bytes>,
        prepared: Read,
        effect: Option<&Effect>,
    ) -> Result<Reply, Reply> {
        let shop = &self.shop.0;
        let prepared = prepared.map_err(|errors| self.refuse(errors.to_vec()))?;
        let found = prepared.operation(self.record.operation.as_deref());
        let (operation, priced) = found.map_err(|error| self.refuse(vec![error]))?;
        let variables = coerce(&shop.world.schema, operation, &self.record.variables);
        let variables = variables.map_err(|errors| self.refuse(errors))?;
        let price = priced.plan.price(&variables).map_err(|error| {
            self.refuse(vec![Refusal::new(error.to_string()).code("BAD_REQUEST")])
        })?;
        let requested = lock(&shop.state).drifted(&operation.name, price);
        self.record.requested = Some(requested);
        if let Some(refusal) = self.admit(requested, request.body(), effect) {
            return Err(refusal);
        }
        if let Some(error) = too_long(operation, &variables) {
            return Err(self.refuse_with_cost(error, requested, effect));
        }

        let (given, overrides) = {
            let mut state = lock(&shop.state);
            (state.given(&operation.name), Arc::clone(&state.overrides))
        };
        let given = given.and_then(|given| given.data(&self.record.variables));
        let mut context = Context {
            world: &shop.world,
            overrides: &overrides,
            effects: &shop.effects,
            jobs: None,
        };
        let base = base_of(request);
        context.jobs = Some(self.shop.jobs(context, &base, self.shop.version(request)));
        let failing = effect.and_then(Effect::failing);
        let executed = execute(context, &prepared.document, operation, &variables, failing);
        self.record.ran = executed.ran;
        let data = given.map_or(Data::Executed(executed.data), Data::Given);
        let schema = &shop.world.schema;
        let actual = prepared.actual(schema, operation, &variables, &data.shape());
        let actual = lock(&shop.state)
            .drifted(&operation.name, actual)
            .min(requested);
        self.record.actual = Some(actual);
        self.refund = Points(requested.get().saturating_sub(actual.get()));
        self.wait().await;

        self.record.outcome = if executed.errors.is_empty() {
            Outcome::Answered
        } else {
            Outcome::Partial
        };
        let fields = wants_breakdown(request).then(|| breakdown(priced, &variables));
        let cost = self.settle(requested, Some(actual)).with_fields(fields);
        let body = Body {
            data: Some(data),
            errors: executed.errors,
            cost: cost.suffer(effect),
        };
        Ok(Reply::json(200, &body))
    }

    /// Takes the points; gives the answer when it refuses.
    fn admit(&mut self, requested: Points, body: &[u8], effect: Option<&Effect>) -> Option<Reply> {
        if requested > MAX_QUERY {
            self.record.outcome = Outcome::TooDear;
            return Some(Reply::json(200, &Body::refused(vec![too_dear(requested)])));
        }
        let coded = match effect {
            Some(Effect::Throttled { coded }) => *coded,
            _ => {
                let now = self.shop.now();
                let mut state = lock(&self.shop.0.state);
                let State { bucket, drain, .. } = &mut *state;
                if let Some(drain) = drain.as_mut() {
                    drain.before(body, bucket, now);
                }
                if bucket.take(now, requested) {
                    return None;
                }
                if let Some(drain) = drain.as_mut() {
                    drain.throttled(body);
                }
                true
            }
        };
        let reply = self.refuse_with_cost(throttled(coded), requested, effect);
        self.record.outcome = Outcome::Throttled;
        Some(reply)
    }

    /// The cost block after what was charged too much has gone back.
    fn settle(&mut self, requested: Points, actual: Option<Points>) -> Cost {
        let now = self.shop.now();
        let mut state = lock(&self.shop.0.state);
        state.bucket.refund(now, std::mem::take(&mut self.refund));
        Cost::new(requested, actual, state.bucket.level(now))
    }

    fn refuse(&mut self, errors: Vec<Refusal>) -> Reply {
        self.record.outcome = Outcome::Refused;
        Reply::json(200, &Body::refused(errors))
    }

    fn refuse_with_cost(
        &mut self,
        error: Refusal,
        requested: Points,
        effect: Option<&Effect>,
    ) -> Reply {
        self.record.outcome = Outcome::Refused;
        let cost = self.settle(requested, None);
        let body = Body {
            cost: cost.suffer(effect),
            ..Body::refused(vec![error])
        };
        Reply::json(200, &body)
    }

    pub(super) async fn wait(&self) {
        let latency = lock(&self.shop.0.state).latency;
        let seed = self.shop.0.world.seed.name("latency").number(self.number);
        let time = latency.draw(seed);
        if !time.is_zero() {
            tokio::time::sleep(time).await;
        }
    }
}

/// Whether a request asks for the price of every field, by the header of today or the older one.
fn wants_breakdown(request: &Request<Bytes>) -> bool {
    let says = |name: &str, value: &str| {
        let header = request.headers().get(name);
        header.is_some_and(|given| given.as_bytes() == value.as_bytes())
    };
    says("shopify-graphql-cost-debug", "1") || says("x-graphql-cost-include-fields", "true")
}
