//! The words both sides of Tollgate speak: [`Points`], the cost [`Plan`] of an operation, and its
//! evaluation.
//!
//! The build-time generator makes a [`Plan`] from a validated document; the run-time client prices
//! every call with the same plan and the same function, so the two cannot round differently. No
//! I/O, no async, no allocation in evaluation.

mod evaluate;
mod input;
mod page;
mod plan;
mod points;

pub use evaluate::{CostError, MAX_LIST};
pub use input::{Empty, Fields, Items, View};
pub use page::{MAX_PAGE, page_weight};
pub use plan::{Argument, Bound, Condition, Node, Plan, Size};
pub use points::{MilliPoints, Points};
