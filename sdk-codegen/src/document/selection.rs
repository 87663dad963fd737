use std::sync::Arc;

use super::Value;
use crate::schema::FieldDefinition;
use crate::source::Span;

/// What is selected on a composite type.
#[derive(Clone, Debug)]
pub struct SelectionSet {
    /// The type it selects on.
    pub parent: String,
    /// The selections, in the order of the document.
    pub items: Vec<Selection>,
}

/// One selection.
#[derive(Clone, Debug)]
pub enum Selection {
    /// A field.
    Field(Field),
    /// The spread of a named fragment.
    Spread(Spread),
    /// An inline fragment.
    Inline(InlineFragment),
}

/// A selected field.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its alias.
    pub alias: Option<String>,
    /// Its name.
    pub name: String,
    /// Its definition in the schema.
    pub definition: Arc<FieldDefinition>,
    /// Its arguments.
    pub arguments: Vec<(String, Value)>,
    /// Its directives.
    pub directives: Vec<Directive>,
    /// What is selected below it; `None` for a leaf.
    pub selections: Option<SelectionSet>,
    /// The place of its alias or name.
    pub span: Span,
}

impl Field {
    /// The key in the answer: the alias, else the name.
    #[must_use]
    pub fn response_key(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.name)
    }

    /// The argument of that name.
    #[must_use]
    pub fn argument(&self, name: &str) -> Option<&Value> {
        named(&self.arguments, name)
    }
}

/// The spread of a named fragment.
#[derive(Clone, Debug)]
pub struct Spread {
    /// The fragment.
    pub fragment: String,
    /// Its directives.
    pub directives: Vec<Directive>,
    /// The place of the name.
    pub span: Span,
}

/// An inline fragment.
#[derive(Clone, Debug)]
pub struct InlineFragment {
    /// Its type condition.
    pub on: Option<String>,
    /// Its directives.
    pub directives: Vec<Directive>,
    /// What it selects; the parent is the type condition, or the enclosing type.
    pub selections: SelectionSet,
    /// Its place.
    pub span: Span,
}

/// A directive where it is used.
#[derive(Clone, Debug)]
pub struct Directive {
    /// Its name, without `@`.
    pub name: String,
    /// Its arguments.
    pub arguments: Vec<(String, Value)>,
    /// Its place.
    pub span: Span,
}

impl Directive {
    /// The argument of that name.
    #[must_use]
    pub fn argument(&self, name: &str) -> Option<&Value> {
        named(&self.arguments, name)
    }
}

fn named<'a>(arguments: &'a [(String, Value)], name: &str) -> Option<&'a Value> {
    let mut arguments = arguments.iter();
    arguments
        .find(|(key, _)| key == name)
        .map(|(_, value)| value)
}
