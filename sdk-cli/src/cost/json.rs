use serde_json::{Value, json};
use tollgate_codegen::document::OperationKind;
use tollgate_codegen::pricing::{Row, RowKind};
use tollgate_cost::Points;

use super::Costing;
use crate::project::Project;

/// Points are whole for operations; for places they are decimal text, as sums of tenths are.
pub(super) fn costings(costings: &[Costing<'_>]) -> Value {
    costings.iter().map(costing).collect()
}

fn costing(costing: &Costing<'_>) -> Value {
    let Costing {
        operation, priced, ..
    } = costing;
    let (bound, limit) = (Project::bound(operation, priced), Project::limit(operation));
    json!({
        "name": costing.operation.name,
        "kind": match costing.operation.kind {
            OperationKind::Query => "query",
            OperationKind::Mutation => "mutation",
        },
        "place": costing.place,
        "price": costing.exact.then_some(costing.points.0),
        "bound": bound.0,
        "budget": operation.budget().map(Points::get),
        "limit": limit.map(Points::get),
        "over": limit.is_some_and(|limit| costing.points > limit),
        "bulk": operation.is_bulk(),
        "breakdown": costing.rows.iter().map(row).collect::<Vec<_>>(),
    })
}

fn row(place: &Row) -> Value {
    json!({
        "label": place.label,
        "path": place.path,
        "kind": match place.kind {
            RowKind::Connection => "connection",
            RowKind::Object => "object",
            RowKind::Input => "input",
        },
        "each": place.each.to_string(),
        "times": place.times,
        "total": place.total().to_string(),
        "arithmetic": place.arithmetic,
        "below": place.below.iter().map(row).collect::<Vec<_>>(),
    })
}
