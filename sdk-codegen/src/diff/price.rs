//! What a change of schema does to the prices of operations.

use tollgate_cost::Points;

use crate::document::{self, Document, Operation, Valid};
use crate::emit;
use crate::pricing::{self, Bounds, Rules};
use crate::schema::Schema;
use crate::source::Source;

/// The bound of an operation under two schemas, in points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriceChange {
    /// The operation.
    pub operation: String,
    /// The bound under the old schema.
    pub before: Points,
    /// The bound under the new one; `None` when the operation is not valid there.
    pub after: Option<Points>,
}

impl PriceChange {
    /// Whether it costs more than before.
    #[must_use]
    pub fn is_dearer(&self) -> bool {
        self.after.is_some_and(|after| after > self.before)
    }
}

/// The operations whose declared bound changes or that break, in the order of the document.
/// `after` is the same document, valid or trusted under the new schema; an operation that is not
/// in both is left out.
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
        let was = was.plan.declared_bound();
        let is = holds(before, operation, new).then(|| {
            let is = pricing::price(new, after, other, rules, bounds);
            is.plan.declared_bound()
        });
        if Some(was) != is {
            changes.push(PriceChange {
                operation: operation.name.clone(),
                before: was,
                after: is,
            });
        }
    }
    changes
}

/// Whether an operation, as it is sent, is valid under a schema.
fn holds(document: &Valid<Document>, operation: &Operation, schema: &Schema) -> bool {
    let sent = Source::new(&*operation.name, emit::minified(document, operation));
    document::validate(schema, vec![sent]).is_ok()
}
