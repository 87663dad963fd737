//! What an answer means: pure, from status, headers and body to a [`Fault`] or none.

mod reply;
#[cfg(test)]
mod tests;

use std::time::{Duration, SystemTime};

use tollgate_cost::{MAX_QUERY, Points};
use url::Url;

pub(crate) use self::reply::Reply;
use crate::{
    OperationKind,
    answer::{Body, GraphQlError, explanation},
    error::{CostLimit, ErrorKind, Unavailable},
    transport::{TransportError, TransportErrorKind},
};

/// An attempt that failed.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) kind: ErrorKind,
    /// Whether it is proved that the server did not run the call.
    pub(crate) ran: Ran,
    pub(crate) cure: Cure,
}

/// Whether the server ran the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ran {
    /// No, that is proved.
    No,
    /// Perhaps, wholly or in part.
    Perhaps,
}

/// What might help.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cure {
    /// Nothing.
    None,
    /// The points that were missing, and when the server had them.
    Points {
        requested: Option<Points>,
        available: Option<f64>,
    },
    /// Time, growing: another limit than the cost.
    Patience,
    /// The time the server named, or time growing.
    After(Option<Duration>),
    /// Time, growing, after a failure.
    Again,
    /// Another token.
    Token,
}

impl Fault {
    fn refused(kind: ErrorKind) -> Self {
        Self {
            kind,
            ran: Ran::No,
            cure: Cure::None,
        }
    }

    fn passing(kind: ErrorKind) -> Self {
        Self {
            kind,
            ran: Ran::Perhaps,
            cure: Cure::Again,
        }
    }
}

/// What is wrong with an answer to an operation of `kind`; `wall` is the time of day, for dates
/// in `Retry-After`.
pub(crate) fn fault(reply: &mut Reply, kind: OperationKind, wall: SystemTime) -> Option<Fault> {
    if !reply.status.is_success() {
        return Some(status_fault(reply, wall));
    }
    match std::mem::replace(&mut reply.body, Ok(Body::default())) {
        Err(error) => Some(Fault::passing(ErrorKind::Body(error))),
        Ok(body) => {
            let clean = body.errors.is_empty() && body.data().is_some();
            let fault = (!clean).then(|| body_fault(&body, kind));
            reply.body = Ok(body);
            fault
        }
    }
}

/// What it means that there is no answer.
pub(crate) fn transport_fault(error: TransportError) -> Fault {
    let ran = if error.may_have_been_sent() {
        Ran::Perhaps
    } else {
        Ran::No
    };
    let cure = match error.kind() {
        TransportErrorKind::TooLarge { .. } => Cure::None,
        _ => Cure::Again,
    };
    Fault {
        kind: ErrorKind::Transport(error),
        ran,
        cure,
    }
}

fn status_fault(reply: &Reply, wall: SystemTime) -> Fault {
    let message = explanation(&reply.text);
    let lower = message.to_ascii_lowercase();
    let status = reply.status.as_u16();
    let unavailable = |reason| {
        Fault::refused(ErrorKind::ShopUnavailable {
            reason,
            message: message.clone(),
        })
    };
    match status {
        300..=399 => Fault::refused(ErrorKind::Redirected {
            host: redirected_to(reply),
        }),
        401 => Fault {
            kind: ErrorKind::Unauthorized { message },
            ran: Ran::No,
            cure: Cure::Token,
        },
        402 => unavailable(Unavailable::Unpaid),
        423 => unavailable(Unavailable::Locked),
        403 if lower.contains("non-expiring") => {
            Fault::refused(ErrorKind::TokenKindRejected { message })
        }
        403 | 404 if lower.contains("unavailable") || lower.contains("shop_inactive") => {
            unavailable(Unavailable::Inactive)
        }
        403 => Fault::refused(ErrorKind::AccessDenied { message }),
        404 => Fault::refused(ErrorKind::NotFound { message }),
        429 | 430 => {
            let retry_after = retry_after(reply, wall);
            Fault {
                kind: ErrorKind::TooManyRequests {
                    status,
                    retry_after,
                },
                ran: Ran::No,
                cure: Cure::After(retry_after),
            }
        }
        408 => Fault::passing(ErrorKind::Refused { status, message }),
        500.. => Fault {
            kind: ErrorKind::Server { status, message },
            ran: Ran::Perhaps,
            cure: match retry_after(reply, wall) {
                None => Cure::Again,
                named => Cure::After(named),
            },
        },
        _ => Fault::refused(ErrorKind::Refused { status, message }),
    }
}

fn redirected_to(reply: &Reply) -> Option<String> {
    let location = reply.header("location")?;
    let url = Url::parse(location).ok()?;
    url.host_str().map(str::to_owned)
}

/// `Retry-After` in seconds, whole or with a fraction, or as an HTTP date; nothing if it is
/// neither.
fn retry_after(reply: &Reply, wall: SystemTime) -> Option<Duration> {
    let value = reply.header("retry-after")?.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let at = httpdate::parse_http_date(value).ok()?;
    // The server's own clock, where it shows it.
    let date = reply.header("date").map(httpdate::parse_http_date);
    let from = date.and_then(Result::ok).unwrap_or(wall);
    Some(at.duration_since(from).unwrap_or_default())
}

/// Codes that say: refused before anything ran, at least at the place the error names.
const REFUSALS: [&str; 15] = [
    "ACCESS_DENIED",
    "BAD_REQUEST",
    "BAD_USER_INPUT",
    "FORBIDDEN",
    "INVALID",
    "INVALID_FIELD_ARGUMENTS",
    "INVALID_VARIABLE",
    "GRAPHQL_VALIDATION_FAILED",
    "MAX_COST_EXCEEDED",
    "MAX_INPUT_SIZE_EXCEEDED",
    "NOT_FOUND",
    "PARSE_ERROR",
    "RESOURCE_NOT_FOUND",
    "THROTTLED",
    "UNPROCESSABLE",
];

/// Room for a figure that was cut to whole points.
const WHOLE_POINT: f64 = 1.0;

fn body_fault(body: &Body, kind: OperationKind) -> Fault {
    let errors = &body.errors;
    let with_code = |code: &str| errors.iter().find(|error| error.has_code(code));
    if !has_run(body)
        && let Some(error) = errors.iter().find(|error| is_throttle(error))
    {
        return throttle_fault(error, body);
    }
    if let Some(error) = with_code("MAX_COST_EXCEEDED") {
        return Fault::refused(too_dear(error, body.cost.requested));
    }
    if let Some(error) = errors.iter().find(|error| is_lasting_limit(error)) {
        return Fault::refused(ErrorKind::ResourceLimit {
            code: error.code.clone().unwrap_or_default(),
            message: error.message.clone(),
        });
    }
    let closed = [
        ("SHOP_PENDING_TERMINATION", Unavailable::Closing),
        ("SHOP_INACTIVE", Unavailable::Inactive),
    ];
    for (code, reason) in closed {
        if let Some(error) = with_code(code) {
            let message = error.message.clone();
            return Fault::refused(ErrorKind::ShopUnavailable { reason, message });
        }
    }
    if errors.is_empty() {
        return Fault::passing(ErrorKind::NoData);
    }
    let internal = errors
        .iter()
        .find(|error| error.has_code("INTERNAL_SERVER_ERROR") || error.has_code("TIMEOUT"));
    if let Some(error) = internal
        && (body.data().is_none() || kind == OperationKind::Mutation)
    {
        return Fault::passing(ErrorKind::Internal {
            message: error.message.clone(),
        });
    }
    if body.data().is_none()
        && let Some(error) = with_code("ACCESS_DENIED")
    {
        let message = error.message.clone();
        return Fault::refused(ErrorKind::AccessDenied { message });
    }
    // Without a `data` member the document was never executed.
    let refused = !body.has_data_member
        || errors.iter().all(|error| {
            let code = error.code.as_deref();
            code.is_some_and(|code| REFUSALS.contains(&code))
        });
    Fault {
        kind: ErrorKind::GraphQl(errors.clone()),
        ran: if refused { Ran::No } else { Ran::Perhaps },
        cure: Cure::None,
    }
}

/// `THROTTLED` by its code; by its message only in the older form that has no code. It is proof
/// that nothing ran only without data, path and charge.
fn is_throttle(error: &GraphQlError) -> bool {
    match &error.code {
        Some(code) => code == "THROTTLED",
        None => error.message == "Throttled",
    }
}

/// Whether an answer shows that its document was executed, if only in part.
fn has_run(body: &Body) -> bool {
    body.data().is_some()
        || body.cost.actual.is_some()
        || body.errors.iter().any(|error| !error.path.is_empty())
}

fn throttle_fault(error: &GraphQlError, body: &Body) -> Fault {
    let (requested, available) = (body.cost.requested, body.cost.status.available);
    let room = match (requested, available) {
        (Some(requested), Some(available)) => {
            available >= crate::ledger::float(requested) + WHOLE_POINT
        }
        _ => false,
    };
    if room {
        let message = error.message.clone();
        return Fault {
            kind: ErrorKind::OtherThrottle { message },
            ran: Ran::No,
            cure: Cure::Patience,
        };
    }
    Fault {
        kind: ErrorKind::Throttled {
            requested,
            available,
            retry_at: None,
        },
        ran: Ran::No,
        cure: Cure::Points {
            requested,
            available,
        },
    }
}

/// Limits by the day and the like: waiting minutes does not help.
fn is_lasting_limit(error: &GraphQlError) -> bool {
    error.code.as_deref().is_some_and(|code| {
        code.ends_with("_THROTTLE_EXCEEDED")
            || code.ends_with("_LIMIT_EXCEEDED")
            || code.ends_with("_LIMIT_REACHED")
    })
}

/// The figures are in the extensions, and in older answers only in the message: "Query cost is
/// 1293, which exceeds the single query max cost limit (1000)."
fn too_dear(error: &GraphQlError, requested: Option<Points>) -> ErrorKind {
    let mut spoken = error
        .message
        .split(|letter: char| !letter.is_ascii_digit())
        .filter_map(|digits| digits.parse().ok());
    let mut figure = |name| {
        let said = spoken.next();
        let figure = error
            .extensions
            .get(name)
            .and_then(serde_json::Value::as_u64);
        figure.or(said).map(Points)
    };
    let (cost, maximum) = (figure("cost"), figure("maxCost"));
    let maximum = maximum.unwrap_or(MAX_QUERY);
    ErrorKind::TooDear {
        // At least that, where nobody says how much.
        cost: cost.or(requested).unwrap_or(maximum),
        maximum,
        limit: CostLimit::SingleQuery,
    }
}
