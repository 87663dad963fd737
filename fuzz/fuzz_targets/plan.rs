//! The plans of our operations with any variables: a price within the bound, or a refusal.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value};
use tollgate::cost::Parameter;
use tollgate::{Operation as _, Plan, Points};

mod queries {
    tollgate::operations! { schema: "../schema/admin.graphql", documents: "../queries" }
}

fn plans() -> [&'static Plan; 6] {
    [
        queries::ProductPage::PLAN,
        queries::CustomerPage::PLAN,
        queries::OrderById::PLAN,
        queries::ProductUpsert::PLAN,
        queries::InventoryPage::PLAN,
        queries::PriceUpdate::PLAN,
    ]
}

/// Whether the bound speaks of these variables: pages no larger than it assumed, and no list of
/// several items, which could stand where the schema has none.
fn bounded(plan: &Plan, variables: &Map<String, Value>) -> bool {
    let page = |parameter: &Parameter| {
        let given = variables.get(&*parameter.name).and_then(Value::as_i64);
        given.is_none_or(|size| u64::try_from(size).is_ok_and(|size| size <= parameter.assumed))
    };
    plan.parameters.iter().all(page) && variables.values().all(single)
}

/// Whether no list in a value has several items.
fn single(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.len() < 2 && items.iter().all(single),
        Value::Object(fields) => fields.values().all(single),
        _ => true,
    }
}

fuzz_target!(|json: &[u8]| {
    let Ok(variables) = serde_json::from_slice::<Map<String, Value>>(json) else {
        return;
    };
    for plan in plans() {
        match plan.price(&variables) {
            Ok(price) => {
                assert!(price >= Points(1));
                assert!(price <= plan.bound() || !bounded(plan, &variables), "{price}");
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
});
