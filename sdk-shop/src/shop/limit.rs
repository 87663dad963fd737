//! The limits of single calls, and how the server words them.

use serde_json::{Map, Value};
use tollgate_codegen::document::{Operation, Selection};
use tollgate_cost::Points;

use crate::refusal::Refusal;
use crate::variables::literal;

/// The most that one call may ask for, in points.
pub(super) const MAX_COST: Points = Points(1000);
/// The longest input list in general, and where the server takes longer ones.
const MAX_LIST: usize = 250;
const MAX_VARIANTS: usize = 2048;
const RATE_LIMITS: &str = "https://shopify.dev/api/usage/rate-limits";

pub(super) fn throttled(coded: bool) -> Refusal {
    let error = Refusal::new("Throttled");
    if coded {
        error
            .code("THROTTLED")
            .extension("documentation", RATE_LIMITS)
    } else {
        error
    }
}

pub(super) fn too_dear(requested: Points) -> Refusal {
    let message = format!(
        "Query cost is {requested}, which exceeds the single query max cost limit ({MAX_COST}).\n\n\
         See https://shopify.dev/docs/api/usage/rate-limits for more information on how the cost \
         of a query is calculated."
    );
    Refusal::new(message)
        .code("MAX_COST_EXCEEDED")
        .extension("cost", requested.get())
        .extension("maxCost", MAX_COST.get())
        .extension("documentation", RATE_LIMITS)
}

/// The first list in the arguments of a root field that is longer than the server takes.
pub(super) fn too_long(operation: &Operation, variables: &Map<String, Value>) -> Option<Refusal> {
    for item in &operation.selections.items {
        let Selection::Field(field) = item else {
            continue;
        };
        let most = match field.name.as_str() {
            "productVariantsBulkCreate" | "productVariantsBulkUpdate" | "productSet" => {
                MAX_VARIANTS
            }
            _ => MAX_LIST,
        };
        for (name, value) in &field.arguments {
            let Some(value) = literal(value, variables) else {
                continue;
            };
            let mut path = vec![field.response_key().into(), name.as_str().into()];
            if let Some(length) = longer_than(most, &value, &mut path) {
                let message = format!(
                    "The input array size of {length} is greater than the maximum allowed of {most}."
                );
                let error = Refusal::new(message).code("MAX_INPUT_SIZE_EXCEEDED");
                return Some(error.at(&path));
            }
        }
    }
    None
}

/// The length of a list that is too long, with its path.
fn longer_than(most: usize, value: &Value, path: &mut Vec<Value>) -> Option<usize> {
    match value {
        Value::Array(items) if items.len() > most => Some(items.len()),
        Value::Array(items) => items.iter().zip(0_u64..).find_map(|(item, index)| {
            path.push(index.into());
            longer_than(most, item, path).or_else(|| {
                path.pop();
                None
            })
        }),
        Value::Object(fields) => fields.iter().find_map(|(name, value)| {
            path.push(name.as_str().into());
            longer_than(most, value, path).or_else(|| {
                path.pop();
                None
            })
        }),
        _ => None,
    }
}
