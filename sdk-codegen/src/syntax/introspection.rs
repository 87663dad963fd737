//! The introspection of 2025, for a validator whose own types of introspection are older.

use bluejay_parser::HasSpan;
use bluejay_parser::ast::executable::{ExecutableDocument, Field};

use super::sdl::Sdl;
use super::walk::{Visit, walk};

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
    let mut younger = Younger {
        sdl,
        older: text.to_owned(),
        found: false,
    };
    for operation in document.operation_definitions() {
        use bluejay_core::executable::OperationDefinition as _;
        // Only a query has something of introspection besides `__typename`.
        walk(
            &mut younger,
            sdl.query(),
            operation.as_ref().selection_set(),
        );
    }
    for fragment in document.fragment_definitions() {
        let on = bluejay_core::executable::FragmentDefinition::type_condition(fragment);
        walk(&mut younger, on, fragment.selection_set());
    }
    younger.found.then_some(younger.older)
}

/// Finds the younger fields.
struct Younger<'a> {
    sdl: &'a Sdl,
    older: String,
    found: bool,
}

impl Visit for Younger<'_> {
    fn enter(&mut self, _: &str) -> bool {
        true
    }

    fn field(&mut self, parent: &str, field: &Field<'_>) -> Option<String> {
        let name = field.name();
        if YOUNGER.contains(&(parent, name.as_str())) {
            let range = name.span().byte_range();
            let padded = format!("{:<1$}", "name", range.len());
            self.older.replace_range(range, &padded);
            self.found = true;
        }
        match name.as_str() {
            "__schema" => Some("__Schema".to_owned()),
            "__type" => Some("__Type".to_owned()),
            name if parent.starts_with("__") => {
                let definition = self.sdl.field(parent, name)?;
                Some(definition.ty.base().to_owned())
            }
            _ => None,
        }
    }
}
