//! `extensions.cost`, in the number shapes of the server.

mod breakdown;

pub(crate) use self::breakdown::breakdown;

use serde::Serialize;
use serde_json::Value;
use tollgate_cost::Points;

use crate::bucket::Level;
use crate::fault::Effect;

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

/// `extensions`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct CostBlock {
    cost: Block,
}

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum Block {
    Sane(Cost),
    Odd(Value),
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

    /// The block as a fault has it; `None` when it is missing.
    pub(crate) fn suffer(self, effect: Option<&Effect>) -> Option<CostBlock> {
        Some(CostBlock {
            cost: match effect {
                Some(Effect::Cost(cost)) => Block::Odd(cost.clone()?),
                Some(Effect::CostMember(path, member)) => {
                    let mut cost = serde_json::to_value(self).unwrap_or_default();
                    replace(&mut cost, path, member.as_ref());
                    Block::Odd(cost)
                }
                _ => Block::Sane(self),
            },
        })
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

/// Sets the member at a path, or takes it away.
fn replace(value: &mut Value, path: &[String], with: Option<&Value>) {
    let (Value::Object(fields), [member, below @ ..]) = (value, path) else {
        return;
    };
    match (below, with) {
        ([], Some(with)) => {
            fields.insert(member.clone(), with.clone());
        }
        ([], None) => {
            fields.remove(member);
        }
        (below, with) => {
            if let Some(value) = fields.get_mut(member) {
                replace(value, below, with);
            }
        }
    }
}
