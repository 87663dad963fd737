//! What operations cost: one walk over the validated selection gives a tree that explains the
//! price and a [`tollgate_cost::Plan`] that evaluates it, at build time and for every call.

mod actual;
mod advice;
mod breakdown;
mod check;
mod fold;
mod guard;
pub(crate) mod input;
mod merge;
mod overrides;
mod place;
mod price;
mod rules;
mod shape;
mod tokens;
mod tree;
mod walk;

pub use actual::actual;
pub use breakdown::{Basis, Line, Row, RowKind, grouped, outline};
pub use check::check;
pub use overrides::Overrides;
pub use rules::{HandPrice, Rules};
pub use shape::Shape;
pub use tokens::tokens;
pub use tree::{Charge, Entry, OwnPrice, Possible, Priced};

use std::rc::Rc;

use crate::document::{Document, Operation, Valid};
use crate::schema::{PossibleTypes, Schema};

/// What the bounds of page sizes are taken from where the document declares none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds {
    /// The page size that variables without `@max` and without a default are taken as; 250, the
    /// server's limit, where it is left out.
    pub page_size: Option<u64>,
}

/// Prices an operation of the document.
///
/// A size variable counts in the bound as its `@max`, else its default, else
/// [`Bounds::page_size`], else 250.
#[must_use]
pub fn price(
    schema: &Schema,
    document: &Valid<Document>,
    operation: &Operation,
    rules: &Rules,
    bounds: Bounds,
) -> Priced {
    let types = Rc::new(PossibleTypes::new(schema));
    walk::Walk::new(types, document, operation, rules, bounds).priced()
}

/// What each field of an operation costs by itself, those that are free included: what a server's
/// own breakdown is compared with.
#[must_use]
pub fn own_prices(
    schema: &Schema,
    document: &Valid<Document>,
    operation: &Operation,
    rules: &Rules,
) -> Vec<OwnPrice> {
    let types = Rc::new(PossibleTypes::new(schema));
    let bounds = Bounds::default();
    walk::Walk::new(types, document, operation, rules, bounds).own_prices()
}
