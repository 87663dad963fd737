//! Executable documents: operations and fragments, validated and typed.

mod client;
mod lint;
mod mark;
mod selection;
mod trust;
mod value;

pub use lint::lint;
pub(crate) use mark::Marks;
pub use selection::{Directive, Field, InlineFragment, Selection, SelectionSet, Spread};
pub use trust::trust;
pub use value::Value;

use std::collections::BTreeMap;
use std::ops::Deref;

use crate::diagnostic::Diagnostics;
use crate::schema::{Schema, TypeRef};
use crate::source::{Source, Span};
use crate::syntax;

/// Proof that a document is valid: [`validate`] has checked it against the schema, or a server has
/// answered it and [`trust`] takes its word.
#[derive(Clone, Debug)]
pub struct Valid<T>(T);

impl<T> Deref for Valid<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl Valid<Document> {
    /// The same with only one of its operations.
    ///
    /// # Errors
    /// All of it back, when there is no such operation.
    pub fn only(mut self, name: &str) -> Result<Self, Self> {
        if self
            .operations
            .iter()
            .all(|operation| operation.name != name)
        {
            return Err(self);
        }
        self.0.operations.retain(|operation| operation.name == name);
        Ok(self)
    }
}

/// A set of documents that share their fragments.
#[derive(Clone, Debug)]
pub struct Document {
    /// The texts.
    pub sources: Vec<Source>,
    /// The operations, in the order of the sources.
    pub operations: Vec<Operation>,
    /// The fragments by name.
    pub fragments: BTreeMap<String, Fragment>,
}

impl Document {
    /// The selections of all operations, then of all fragments.
    pub fn selection_sets(&self) -> impl Iterator<Item = &SelectionSet> {
        let operations = self
            .operations
            .iter()
            .map(|operation| &operation.selections);
        let fragments = self.fragments.values().map(|fragment| &fragment.selections);
        operations.chain(fragments)
    }

    /// Collects the fields of a selection, those of its fragments included, in the order of the
    /// document.
    pub fn fields<'d>(&'d self, set: &'d SelectionSet, found: &mut Vec<&'d Field>) {
        for item in &set.items {
            match item {
                Selection::Field(field) => found.push(field),
                Selection::Inline(inline) => self.fields(&inline.selections, found),
                Selection::Spread(spread) => {
                    if let Some(fragment) = self.fragments.get(&spread.fragment) {
                        self.fields(&fragment.selections, found);
                    }
                }
            }
        }
    }
}

/// Query or mutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationKind {
    /// Reads; may be repeated.
    Query,
    /// Writes; repeated only when it is proved that it did not run.
    Mutation,
}

/// An operation.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Its name; empty when it has none.
    pub name: String,
    /// Query or mutation.
    pub kind: OperationKind,
    /// Its description in the document.
    pub description: Option<String>,
    /// Its variables.
    pub variables: Vec<Variable>,
    /// Its directives, the client's included.
    pub directives: Vec<Directive>,
    /// What it selects on the root type.
    pub selections: SelectionSet,
    /// The place of its name, or of its first token.
    pub span: Span,
}

impl Operation {
    /// The variable of that name, without `$`.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|variable| variable.name == name)
    }
}

/// A variable of an operation.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name, without `$`.
    pub name: String,
    /// Its type.
    pub ty: TypeRef,
    /// Its default.
    pub default: Option<Value>,
    /// Its directives, the client's included.
    pub directives: Vec<Directive>,
    /// The place of its name.
    pub span: Span,
}

impl Variable {
    /// Whether it must be given.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.ty.is_non_null() && self.default.is_none()
    }
}

/// A named fragment.
#[derive(Clone, Debug)]
pub struct Fragment {
    /// Its name.
    pub name: String,
    /// Its description in the document.
    pub description: Option<String>,
    /// What it selects; the parent is the type condition.
    pub selections: SelectionSet,
    /// The place of its name.
    pub span: Span,
}

/// Validates documents against a schema by all rules of the specification.
///
/// # Errors
/// All problems of all documents at once, sorted by place.
pub fn validate(schema: &Schema, sources: Vec<Source>) -> Result<Valid<Document>, Diagnostics> {
    let lent = sources.len();
    syntax::parse_document(schema, sources, lent).map(Valid)
}

/// The same with further documents, whose fragments may go unused: those of a whole project, beside
/// the one document that is meant.
///
/// # Errors
/// As [`validate`].
pub fn validate_with(
    schema: &Schema,
    mut sources: Vec<Source>,
    fragments: Vec<Source>,
) -> Result<Valid<Document>, Diagnostics> {
    let lent = sources.len();
    sources.extend(fragments);
    syntax::parse_document(schema, sources, lent).map(Valid)
}
