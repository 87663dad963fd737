//! The limits of single calls, and how the server words them.

use serde_json::{Map, Value};
use tollgate_codegen::document::{Operation, Selection};
use tollgate_cost::{MAX_LIST, MAX_QUERY, Points};

use crate::refusal::Refusal;
use crate::variables::literal;

/// The longest input list of mutations that take all variants of a product.
const MAX_VARIANTS: u64 = 2048;
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
        "Query cost is {requested}, which exceeds the single query max cost limit ({MAX_QUERY}).\n\n\
         See https://shopify.dev/docs/api/usage/rate-limits for more information on how the cost \
         of a query is calculated."
    );
    Refusal::new(message)
        .code("MAX_COST_EXCEEDED")
        .extension("cost", requested.get())
        .extension("maxCost", MAX_QUERY.get())
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
fn longer_than(most: u64, value: &Value, path: &mut Vec<Value>) -> Option<u64> {
    let mut below = |place: Value, value: &Value| {
        path.push(place);
        let found = longer_than(most, value, path);
        if found.is_none() {
            path.pop();
        }
        found
    };
    match value {
        Value::Array(items) => {
            let length = u64::try_from(items.len()).unwrap_or(u64::MAX);
            if length > most {
                return Some(length);
            }
            let mut items = items.iter().zip(0_u64..);
            items.find_map(|(item, index)| below(index.into(), item))
        }
        Value::Object(fields) => fields
            .iter()
            .find_map(|(name, value)| below(name.as_str().into(), value)),
        _ => None,
    }
}
