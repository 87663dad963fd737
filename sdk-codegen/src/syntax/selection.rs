use std::sync::Arc;

use bluejay_core::AsIter;
use bluejay_parser::HasSpan;
use bluejay_parser::ast::executable::{Field, InlineFragment, Selection, SelectionSet};
use bluejay_parser::ast::{Argument, Directives};

use super::document::Joined;
use super::value;
use crate::document;
use crate::schema::{FieldDefinition, Schema, TypeRef};

/// What to do with a field that the schema does not know.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Unknown {
    /// Validation has refused it.
    Refuse,
    /// Type it by its shape.
    Guess,
}

/// Turns parsed selections into ours.
pub(super) struct Reader<'a> {
    pub(super) schema: &'a Schema,
    pub(super) joined: &'a Joined,
    pub(super) unknown: Unknown,
}

impl Reader<'_> {
    pub(super) fn selections(
        &self,
        parent: &str,
        set: &SelectionSet<'_>,
    ) -> Vec<document::Selection> {
        set.iter()
            .filter_map(|selection| self.selection(parent, selection))
            .collect()
    }

    fn selection(&self, parent: &str, selection: &Selection<'_>) -> Option<document::Selection> {
        Some(match selection {
            Selection::Field(field) => document::Selection::Field(self.field(parent, field)?),
            Selection::FragmentSpread(spread) => {
                use bluejay_core::executable::FragmentSpread as _;
                document::Selection::Spread(document::Spread {
                    fragment: spread.name().as_str().to_owned(),
                    directives: self.directives(spread.directives()),
                    span: self.joined.span(spread.name().span().byte_range()),
                })
            }
            Selection::InlineFragment(inline) => {
                document::Selection::Inline(self.inline(parent, inline))
            }
        })
    }

    fn field(&self, parent: &str, field: &Field<'_>) -> Option<document::Field> {
        use bluejay_core::executable::Field as _;
        let known = self.schema.field(parent, Field::name(field).as_str());
        let definition =
            known.or_else(|| (self.unknown == Unknown::Guess).then(|| Arc::new(guessed(field))))?;
        let below = definition.ty.base();
        let selections = Field::selection_set(field).map(|set| document::SelectionSet {
            parent: below.to_owned(),
            items: self.selections(below, set),
        });
        let start = field.span().byte_range().start;
        let length = field.response_key().len();
        Some(document::Field {
            alias: field.alias().map(str::to_owned),
            name: Field::name(field).as_str().to_owned(),
            arguments: arguments(Field::arguments(field)),
            directives: self.directives(field.directives()),
            selections,
            span: self.joined.span(start..start + length),
            definition,
        })
    }

    fn inline(&self, parent: &str, inline: &InlineFragment<'_>) -> document::InlineFragment {
        use bluejay_core::executable::InlineFragment as _;
        let on = bluejay_core::executable::InlineFragment::type_condition(inline);
        let below = on.unwrap_or(parent);
        document::InlineFragment {
            on: on.map(str::to_owned),
            directives: self.directives(inline.directives()),
            selections: document::SelectionSet {
                parent: below.to_owned(),
                items: self.selections(below, InlineFragment::selection_set(inline)),
            },
            span: self.joined.span(inline.span().byte_range()),
        }
    }

    pub(super) fn directives<const CONST: bool>(
        &self,
        directives: Option<&Directives<'_, CONST>>,
    ) -> Vec<document::Directive> {
        let directives = directives.map(|list| list.iter()).into_iter().flatten();
        let convert = |directive: &bluejay_parser::ast::Directive<'_, CONST>| document::Directive {
            name: directive.name().as_str().to_owned(),
            arguments: arguments(bluejay_core::Directive::arguments(directive)),
            span: self.joined.span(directive.span().byte_range()),
        };
        directives.map(convert).collect()
    }
}

/// The definition of an unknown field, by its shape: a leaf, a connection or another object.
fn guessed(field: &Field<'_>) -> FieldDefinition {
    let name = Field::name(field).as_str();
    let of_connection = |selection: &Selection<'_>| {
        matches!(selection, Selection::Field(field)
            if matches!(Field::name(field).as_str(), "edges" | "nodes" | "pageInfo"))
    };
    let ty = match field.selection_set() {
        None => "String".to_owned(),
        Some(set) if set.iter().any(of_connection) => format!("Unknown_{name}Connection"),
        Some(_) => format!("Unknown_{name}"),
    };
    FieldDefinition {
        name: name.to_owned(),
        description: None,
        arguments: Vec::new(),
        ty: TypeRef::Named {
            name: ty,
            non_null: false,
        },
        deprecated: None,
    }
}

fn arguments<'a, const CONST: bool>(
    arguments: Option<&(impl AsIter<Item = Argument<'a, CONST>> + 'a)>,
) -> Vec<(String, document::Value)> {
    let arguments = arguments.map(|list| list.iter()).into_iter().flatten();
    arguments
        .map(|argument| {
            (
                argument.name().as_str().to_owned(),
                value::convert(argument.value()),
            )
        })
        .collect()
}
