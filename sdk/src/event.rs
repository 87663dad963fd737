//! What a client does, as it does it: for `tracing`, for `metrics`, and for an [`Observer`].
//!
//! # Names that stay
//! Events of `tracing` have the target `tollgate`, lie in the span `call`, and carry `shop`,
//! `operation` and `attempt`. Times are in milliseconds, amounts in points, rates in points per
//! second.
//!
//! | message | level | other fields |
//! | --- | --- | --- |
//! | `waiting` | debug | `reason`, `wait_ms`, `estimate`, `available` |
//! | `answered` | debug | `status`, `request_id`, `estimate`, `requested`, `actual`, `available`, `maximum`, `restore_rate`, `wire_ms` |
//! | `attempt failed` | debug | `reason` |
//! | `finished` | debug | `ok`, `estimate`, `requested`, `actual`, `available`, `gate_ms`, `throttled_ms`, `backoff_ms`, `wire_ms` |
//! | `others spent points` | debug | `points`, `rate` |
//! | `the server's price is not ours` | warn | `estimate`, `requested` |
//! | `a figure makes no sense`, `deprecated`, `the shared ledger is away` | warn | `reason` |
//! | `the shared ledger is back` | warn | |
//! | `served by another API version` | warn | `asked`, `served` |
//!
//! | metric (feature `metrics`) | kind | labels |
//! | --- | --- | --- |
//! | `tollgate_calls_total` | counter | `shop`, `operation`, `ok` |
//! | `tollgate_requests_total`, `tollgate_failed_attempts_total`, `tollgate_points_total`, `tollgate_drift_total` | counter | `shop`, `operation` |
//! | `tollgate_wait_seconds` | histogram | `shop`, `operation`, `reason` |
//! | `tollgate_wire_seconds` | histogram | `shop`, `operation` |
//! | `tollgate_available_points` | gauge | `shop` |

use std::{fmt, time::Duration};

use tollgate_cost::Points;

use crate::{
    error::ErrorKind,
    ledger::Anomaly,
    response::{Cost, Waits},
    shared::StoreError,
};

/// Gets every [`Event`] of a client, on the task of the call it belongs to: be quick.
pub trait Observer: Send + Sync + 'static {
    /// Something happened.
    fn observe(&self, event: &Event<'_>);
}

impl<F: Fn(&Event<'_>) + Send + Sync + 'static> Observer for F {
    fn observe(&self, event: &Event<'_>) {
        self(event);
    }
}

/// Something that happened to a call.
#[derive(Debug)]
#[non_exhaustive]
pub struct Event<'a> {
    /// The shop's domain.
    pub shop: &'a str,
    /// The operation's name.
    pub operation: &'a str,
    /// Which attempt of the call, counted from 1; 0 before the first.
    pub attempt: u32,
    /// What happened.
    pub what: What<'a>,
}

/// The kinds of [`Event`].
#[derive(Debug)]
#[non_exhaustive]
pub enum What<'a> {
    /// A wait begins.
    Wait {
        /// For what.
        reason: WaitReason,
        /// How long, as far as can be told: refunds shorten it, other spenders lengthen it.
        length: Duration,
        /// The price the gate goes by, in points.
        estimate: Points,
        /// What a new call could count on now, in points.
        available: f64,
    },
    /// A request was answered.
    Answered {
        /// HTTP status.
        status: u16,
        /// The server's id of the request.
        request_id: Option<&'a str>,
        /// What it cost and what is left.
        cost: &'a Cost,
        /// Time between sending and the last byte of the answer.
        wire: Duration,
    },
    /// An attempt failed; a `Wait` or `Finished` follows.
    AttemptFailed {
        /// Why.
        error: &'a ErrorKind,
    },
    /// The call ended.
    Finished {
        /// Whether it has an answer.
        ok: bool,
        /// What it cost.
        cost: &'a Cost,
        /// Where the time went.
        waits: &'a Waits,
    },
    /// The server's price is not ours. Once per operation and hour.
    Drift {
        /// Our price, in points.
        ours: Points,
        /// `requestedQueryCost`.
        requested: Points,
    },
    /// A figure of the answer makes no sense.
    Anomaly {
        /// Which.
        anomaly: Anomaly,
    },
    /// Others spent from the bucket: the balance fell by more than our calls explain.
    ForeignSpend {
        /// Points beyond what was predicted.
        points: f64,
        /// The rate now predicted, in points per second.
        rate: f64,
    },
    /// The store of the shared ledger does not reply: calls go by the process's own ledger. Once
    /// per client and absence.
    LedgerAway {
        /// Why.
        error: &'a StoreError,
    },
    /// The store of the shared ledger replies again.
    LedgerBack,
    /// The answer came from another API version than the one asked for.
    OtherVersion {
        /// The version asked for.
        asked: &'a str,
        /// The version that answered.
        served: &'a str,
    },
    /// The server says that something in the document is deprecated. Once per operation and hour.
    Deprecated {
        /// Its notice.
        notice: &'a str,
    },
}

/// What a call waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WaitReason {
    /// Points in the bucket, or its turn.
    Points,
    /// Points in the bucket, after the server throttled the call.
    Throttled,
    /// Another limit than the cost, after the server throttled the call.
    OtherThrottle,
    /// The time that the server asked for with `Retry-After`.
    RetryAfter,
    /// A repetition after a failure.
    Backoff,
    /// An access token from its source.
    Token,
    /// The answer.
    Answer,
}

impl WaitReason {
    /// The stable name, as events carry it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Points => "points",
            Self::Throttled => "throttled",
            Self::OtherThrottle => "other_throttle",
            Self::RetryAfter => "retry_after",
            Self::Backoff => "backoff",
            Self::Token => "token",
            Self::Answer => "answer",
        }
    }
}

impl fmt::Display for WaitReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Points => "points in the bucket",
            Self::Throttled => "points in the bucket after a throttle",
            Self::OtherThrottle => "another limit than the cost",
            Self::RetryAfter => "the time the server asked for",
            Self::Backoff => "a repetition after a failure",
            Self::Token => "an access token",
            Self::Answer => "the answer",
        })
    }
}

/// Hands an event to `tracing` and, with the feature, to `metrics`, by the names in the
/// [module](self).
pub(crate) fn record(event: &Event<'_>) {
    let Event {
        shop,
        operation,
        attempt,
        what,
    } = event;
    macro_rules! say {
        ($level:ident, $message:literal $(, $field:ident = $value:expr)* $(,)?) => {
            tracing::$level!(target: "tollgate", shop, operation, attempt $(, $field = $value)*, $message)
        };
    }
    match what {
        What::Wait {
            reason,
            length,
            estimate,
            available,
        } => say!(
            debug,
            "waiting",
            reason = reason.as_str(),
            wait_ms = millis(*length),
            estimate = estimate.get(),
            available = available
        ),
        What::Answered {
            status,
            request_id,
            cost,
            wire,
        } => say!(
            debug,
            "answered",
            status = status,
            request_id = request_id,
            estimate = cost.estimated.get(),
            requested = cost.requested.get(),
            actual = cost.actual.get(),
            available = cost.available,
            maximum = cost.maximum,
            restore_rate = cost.restore_rate,
            wire_ms = millis(*wire)
        ),
        What::AttemptFailed { error } => say!(
            debug,
            "attempt failed",
            reason = tracing::field::display(error)
        ),
        What::Finished { ok, cost, waits } => say!(
            debug,
            "finished",
            ok = ok,
            estimate = cost.estimated.get(),
            requested = cost.requested.get(),
            actual = cost.actual.get(),
            available = cost.available,
            gate_ms = millis(waits.gate),
            throttled_ms = millis(waits.throttled),
            backoff_ms = millis(waits.backoff),
            wire_ms = millis(waits.wire)
        ),
        What::Drift { ours, requested } => say!(
            warn,
            "the server's price is not ours",
            estimate = ours.get(),
            requested = requested.get()
        ),
        What::Anomaly { anomaly } => say!(
            warn,
            "a figure makes no sense",
            reason = tracing::field::display(anomaly)
        ),
        What::ForeignSpend { points, rate } => {
            say!(debug, "others spent points", points = points, rate = rate)
        }
        What::LedgerAway { error } => say!(
            warn,
            "the shared ledger is away",
            reason = tracing::field::display(error)
        ),
        What::LedgerBack => say!(warn, "the shared ledger is back"),
        What::OtherVersion { asked, served } => say!(
            warn,
            "served by another API version",
            asked = asked,
            served = served
        ),
        What::Deprecated { notice } => say!(warn, "deprecated", reason = notice),
    }
    #[cfg(feature = "metrics")]
    measure(event);
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(feature = "metrics")]
fn measure(event: &Event<'_>) {
    let labels = [
        ("shop", event.shop.to_owned()),
        ("operation", event.operation.to_owned()),
    ];
    match &event.what {
        What::Wait { reason, length, .. } => {
            let [shop, operation] = labels;
            let labels = [shop, operation, ("reason", reason.as_str().to_owned())];
            metrics::histogram!("tollgate_wait_seconds", &labels).record(length.as_secs_f64());
        }
        What::Answered { cost, wire, .. } => {
            metrics::counter!("tollgate_requests_total", &labels).increment(1);
            metrics::histogram!("tollgate_wire_seconds", &labels).record(wire.as_secs_f64());
            metrics::counter!("tollgate_points_total", &labels).increment(cost.actual.get());
            metrics::gauge!("tollgate_available_points", "shop" => event.shop.to_owned())
                .set(cost.available);
        }
        What::AttemptFailed { .. } => {
            metrics::counter!("tollgate_failed_attempts_total", &labels).increment(1);
        }
        What::Finished { ok, .. } => {
            let [shop, operation] = labels;
            let labels = [shop, operation, ("ok", ok.to_string())];
            metrics::counter!("tollgate_calls_total", &labels).increment(1);
        }
        What::Drift { .. } => {
            metrics::counter!("tollgate_drift_total", &labels).increment(1);
        }
        _ => {}
    }
}
