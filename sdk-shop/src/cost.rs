//! `extensions.cost`, in the number shapes of the server.

use serde::Serialize;
use serde_json::Value;
use tollgate_cost::Points;

use crate::bucket::Level;

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Cost {
    requested_query_cost: u64,
    actual_query_cost: Option<u64>,
    throttle_status: ThrottleStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    fields: Option<Value>,
}

/// `2000.0`, `1986` and `100.0`: two floats around an integer.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ThrottleStatus {
    maximum_available: f64,
    currently_available: u64,
    restore_rate: f64,
}

impl Cost {
    pub(crate) fn new(requested: Points, actual: Option<Points>, level: Level) -> Self {
        Self {
            requested_query_cost: requested.get(),
            actual_query_cost: actual.map(Points::get),
            throttle_status: ThrottleStatus {
                maximum_available: float(level.maximum.get()),
                currently_available: level.available.get(),
                restore_rate: float(level.restore_rate),
            },
            fields: None,
        }
    }

    /// With the breakdown that the debug header asks for.
    pub(crate) fn with_fields(mut self, fields: Option<Value>) -> Self {
        self.fields = fields;
        self
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "bucket sizes are far below 2^53"
)]
fn float(points: u64) -> f64 {
    points as f64
}
