//! All kinds of faults at once, for storms.

use std::time::Duration;

use serde_json::{Value, json};

use super::Fault;

impl Fault {
    /// One fault of every kind, before and after the operation runs where that differs: what
    /// [`Storm::of_every_kind`](crate::Storm::of_every_kind) draws from. Those that never answer
    /// are left out, since every client needs a time limit of its own for them.
    #[must_use]
    pub fn every_kind() -> Vec<Self> {
        let mut faults = Vec::new();
        for status in [401, 402, 403, 404, 423, 430] {
            faults.push(Self::status(status));
        }
        for status in [500, 502, 503, 504] {
            faults.push(Self::status(status));
            faults.push(Self::html(status).after_execution());
        }
        for retry_after in [
            "1",
            "2.0",
            "0.5",
            "Wed, 21 Oct 2015 07:28:00 GMT",
            "soon",
            "-3",
        ] {
            faults.push(Self::too_many_requests(retry_after));
        }
        faults.extend([
            Self::html(429),
            Self::html(200),
            Self::html(200).after_execution(),
            Self::token_kind_rejected(),
            Self::redirect("https://other-shop.example/admin"),
            Self::refused(
                "SHOP_PENDING_TERMINATION",
                "The shop is pending termination.",
            ),
            Self::internal_error(),
            Self::internal_error().after_execution(),
            Self::field_error(),
            Self::access_denied("read_products"),
            Self::variant_throttle(),
            Self::null_payload(),
            Self::throttled(),
            Self::throttled_without_code(),
            Self::root_error("THROTTLED", "Throttled"),
            Self::truncated_json(),
            Self::invalid_json(),
            Self::invalid_json().after_execution(),
            Self::empty_body(),
            Self::empty_body().after_execution(),
            Self::header("content-type", "text/plain"),
            Self::huge_header(8_000),
            Self::deprecated("https://shopify.dev/api/usage/versioning"),
            Self::api_version("2025-01"),
            Self::closed(),
            Self::closed().after_execution(),
            Self::reset(),
            Self::reset().after_execution(),
            Self::cut_off(),
            Self::slow_drip(Duration::from_millis(2)),
        ]);
        faults.extend(Self::odd_costs());
        faults
    }

    /// Every odd cost block that was seen or feared: missing, null, text, zero, negative, above
    /// the maximum.
    #[must_use]
    pub fn odd_costs() -> Vec<Self> {
        let mut faults = vec![
            Self::no_cost(),
            Self::cost(Value::Null),
            Self::cost(json!({})),
            Self::cost(json!("free")),
            Self::cost(json!({ "requestedQueryCost": 12 })),
            Self::cost_member("throttleStatus", None),
            Self::cost_member("throttleStatus", Some(Value::Null)),
            Self::cost_member("actualQueryCost", None),
            Self::cost_member("actualQueryCost", Some(Value::Null)),
        ];
        let odd = [
            None,
            Some(Value::Null),
            Some(json!(0)),
            Some(json!(-5)),
            Some(json!(0.5)),
            Some(json!("100")),
            Some(json!("NaN")),
            Some(json!(1e300)),
        ];
        for member in ["maximumAvailable", "currentlyAvailable", "restoreRate"] {
            let member = format!("throttleStatus.{member}");
            faults.extend(
                odd.iter()
                    .map(|value| Self::cost_member(&member, value.clone())),
            );
        }
        faults
    }
}
