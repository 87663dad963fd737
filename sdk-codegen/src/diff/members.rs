//! Changes of membership: interfaces, unions, enums.

use super::{Change, Impact, deprecation, gone};
use crate::schema::EnumValue;
use crate::usage::Coordinate;

pub(super) fn interfaces(
    name: &str,
    before: &[String],
    after: &[String],
    changes: &mut Vec<Change>,
) {
    for interface in before.iter().filter(|interface| !after.contains(interface)) {
        let message = format!("is no `{interface}` any more");
        let both = [name, interface].map(Coordinate::of_type);
        let change = Change::new(Coordinate::of_type(name), Impact::Breaking, message);
        changes.push(change.concerning(both));
    }
    for interface in after.iter().filter(|interface| !before.contains(interface)) {
        let message = format!("is a `{interface}` now");
        let change = Change::new(Coordinate::of_type(name), Impact::Notable, message);
        changes.push(change.concerning([Coordinate::of_type(interface)]));
    }
}

pub(super) fn of_union(name: &str, before: &[String], after: &[String], changes: &mut Vec<Change>) {
    for member in before.iter().filter(|member| !after.contains(member)) {
        let message = format!("cannot be a `{member}` any more");
        let both = [name, member].map(Coordinate::of_type);
        let change = Change::new(Coordinate::of_type(name), Impact::Breaking, message);
        changes.push(change.concerning(both));
    }
    for member in after.iter().filter(|member| !before.contains(member)) {
        let message = format!("can be a `{member}` now");
        changes.push(Change::new(
            Coordinate::of_type(name),
            Impact::Notable,
            message,
        ));
    }
}

pub(super) fn of_enum(
    name: &str,
    before: &[EnumValue],
    after: &[EnumValue],
    changes: &mut Vec<Change>,
) {
    for value in before {
        let coordinate = Coordinate::member(name, &value.name);
        match after.iter().find(|now| now.name == value.name) {
            None => changes.push(gone(coordinate, value.deprecated.as_ref())),
            Some(now) => {
                let (was, is) = (value.deprecated.as_ref(), now.deprecated.as_ref());
                changes.extend(deprecation(&coordinate, was, is));
            }
        }
    }
    let known = |name: &str| before.iter().any(|value| value.name == name);
    for value in after.iter().filter(|value| !known(&value.name)) {
        let change = Change::new(
            Coordinate::member(name, &value.name),
            Impact::Notable,
            "is a new value",
        );
        changes.push(change.concerning([Coordinate::of_type(name)]));
    }
}
