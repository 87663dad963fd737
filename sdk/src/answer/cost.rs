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
        let [cost] = of(Some(extensions), ["cost"]);
        let [requested, actual, status, fields] = of(
            cost,
            [
                "requestedQueryCost",
                "actualQueryCost",
                "throttleStatus",
                "fields",
            ],
        );
        let [maximum, available, restore_rate] = of(
            status,
            ["maximumAvailable", "currentlyAvailable", "restoreRate"],
        );
        let mut anomalies = Vec::new();
        let mut figure = |raw: Option<&RawValue>, name: &'static str| {
            let text = raw?.get();
            let figure = number(text);
            if figure.is_none() && text != "null" {
                anomalies.push(Anomaly::NotANumber(name));
            }
            figure
        };
        Self {
            requested: figure(requested, "requestedQueryCost").and_then(points),
            actual: figure(actual, "actualQueryCost").and_then(points),
            status: ThrottleStatus {
                maximum: figure(maximum, "maximumAvailable"),
                available: figure(available, "currentlyAvailable"),
                restore_rate: figure(restore_rate, "restoreRate"),
            },
            fields: fields.map(prices).unwrap_or_default(),
            anomalies,
        }
    }
}

/// Members of what should be an object; none if it is something else.
fn of<'a, const N: usize>(
    object: Option<&'a RawValue>,
    names: [&str; N],
) -> [Option<&'a RawValue>; N] {
    let members = object.map(|object| super::members(object.get(), names));
    members.and_then(Result::ok).unwrap_or([None; N])
}

fn prices(fields: &RawValue) -> Vec<FieldCost> {
    let fields: Value = serde_json::from_str(fields.get()).unwrap_or_default();
    let fields = fields.as_array().into_iter().flatten();
    let figure = |field: &Value, name: &str| number(&field.get(name)?.to_string());
    fields
        .map(|field| FieldCost {
            path: super::errors::path(field.get("path")),
            defined: figure(field, "definedCost"),
            requested_total: figure(field, "requestedTotalCost"),
            requested_children: figure(field, "requestedChildrenCost"),
        })
        .collect()
}

/// A finite number, or a text that holds one.
fn number(json: &str) -> Option<f64> {
    let text = json
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'));
    let number = text.unwrap_or(json).trim().parse().ok();
    number.filter(|number: &f64| number.is_finite())
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
