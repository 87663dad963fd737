//! The words both sides of Tollgate speak: [`Points`], the cost [`Plan`] of an operation, and its
//! evaluation.
//!
//! The build-time generator makes a [`Plan`] from a validated document; the run-time client prices
//! every call with the same plan and the same function, so the two cannot round differently. No
//! I/O, no async.

mod evaluate;
mod input;
mod literal;
mod page;
mod plan;
mod points;

pub use evaluate::{CostError, MAX_LIST, MAX_QUERY};
pub use input::{Fields, Item, Items, NoVariables, Raw, View};
pub use literal::Literal;
pub use page::{MAX_PAGE, page_weight};
pub use plan::{Condition, Node, Owner, Parameter, Plan, Size};
pub use points::{MilliPoints, ParsePointsError, Points};
