//! What goes wrong with an answer: every shape that real servers were seen to give.

mod body;
mod effect;
mod kinds;
mod storm;

pub(crate) use self::effect::{Effect, Wire};
pub use self::storm::Storm;

use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, LOCATION, RETRY_AFTER};
use serde_json::{Value, json};

use crate::refusal::Refusal;
use crate::reply::{JSON, status_text};

/// One thing that goes wrong with one answer.
///
/// Most faults strike before the operation runs: it does not run and costs nothing. With
/// [`after_execution`](Self::after_execution) the operation runs, is charged and counted, and only
/// its answer is lost. Faults of the answer's text, cost and headers always let it run.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    pub(crate) effect: Effect,
    pub(crate) after: bool,
}

impl Fault {
    const fn new(effect: Effect) -> Self {
        Self {
            effect,
            after: false,
        }
    }

    const fn ran(effect: Effect) -> Self {
        Self {
            effect,
            after: true,
        }
    }

    /// Whether the operation does not run. A refusal for want of points is decided later, when
    /// the price is known.
    pub(crate) const fn prevents(&self) -> bool {
        !self.after && !matches!(self.effect, Effect::Throttled { .. })
    }

    /// Lets the operation run before the fault strikes: a mutation has taken effect, and its
    /// client cannot know.
    #[must_use]
    pub fn after_execution(mut self) -> Self {
        self.after = true;
        self
    }

    /// An HTTP status with the JSON body the server gives for it, where `errors` is a text.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self::errors(status, status_text(status))
    }

    /// An HTTP status with a page of HTML.
    #[must_use]
    pub fn html(status: u16) -> Self {
        Self::reply(status, "text/html; charset=utf-8", body::page(status))
    }

    /// Any answer: status, content type, body.
    #[must_use]
    pub fn reply(status: u16, content_type: &str, body: impl Into<Bytes>) -> Self {
        Self::new(Effect::Reply {
            status,
            headers: vec![(CONTENT_TYPE.to_string(), content_type.to_owned())],
            body: body.into(),
        })
    }

    /// 429 with a `Retry-After` header: seconds, fractions, an HTTP date, or garbage.
    #[must_use]
    pub fn too_many_requests(retry_after: &str) -> Self {
        Self::status(429).with_header(RETRY_AFTER.as_str(), retry_after)
    }

    /// 301 to another address.
    #[must_use]
    pub fn redirect(location: &str) -> Self {
        Self::html(301).with_header(LOCATION.as_str(), location)
    }

    /// 403 for a token of the kind that does not expire, which new apps may not use.
    #[must_use]
    pub fn token_kind_rejected() -> Self {
        let text = "Non-expiring access tokens are no longer accepted for the Admin API. \
                    Start using expiring offline tokens.";
        Self::errors(403, text)
    }

    /// A status with a text under `errors`.
    fn errors(status: u16, text: &str) -> Self {
        Self::reply(status, JSON, json!({ "errors": text }).to_string())
    }

    /// Adds a header to a fault that replaces the answer.
    fn with_header(mut self, name: &str, value: &str) -> Self {
        if let Effect::Reply { headers, .. } = &mut self.effect {
            headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    /// 200 with nothing but one error of this code: no data, no cost.
    #[must_use]
    pub fn refused(code: &str, message: &str) -> Self {
        Self::new(Effect::Refused {
            error: Refusal::new(message).code(code),
            null_data: false,
        })
    }

    /// `INTERNAL_SERVER_ERROR` for the whole request: 200, `data: null`, a request id, no cost.
    #[must_use]
    pub fn internal_error() -> Self {
        Self::new(Effect::Refused {
            error: body::internal_error(),
            null_data: true,
        })
    }

    /// `INTERNAL_SERVER_ERROR` "Something went wrong" on the first root field; cost present.
    #[must_use]
    pub fn field_error() -> Self {
        Self::root_error("INTERNAL_SERVER_ERROR", "Something went wrong")
    }

    /// An error of this code on the first root field, which is null and does not run; what else
    /// the document asks for runs, and the cost is present. So come `BAD_REQUEST` for a missing
    /// `@idempotent`, `VARIANT_THROTTLE_EXCEEDED`, or a `THROTTLED` of one field.
    #[must_use]
    pub fn root_error(code: &str, message: &str) -> Self {
        Self::ran(Effect::Root(Refusal::new(message).code(code)))
    }

    /// `ACCESS_DENIED` on the first root field.
    #[must_use]
    pub fn access_denied(scope: &str) -> Self {
        Self::ran(Effect::Root(Refusal::access_denied("Access denied", scope)))
    }

    /// The daily limit of new variants: the mutation's payload is null, points are left.
    #[must_use]
    pub fn variant_throttle() -> Self {
        Self::root_error(
            "VARIANT_THROTTLE_EXCEEDED",
            "Daily variant creation limit reached. Please try again later.",
        )
    }

    /// The mutation runs, and its payload holds nulls and no `userErrors` beside an error at the
    /// top: nobody can tell from it whether the write happened.
    #[must_use]
    pub fn null_payload() -> Self {
        Self::ran(Effect::Payload(body::internal_error()))
    }

    /// `THROTTLED` although the bucket holds enough: another limit of the server.
    #[must_use]
    pub const fn throttled() -> Self {
        Self::new(Effect::Throttled { coded: true })
    }

    /// The older form of the same: the message `Throttled` without a code.
    #[must_use]
    pub const fn throttled_without_code() -> Self {
        Self::new(Effect::Throttled { coded: false })
    }

    /// No `extensions.cost`.
    #[must_use]
    pub const fn no_cost() -> Self {
        Self::ran(Effect::Cost(None))
    }

    /// Another `extensions.cost`.
    #[must_use]
    pub const fn cost(cost: Value) -> Self {
        Self::ran(Effect::Cost(Some(cost)))
    }

    /// Another value for a member of `extensions.cost`, named as `throttleStatus.restoreRate`;
    /// `None` leaves the member out.
    #[must_use]
    pub fn cost_member(member: &str, value: Option<Value>) -> Self {
        let path = member.split('.').map(str::to_owned).collect();
        Self::ran(Effect::CostMember(path, value))
    }

    /// A header on the answer, in place of one of the same name: another content type, another
    /// version, a huge one.
    #[must_use]
    pub fn header(name: &str, value: &str) -> Self {
        Self::ran(Effect::Header(name.to_owned(), value.to_owned()))
    }

    /// The header that says the call used something deprecated.
    #[must_use]
    pub fn deprecated(reason: &str) -> Self {
        Self::header("x-shopify-api-deprecated-reason", reason)
    }

    /// The answer of another API version than the one asked for.
    #[must_use]
    pub fn api_version(version: &str) -> Self {
        Self::header("x-shopify-api-version", version)
    }

    /// A header of so many bytes.
    #[must_use]
    pub fn huge_header(bytes: usize) -> Self {
        Self::header("x-huge", &"x".repeat(bytes))
    }

    /// JSON that ends early, in a transfer that is complete.
    #[must_use]
    pub const fn truncated_json() -> Self {
        Self::ran(Effect::Truncated)
    }

    /// 200 with a body that is no JSON.
    #[must_use]
    pub fn invalid_json() -> Self {
        Self::reply(200, JSON, "{\"data\": oops}")
    }

    /// 200 with an empty body.
    #[must_use]
    pub fn empty_body() -> Self {
        Self::reply(200, JSON, "")
    }

    /// The connection closes without an answer.
    #[must_use]
    pub const fn closed() -> Self {
        Self::new(Effect::Wire(Wire::Closed))
    }

    /// The connection is reset without an answer.
    #[must_use]
    pub const fn reset() -> Self {
        Self::new(Effect::Wire(Wire::Reset))
    }

    /// No answer ever comes; the connection stays open.
    #[must_use]
    pub const fn silence() -> Self {
        Self::new(Effect::Wire(Wire::Silent))
    }

    /// The connection closes in the middle of the body.
    #[must_use]
    pub const fn cut_off() -> Self {
        Self::ran(Effect::Wire(Wire::CutOff(None)))
    }

    /// The connection closes after so many bytes of the body.
    #[must_use]
    pub const fn cut_off_after(bytes: u64) -> Self {
        Self::ran(Effect::Wire(Wire::CutOff(Some(bytes))))
    }

    /// Half of the body comes, then nothing more.
    #[must_use]
    pub const fn stalled() -> Self {
        Self::ran(Effect::Wire(Wire::Stalled))
    }

    /// The body comes in 16 pieces, with a pause before each.
    #[must_use]
    pub const fn slow_drip(pause: Duration) -> Self {
        Self::ran(Effect::Wire(Wire::Drip(pause)))
    }

    /// The body never ends.
    #[must_use]
    pub const fn endless_body() -> Self {
        Self::ran(Effect::Wire(Wire::Endless))
    }
}
