//! The introspection of 2025, for a validator whose own types of introspection are older.

use bluejay_core::AsIter;
use bluejay_parser::HasSpan;
use bluejay_parser::ast::executable::{
    ExecutableDocument, InlineFragment, Selection, SelectionSet,
};

use super::sdl::Sdl;

/// Fields that the validator does not know. All are leaves without arguments, as `name` is.
const YOUNGER: [(&str, &str); 3] = [
    ("__Type", "isOneOf"),
    ("__InputValue", "isDeprecated"),
    ("__InputValue", "deprecationReason"),
];

/// A document that is valid where `document` is, with `name` for each younger field at the same
/// place; `None` if there is none.
pub(super) fn older(text: &str, document: &ExecutableDocument<'_>, sdl: &Sdl) -> Option<String> {
    if !text.contains("__") {
        return None;
    }
    let mut walk = Walk {
        sdl,
        older: text.to_owned(),
        found: false,
    };
    for operation in document.operation_definitions() {
        use bluejay_core::executable::OperationDefinition as _;
        // Only a query has something of introspection besides `__typename`.
        walk.selections(&sdl.query, operation.as_ref().selection_set());
    }
    for fragment in document.fragment_definitions() {
        let on = bluejay_core::executable::FragmentDefinition::type_condition(fragment);
        walk.selections(on, fragment.selection_set());
    }
    walk.found.then_some(walk.older)
}

struct Walk<'a> {
    sdl: &'a Sdl,
    older: String,
    found: bool,
}

impl Walk<'_> {
    fn selections(&mut self, parent: &str, set: &SelectionSet<'_>) {
        for selection in set.iter() {
            match selection {
                Selection::Field(field) => self.field(parent, field),
                Selection::FragmentSpread(_) => {}
                Selection::InlineFragment(inline) => {
                    let on = bluejay_core::executable::InlineFragment::type_condition(inline);
                    self.selections(on.unwrap_or(parent), InlineFragment::selection_set(inline));
                }
            }
        }
    }

    fn field(&mut self, parent: &str, field: &bluejay_parser::ast::executable::Field<'_>) {
        let name = field.name();
        if YOUNGER.contains(&(parent, name.as_str())) {
            let range = name.span().byte_range();
            let padded = format!("{:<1$}", "name", range.len());
            self.older.replace_range(range, &padded);
            self.found = true;
        }
        let Some(below) = field.selection_set() else {
            return;
        };
        match name.as_str() {
            "__schema" => self.selections("__Schema", below),
            "__type" => self.selections("__Type", below),
            name if parent.starts_with("__") => {
                if let Some(definition) = self.sdl.field(parent, name) {
                    self.selections(definition.ty.base(), below);
                }
            }
            _ => {}
        }
    }
}
