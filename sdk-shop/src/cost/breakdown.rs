//! `extensions.cost.fields`: what the debug header asks for.

use serde_json::{Map, Value, json};
use tollgate_codegen::pricing::{Charge, Entry, Priced};
use tollgate_cost::{Plan, Points};

/// The price of every field that has one, those below before those above, as the server lists
/// them: `definedCost` is null for connections, `requestedChildrenCost` is that of one node.
pub(crate) fn breakdown(priced: &Priced, variables: &Map<String, Value>) -> Value {
    let mut fields = Vec::new();
    for entry in &priced.entries {
        list(entry, &priced.plan, variables, &mut fields);
    }
    Value::Array(fields)
}

fn list(entry: &Entry, plan: &Plan, variables: &Map<String, Value>, fields: &mut Vec<Value>) {
    let price = |entry: &Entry| {
        let plan = Plan {
            root: entry.node(),
            parameters: plan.parameters.clone(),
        };
        plan.exact_price(variables).unwrap_or_default()
    };
    let below = entry.below(|entries| {
        let prices = entries.iter().map(price);
        prices.map(|price| price.0).sum::<u64>()
    });
    for entry in below {
        list(entry, plan, variables, fields);
    }
    let defined: Option<Points> = match &entry.charge {
        Charge::Object { own, .. } | Charge::Abstract { own, .. } => Some(own.round()),
        Charge::Connection { .. } => None,
        // What the input adds has no field of its own.
        Charge::Input { .. } => return,
    };
    let children = below.iter().map(price);
    let children = children.reduce(|sum, price| sum.plus(price));
    fields.push(json!({
        "path": entry.path,
        "definedCost": defined.map(Points::get),
        "requestedTotalCost": price(entry).round().get(),
        "requestedChildrenCost": children.map(|price| price.round().get()),
    }));
}
