use bluejay_core::AsIter;
use bluejay_parser::ast::executable::{Field, InlineFragment, Selection, SelectionSet};

/// What looks at the selections of a document, each with the type that it is on. Fragments are
/// walked where they are defined, not where they are spread.
pub(super) trait Visit {
    /// Something is selected on a type. `false` when that is not to be looked at.
    fn enter(&mut self, parent: &str) -> bool;

    /// A field; the type that is selected on below it, if that is to be looked at.
    fn field(&mut self, parent: &str, field: &Field<'_>) -> Option<String>;
}

pub(super) fn walk(visit: &mut impl Visit, parent: &str, set: &SelectionSet<'_>) {
    if !visit.enter(parent) {
        return;
    }
    for selection in set.iter() {
        match selection {
            Selection::Field(field) => {
                let on = visit.field(parent, field);
                if let (Some(on), Some(below)) = (on, field.selection_set()) {
                    walk(visit, &on, below);
                }
            }
            Selection::FragmentSpread(_) => {}
            Selection::InlineFragment(inline) => {
                let on = bluejay_core::executable::InlineFragment::type_condition(inline);
                walk(
                    visit,
                    on.unwrap_or(parent),
                    InlineFragment::selection_set(inline),
                );
            }
        }
    }
}
