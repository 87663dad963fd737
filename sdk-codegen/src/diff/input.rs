//! Changes of what is sent: arguments and input fields.

use tollgate_cost::MilliPoints;

use super::direction::Shift;
use super::{Change, Impact, deprecation, gone};
use crate::pricing::input::described_price;
use crate::schema::{FieldDefinition, InputDefinition};
use crate::usage::Coordinate;

pub(super) fn arguments(
    on: &str,
    before: &FieldDefinition,
    after: &FieldDefinition,
    changes: &mut Vec<Change>,
) {
    let field = Coordinate::member(on, &before.name);
    let place = |name: &str| Coordinate::argument(on, &before.name, name);
    inputs(&field, place, &before.arguments, &after.arguments, changes);
}

pub(super) fn fields(
    on: &str,
    before: &[InputDefinition],
    after: &[InputDefinition],
    changes: &mut Vec<Change>,
) {
    let place = |name: &str| Coordinate::member(on, name);
    inputs(&Coordinate::of_type(on), place, before, after, changes);
}

pub(super) fn one_of(name: &str, is: bool) -> Change {
    let coordinate = Coordinate::of_type(name);
    if is {
        let message = "takes exactly one of its fields now (`@oneOf`)";
        Change::new(coordinate, Impact::Breaking, message)
    } else {
        let message = "takes any of its fields now, not exactly one (`@oneOf` is gone)";
        Change::new(coordinate, Impact::Notable, message)
    }
}

/// `owner` is the field or the input object that the inputs belong to.
fn inputs(
    owner: &Coordinate,
    place: impl Fn(&str) -> Coordinate,
    before: &[InputDefinition],
    after: &[InputDefinition],
    changes: &mut Vec<Change>,
) {
    for input in before {
        let coordinate = place(&input.name);
        match after.iter().find(|now| now.name == input.name) {
            None => changes.push(gone(coordinate, input.deprecated.as_ref())),
            Some(now) => one(owner, &coordinate, input, now, changes),
        }
    }
    let known = |name: &str| before.iter().any(|input| input.name == name);
    for input in after.iter().filter(|input| !known(&input.name)) {
        if input.is_required() {
            let message = format!("is new and required, a `{}`", input.ty);
            let change = Change::new(place(&input.name), Impact::Breaking, message);
            changes.push(change.concerning([owner.clone()]));
        }
    }
}

fn one(
    owner: &Coordinate,
    coordinate: &Coordinate,
    before: &InputDefinition,
    after: &InputDefinition,
    changes: &mut Vec<Change>,
) {
    let types = format!("was `{}`, is `{}`", before.ty, after.ty);
    let change = |impact, message: String| Change::new(coordinate.clone(), impact, message);
    if after.is_required() && !before.is_required() {
        let message = format!("{types}: it is required now");
        changes.push(change(Impact::Breaking, message).concerning([owner.clone()]));
    } else {
        match Shift::between(&before.ty, &after.ty) {
            Shift::Same => {}
            Shift::Wider => changes.push(change(Impact::Notable, types + ": null is taken now")),
            Shift::Narrower => {
                changes.push(change(Impact::Breaking, types + ": null is refused now"));
            }
            Shift::Other => changes.push(change(Impact::Breaking, types)),
        }
    }
    if before.default != after.default {
        let written = |input: &InputDefinition| match &input.default {
            Some(value) => format!("the default `{value}`"),
            None => "no default".to_owned(),
        };
        let message = format!("had {}, has {}", written(before), written(after));
        changes.push(change(Impact::Notable, message).concerning([owner.clone()]));
    }
    let (was, is) = (before.deprecated.as_ref(), after.deprecated.as_ref());
    changes.extend(deprecation(coordinate, was, is));
    changes.extend(described(coordinate, before, after));
}

/// A price in the description ("Complexity cost: 0.2 per variant.") that is another.
fn described(
    coordinate: &Coordinate,
    before: &InputDefinition,
    after: &InputDefinition,
) -> Option<Change> {
    let price = |input: &InputDefinition| {
        let (each, unit) = described_price(input.description.as_deref()?)?;
        Some((each, unit.to_owned()))
    };
    let (was, is) = (price(before), price(after));
    let each =
        |price: &Option<(MilliPoints, String)>| price.as_ref().map_or(MilliPoints::ZERO, |p| p.0);
    let impact = match each(&is).cmp(&each(&was)) {
        std::cmp::Ordering::Equal => return None,
        std::cmp::Ordering::Greater => Impact::Dearer,
        std::cmp::Ordering::Less => Impact::Notable,
    };
    let unit = is
        .as_ref()
        .or(was.as_ref())
        .map_or("item", |price| &price.1);
    let message = format!("cost {}, costs {} points per {unit}", each(&was), each(&is));
    Some(Change::new(coordinate.clone(), impact, message))
}
