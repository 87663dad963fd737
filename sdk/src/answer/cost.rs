use serde_json::{Value, value::RawValue};
use tollgate_cost::Points;

use super::errors::PathSegment;
use crate::ledger::{Anomaly, ThrottleStatus};

/// `extensions.cost`: every member may be missing, null or nonsense.
#[derive(Clone, Debug, Default)]
pub(crate) struct CostBlock {
    pub(crate) requested: Option<Points>,
    pub(crate) actual: Option<Points>,
    pub(crate) status: ThrottleStatus,
    pub(crate) anomalies: Vec<Anomaly>,
    pub(crate) fields: Vec<FieldCost>,
}

/// What the server charged for one field, when the call asked for it with
/// [`debug_cost`](crate::Call::debug_cost).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FieldCost {
    /// The field, by response keys from the root.
    pub path: Vec<PathSegment>,
    /// The field's own price in points; `None` for connections.
    pub defined: Option<f64>,
    /// The field with all below it, in points.
    pub requested_total: Option<f64>,
    /// All below it, in points; `None` for scalars.
    pub requested_children: Option<f64>,
}

impl CostBlock {
    pub(super) fn read(extensions: &RawValue) -> Self {
        let Ok(extensions) = serde_json::from_str::<Value>(extensions.get()) else {
            return Self {
                anomalies: vec![Anomaly::NotANumber("extensions")],
                ..Self::default()
            };
        };
        let Some(cost) = extensions.get("cost") else {
            return Self::default();
        };
        let mut anomalies = Vec::new();
        let mut figure = |of: Option<&Value>, name: &'static str| match of?.get(name) {
            None | Some(Value::Null) => None,
            Some(value) => {
                let figure = number(value);
                if figure.is_none() {
                    anomalies.push(Anomaly::NotANumber(name));
                }
                figure
            }
        };
        let status = cost.get("throttleStatus");
        Self {
            requested: figure(Some(cost), "requestedQueryCost").and_then(points),
            actual: figure(Some(cost), "actualQueryCost").and_then(points),
            status: ThrottleStatus {
                maximum: figure(status, "maximumAvailable"),
                available: figure(status, "currentlyAvailable"),
                restore_rate: figure(status, "restoreRate"),
            },
            fields: fields(cost),
            anomalies,
        }
    }
}

fn fields(cost: &Value) -> Vec<FieldCost> {
    let fields = cost.get("fields").and_then(Value::as_array);
    fields
        .into_iter()
        .flatten()
        .map(|field| FieldCost {
            path: super::errors::path(field.get("path")),
            defined: field.get("definedCost").and_then(number),
            requested_total: field.get("requestedTotalCost").and_then(number),
            requested_children: field.get("requestedChildrenCost").and_then(number),
        })
        .collect()
}

/// A number, or a text that holds one.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// A price as whole points, if it can be one.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the range is checked"
)]
fn points(figure: f64) -> Option<Points> {
    (0.0..1e15)
        .contains(&figure)
        .then(|| Points(figure.ceil() as u64))
}
