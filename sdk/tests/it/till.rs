//! A counterfeit server: it charges a real bucket with what the call says it costs, and can be
//! told to misbehave. It runs on tokio's clock, so paused time works.
//!
//! The benchmark uses this file too.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::Bytes;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use tollgate::{
    CostError, DecodeError, Operation, OperationKind, Plan, Points, Transport, TransportError,
    UserError, transport::BoxFuture,
};

/// The variables of [`Spend`] and [`Write`]: what the server is to do with the call.
#[derive(Clone, Copy, Debug, Default)]
pub struct Purchase {
    /// Tells calls apart.
    pub id: u64,
    /// What the client thinks it costs.
    pub price: u64,
    /// What the server wants.
    pub requested: u64,
    /// What it charges in the end.
    pub actual: u64,
}

impl Purchase {
    pub fn of(id: u64, requested: u64, actual: u64) -> Self {
        Self {
            id,
            price: requested,
            requested,
            actual,
        }
    }

    fn encode(&self, out: &mut Vec<u8>) {
        let Self {
            id,
            requested,
            actual,
            ..
        } = self;
        let text = format!(r#"{{"id":{id},"requested":{requested},"actual":{actual}}}"#);
        out.extend_from_slice(text.as_bytes());
    }
}

static PLAN: Plan = Plan::constant(Points(1));

macro_rules! operation {
    ($(#[$doc:meta])* $name:ident, $kind:ident, $document:literal $(, $key:literal)?) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name;

        impl Operation for $name {
            type Variables = Purchase;
            type Data = Value;
            const NAME: &'static str = stringify!($name);
            const KIND: OperationKind = OperationKind::$kind;
            const DOCUMENT: &'static str = $document;
            const PLAN: &'static Plan = &PLAN;
            const MAX_COST: Points = Points(1000);
            $(const IDEMPOTENCY_VARIABLE: Option<&'static str> = Some($key);)?

            fn cost(variables: &Purchase) -> Result<Points, CostError> {
                Ok(Points(variables.price))
            }

            fn encode(variables: &Purchase, out: &mut Vec<u8>) {
                variables.encode(out);
            }

            fn decode(data: &str) -> Result<Value, DecodeError> {
                tollgate::decode::from_str(data)
            }

            fn user_errors(data: &Value) -> Vec<UserError> {
                let errors = data["write"]["userErrors"].as_array();
                let error = |error: &Value| UserError {
                    message: error["message"].as_str().unwrap_or_default().to_owned(),
                    ..UserError::default()
                };
                errors.into_iter().flatten().map(error).collect()
            }
        }
    };
}

operation!(
    /// Reads.
    Spend, Query, "query Spend{spend}"
);
operation!(
    /// Writes, and must not be repeated without proof.
    Write, Mutation, "mutation Write{write{userErrors{message}}}"
);
operation!(
    /// Writes, and may be repeated.
    WriteOnce, Mutation, "mutation WriteOnce($key:String!)@idempotent(key:$key){write{id}}", "key"
);

/// What the server does with one request, decided before it looks at the bucket.
pub enum Act {
    /// What it should.
    Serve,
    /// Answers this instead, without running the call.
    Instead(Answer),
    /// Runs the call and then answers this instead.
    After(Answer),
}

/// An answer or the want of one.
pub type Answer = Result<http::Response<Bytes>, TransportError>;

/// A decision on each request, by its number (from 0) and the call's variables.
pub type Script = Box<dyn FnMut(u64, &Value) -> Act + Send>;

/// What the server keeps count of.
#[derive(Clone, Debug, Default)]
pub struct Count {
    pub requests: u64,
    pub throttled: u64,
    /// Charged in the end, by our own calls.
    pub points: u64,
    /// How often each call ran, by id.
    pub ran: BTreeMap<u64, u32>,
    /// When each call was charged.
    pub charged_at: BTreeMap<u64, Instant>,
    /// The bodies of all requests, if they are kept.
    pub bodies: Vec<Bytes>,
}

/// The server.
#[derive(Clone)]
pub struct Till(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    way: Way,
    keep_bodies: bool,
}

/// The times on the way, by the number of the request or by the id of the call.
enum Way {
    ByRequest(Box<dyn Fn(u64) -> [Duration; 3] + Send + Sync>),
    ByCall(Box<dyn Fn(u64) -> [Duration; 3] + Send + Sync>),
}

struct State {
    maximum: f64,
    rate: f64,
    level: f64,
    at: Instant,
    count: Count,
    script: Option<Script>,
}

impl State {
    fn restore(&mut self) {
        let now = Instant::now();
        let restored = self.rate * (now - self.at).as_secs_f64();
        self.level = (self.level + restored).min(self.maximum);
        self.at = now;
    }

    fn status(&self) -> Value {
        json!({
            "maximumAvailable": self.maximum,
            "currentlyAvailable": self.level.floor() as i64,
            "restoreRate": self.rate,
        })
    }
}

impl Till {
    /// A full bucket; `way` gives, by request number, the time to the server, the time the call
    /// runs there, and the time back.
    pub fn new(
        maximum: f64,
        rate: f64,
        way: impl Fn(u64) -> [Duration; 3] + Send + Sync + 'static,
    ) -> Self {
        Self::with_way(maximum, rate, Way::ByRequest(Box::new(way)))
    }

    /// The same, with the way by the call's id.
    pub fn by_call(
        maximum: f64,
        rate: f64,
        way: impl Fn(u64) -> [Duration; 3] + Send + Sync + 'static,
    ) -> Self {
        Self::with_way(maximum, rate, Way::ByCall(Box::new(way)))
    }

    fn with_way(maximum: f64, rate: f64, way: Way) -> Self {
        Self(Arc::new(Shared {
            state: Mutex::new(State {
                maximum,
                rate,
                level: maximum,
                at: Instant::now(),
                count: Count::default(),
                script: None,
            }),
            way,
            keep_bodies: maximum < 1e5,
        }))
    }

    /// Decides on every request from now on.
    pub fn script(&self, script: impl FnMut(u64, &Value) -> Act + Send + 'static) {
        self.with(|state| state.script = Some(Box::new(script)));
    }

    /// What has happened so far.
    pub fn count(&self) -> Count {
        self.with(|state| state.count.clone())
    }

    /// What is in the bucket.
    pub fn level(&self) -> f64 {
        self.with(|state| state.level)
    }

    /// Sets what is in the bucket.
    pub fn set_level(&self, level: f64) {
        self.with(|state| state.level = level);
    }

    /// Sets the limits.
    pub fn set_limits(&self, maximum: f64, rate: f64) {
        self.with(|state| (state.maximum, state.rate) = (maximum, rate));
    }

    /// Another spender of the same app takes points if they are there.
    pub fn take(&self, points: f64) -> bool {
        self.with(|state| {
            let there = state.level >= points;
            state.level -= if there { points } else { 0.0 };
            there
        })
    }

    fn with<R>(&self, act: impl FnOnce(&mut State) -> R) -> R {
        let mut state = self.0.state.lock().unwrap();
        state.restore();
        act(&mut state)
    }

    async fn serve(&self, request: http::Request<Bytes>) -> Answer {
        let body: Value = serde_json::from_slice(request.body()).unwrap();
        let variables = &body["variables"];
        let figure = |name: &str| variables[name].as_u64().unwrap_or(0);
        let (id, requested, actual) = (figure("id"), figure("requested"), figure("actual"));
        let (number, act) = self.with(|state| {
            let number = state.count.requests;
            state.count.requests += 1;
            if self.0.keep_bodies {
                state.count.bodies.push(request.body().clone());
            }
            let act = match &mut state.script {
                Some(script) => script(number, variables),
                None => Act::Serve,
            };
            (number, act)
        });
        let [there, running, back] = match &self.0.way {
            Way::ByRequest(way) => way(number),
            Way::ByCall(way) => way(id),
        };
        sleep(there).await;
        let instead = match act {
            Act::Instead(answer) => {
                sleep(back).await;
                return answer;
            }
            Act::Serve => None,
            Act::After(answer) => Some(answer),
        };
        let throttled = self.with(|state| {
            if state.level < requested as f64 {
                state.count.throttled += 1;
                return Some(throttled(requested, state.status()));
            }
            state.level -= requested as f64;
            *state.count.ran.entry(id).or_default() += 1;
            state.count.charged_at.insert(id, Instant::now());
            None
        });
        if let Some(answer) = throttled {
            sleep(back).await;
            return answer;
        }
        sleep(running).await;
        let answer = self.with(|state| {
            state.count.points += actual;
            let refund = requested as f64 - actual as f64;
            state.level = (state.level + refund).min(state.maximum);
            let data = json!({ "spend": id, "write": { "id": id, "userErrors": [] } });
            data_answer(
                data,
                json!({
                    "requestedQueryCost": requested,
                    "actualQueryCost": actual,
                    "throttleStatus": state.status(),
                }),
            )
        });
        sleep(back).await;
        instead.unwrap_or(answer)
    }
}

impl Transport for Till {
    fn send(&self, request: http::Request<Bytes>, _: usize) -> BoxFuture<'_, Answer> {
        Box::pin(self.serve(request))
    }
}

/// An answer of status 200.
pub fn ok(body: &Value) -> Answer {
    status(200, &body.to_string())
}

/// An answer of any status.
pub fn status(status: u16, body: &str) -> Answer {
    let answer = http::Response::builder()
        .status(status)
        .header("content-type", "application/json")
        .header("x-request-id", "r-1");
    Ok(answer.body(Bytes::from(body.to_owned())).unwrap())
}

/// An answer with data and cost.
pub fn data_answer(data: Value, cost: Value) -> Answer {
    ok(&json!({ "data": data, "extensions": { "cost": cost } }))
}

/// A throttle in the server's shape.
pub fn throttled(requested: u64, throttle_status: Value) -> Answer {
    ok(&json!({
        "errors": [{ "message": "Throttled", "extensions": { "code": "THROTTLED" } }],
        "extensions": { "cost": {
            "requestedQueryCost": requested,
            "actualQueryCost": null,
            "throttleStatus": throttle_status,
        } },
    }))
}
