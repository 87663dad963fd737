//! Changes of what is answered: fields of objects and interfaces, and their arguments.

use std::sync::Arc;

use super::direction::Shift;
use super::{Change, Impact, deprecation, gone, input};
use crate::schema::FieldDefinition;
use crate::usage::Coordinate;

pub(super) fn fields(
    on: &str,
    before: &[Arc<FieldDefinition>],
    after: &[Arc<FieldDefinition>],
    changes: &mut Vec<Change>,
) {
    for field in before {
        let coordinate = Coordinate::member(on, &field.name);
        match after.iter().find(|now| now.name == field.name) {
            None => changes.push(gone(coordinate, field.deprecated.as_ref())),
            Some(now) => {
                changes.extend(type_change(&coordinate, field, now));
                let (was, is) = (field.deprecated.as_ref(), now.deprecated.as_ref());
                changes.extend(deprecation(&coordinate, was, is));
                input::arguments(on, field, now, changes);
            }
        }
    }
}

fn type_change(
    coordinate: &Coordinate,
    before: &FieldDefinition,
    after: &FieldDefinition,
) -> Option<Change> {
    let (impact, meaning) = match Shift::between(&before.ty, &after.ty) {
        Shift::Same => return None,
        Shift::Narrower => (Impact::Notable, ": it is never null now"),
        Shift::Wider => (Impact::Breaking, ": it can be null now"),
        Shift::Other => (Impact::Breaking, ""),
    };
    let message = format!("was `{}`, is `{}`{meaning}", before.ty, after.ty);
    Some(Change::new(coordinate.clone(), impact, message))
}
