//! The plans of our operations with any variables: a price within the bound, or a refusal.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value};
use tollgate::{Operation, Plan, Points};

mod queries {
    tollgate::operations! { schema: "../schema/admin.graphql", documents: "../queries" }
}

fn plans() -> [(&'static Plan, Points); 6] {
    fn of<O: Operation>() -> (&'static Plan, Points) {
        (O::PLAN, O::MAX_COST)
    }
    [
        of::<queries::ProductPage>(),
        of::<queries::CustomerPage>(),
        of::<queries::OrderById>(),
        of::<queries::ProductUpsert>(),
        of::<queries::InventoryPage>(),
        of::<queries::PriceUpdate>(),
    ]
}

fuzz_target!(|json: &[u8]| {
    let Ok(variables) = serde_json::from_slice::<Map<String, Value>>(json) else {
        return;
    };
    for (plan, _) in plans() {
        if let Err(error) = plan.price(&variables) {
            assert!(!error.to_string().is_empty());
        }
    }
});
