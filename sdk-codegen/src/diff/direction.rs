//! Whether a type may take the place of another.

use crate::schema::TypeRef;

/// What a change of type does to the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shift {
    /// The same type.
    Same,
    /// Fewer values: some nulls are gone.
    Narrower,
    /// More values: null is new somewhere.
    Wider,
    /// Other values.
    Other,
}

impl Shift {
    pub(super) fn between(before: &TypeRef, after: &TypeRef) -> Self {
        let inner = match (before, after) {
            (TypeRef::Named { name, .. }, TypeRef::Named { name: now, .. }) if name == now => {
                Self::Same
            }
            (TypeRef::List { item, .. }, TypeRef::List { item: now, .. }) => {
                Self::between(item, now)
            }
            _ => return Self::Other,
        };
        let outer = match (before.is_non_null(), after.is_non_null()) {
            (false, true) => Self::Narrower,
            (true, false) => Self::Wider,
            _ => Self::Same,
        };
        match (outer, inner) {
            (shift, Self::Same) | (Self::Same, shift) => shift,
            (outer, inner) if outer == inner => outer,
            _ => Self::Other,
        }
    }
}
