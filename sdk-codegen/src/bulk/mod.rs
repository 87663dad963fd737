//! Bulk operations at build time: the service's rules, the document to submit, and how the flat
//! lines of its result nest.
//!
//! The document in the project stays an ordinary one, so that the same selection serves pages and
//! bulk: page sizes, cursors and `pageInfo` are left out of what is submitted, `nodes` becomes
//! `edges { node }`, parents get their `id`, and every node a marker that tells its line from those
//! of other connections.

mod connection;
mod form;
mod mutation;
mod template;
#[cfg(test)]
mod tests;
mod variable;
mod walk;

pub use connection::{BulkConnection, Form, is_connection};
pub use template::{Piece, Template, Value, Variable};

use crate::diagnostic::Diagnostic;
use crate::document::{Document, Operation, OperationKind, Valid};
use crate::schema::Schema;

/// The most connections the service takes in one bulk query.
pub const MAX_CONNECTIONS: usize = 5;
/// The deepest a connection may be nested in others.
pub const MAX_NESTING: usize = 2;
/// The longest document the service takes, in bytes.
pub const MAX_DOCUMENT: usize = 65_535;

/// A bulk query, ready for emission.
#[derive(Clone, Debug, PartialEq)]
pub struct BulkQuery {
    /// The document to submit, with places for the variables.
    pub template: Template,
    /// The connections, the root first.
    pub connections: Vec<BulkConnection>,
}

/// What `@bulk` makes of an operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Bulk {
    /// A query: rows of the root connection.
    Query(BulkQuery),
    /// A mutation: run once per line of input, as it is.
    Mutation,
}

/// Makes a bulk operation of an operation, whether or not it carries `@bulk`.
///
/// # Errors
/// Every rule of the service that the document breaks, each with its place.
pub fn bulk(
    schema: &Schema,
    document: &Valid<Document>,
    operation: &Operation,
) -> Result<Bulk, Vec<Diagnostic>> {
    match operation.kind {
        OperationKind::Query => walk::query(schema, document, operation).map(Bulk::Query),
        OperationKind::Mutation => {
            mutation::check(schema, document, operation).map(|()| Bulk::Mutation)
        }
    }
}
