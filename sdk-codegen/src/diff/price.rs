//! What a change of schema does to the prices of operations.

use tollgate_cost::Points;

use crate::document::{Document, Valid};
use crate::pricing::{self, Bounds, Rules};
use crate::schema::Schema;

/// The bound of an operation under two schemas, in points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriceChange {
    /// The operation.
    pub operation: String,
    /// The bound under the old schema.
    pub before: Points,
    /// The bound under the new one.
    pub after: Points,
}

/// The operations whose declared bound changes, in the order of the document. `after` is the same
/// document, valid or trusted under the new schema; an operation that is not in both is left out.
#[must_use]
pub fn prices(
    (old, before): (&Schema, &Valid<Document>),
    (new, after): (&Schema, &Valid<Document>),
    rules: &Rules,
    bounds: Bounds,
) -> Vec<PriceChange> {
    let mut changes = Vec::new();
    for operation in &before.operations {
        let mut others = after.operations.iter();
        let Some(other) = others.find(|other| other.name == operation.name) else {
            continue;
        };
        let was = pricing::price(old, before, operation, rules, bounds);
        let is = pricing::price(new, after, other, rules, bounds);
        let (was, is) = (was.plan.declared_bound(), is.plan.declared_bound());
        if was != is {
            changes.push(PriceChange {
                operation: operation.name.clone(),
                before: was,
                after: is,
            });
        }
    }
    changes
}
