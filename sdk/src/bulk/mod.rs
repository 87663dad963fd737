//! Whole data sets through bulk operations.

mod error;
mod join;
mod lines;
mod record;
mod row;
mod scan;
mod shape;
mod spill;
#[cfg(test)]
mod tests;

pub use error::JsonlError;
pub use join::{Counts, Grouping, Join, Rows};
pub use lines::{Line, Lines, Place};
pub use row::RawRow;
pub use shape::{Connection, Shape};
