//! Whole data sets through bulk operations: the service runs a query over everything, or a mutation
//! over a file of inputs, and gives the result as a file of lines.
//!
//! [`Client::bulk`](crate::Client::bulk) starts a query, follows it, reads its file and gives typed
//! rows; [`Client::bulk_mutation`](crate::Client::bulk_mutation) uploads inputs and matches results
//! to them. A result that is not whole is a typed error, never a shorter stream.

mod download;
mod error;
mod failure;
mod input;
mod job;
mod join;
mod lines;
mod parents;
mod record;
mod results;
mod row;
mod rows;
mod run;
mod scan;
mod scanned;
mod service;
mod shape;
mod slot;
mod spill;
mod state;
mod template;
#[cfg(test)]
mod tests;

pub use error::JsonlError;
pub use failure::BulkError;
pub use input::{BulkInput, MutationJob};
pub use job::{Bulk, Job};
pub use join::{Counts, Grouping, Join, Remaining};
pub use lines::{Line, Lines, Place};
pub use results::{LineResult, Outcome, Results};
pub use row::{RawRow, RawRows};
pub use rows::Rows;
pub use shape::{Connection, Shape};
pub use slot::WhenBusy;
pub use state::{ErrorCode, Snapshot, Status};
pub use template::{Form, Members, Piece, Template, Variable};

use crate::{DecodeError, Operation};

/// A query that the service can run in bulk; the generator implements it for operations with
/// `@bulk`, whose documents it has checked.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no bulk query",
    note = "a query with `@bulk` is one, when the service can run it in bulk"
)]
pub trait BulkQuery: Operation {
    /// A node of the root connection, its children in it.
    type Row;

    /// The document to submit.
    fn template() -> &'static Template;

    /// How the lines of the result nest.
    fn shape() -> &'static Shape;

    /// Decodes the JSON text of a row.
    ///
    /// # Errors
    /// [`DecodeError`], with the path, when the text is not of the generated shape.
    fn decode_row(json: &str) -> Result<Self::Row, DecodeError>;
}

/// A mutation that the service can run in bulk, once per line of input; the generator implements it
/// for mutations with `@bulk`, whose documents it has checked.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no bulk mutation",
    note = "a mutation with `@bulk` is one, when the service can run it in bulk"
)]
pub trait BulkMutation: Operation {}
