//! What changed between two versions of a schema, as a client sees it: what breaks, what got
//! dearer, what is deprecated, and what else is worth knowing.
//!
//! [`Usage`] restricts it to what operations reach, and [`prices`] says what the change does to
//! the price of each.

mod direction;
mod input;
mod members;
mod output;
mod price;

pub use price::{PriceChange, prices};

use crate::schema::{Schema, TypeDefinition, TypeKind};
use crate::usage::{Coordinate, Usage};

/// What a change means for a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Impact {
    /// Documents or variables that were valid are not, or an answer can hold what it could not.
    Breaking,
    /// The server charges more for it.
    Dearer,
    /// It is deprecated now, and was not.
    Deprecated,
    /// Nothing breaks, but behaviour or generated types change: another default, a new enum value
    /// or union member, a value that is never null any more, a lower price.
    Notable,
}

/// One change between two schemas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What changed.
    pub coordinate: Coordinate,
    /// What it means.
    pub impact: Impact,
    /// What happened to it, as the rest of a sentence that begins with the coordinate.
    pub message: String,
    /// What the schemas say to do instead, where they say it.
    pub advice: Option<String>,
    /// What an operation has to reach, all of it, for the change to concern it.
    concerns: Vec<Coordinate>,
}

impl Change {
    fn new(coordinate: Coordinate, impact: Impact, message: impl Into<String>) -> Self {
        Self {
            concerns: vec![coordinate.clone()],
            coordinate,
            impact,
            message: message.into(),
            advice: None,
        }
    }

    /// Concerns whoever reaches this, instead of the coordinate itself.
    fn concerning(mut self, coordinates: impl IntoIterator<Item = Coordinate>) -> Self {
        self.concerns = coordinates.into_iter().collect();
        self
    }

    fn advised(mut self, advice: Option<String>) -> Self {
        self.advice = advice;
        self
    }

    /// Whether an operation is concerned.
    #[must_use]
    pub fn concerns(&self, usage: &Usage) -> bool {
        let mut reached = self.concerns.iter();
        reached.all(|coordinate| usage.place(coordinate).is_some())
    }
}

/// All changes from one schema to another, the gravest first, then by coordinate. What is merely
/// new is left out.
#[must_use]
pub fn changes(old: &Schema, new: &Schema) -> Vec<Change> {
    let mut changes = Vec::new();
    let own = |name: &&str| !name.starts_with("__");
    for name in old.type_names().filter(own) {
        let Some(before) = old.get(name) else {
            continue;
        };
        match new.get(name) {
            None => changes.push(Change::new(
                Coordinate::of_type(name),
                Impact::Breaking,
                "is gone",
            )),
            Some(after) => definition(before, after, &mut changes),
        }
    }
    changes.sort_by(|a, b| (a.impact, &a.coordinate).cmp(&(b.impact, &b.coordinate)));
    changes
}

fn definition(before: &TypeDefinition, after: &TypeDefinition, changes: &mut Vec<Change>) {
    let name = before.name.as_str();
    match (&before.kind, &after.kind) {
        (
            TypeKind::Object { interfaces, .. } | TypeKind::Interface { interfaces, .. },
            TypeKind::Object {
                interfaces: now, ..
            }
            | TypeKind::Interface {
                interfaces: now, ..
            },
        ) if same_kind(before, after) => {
            members::interfaces(name, interfaces, now, changes);
            output::fields(name, before.fields(), after.fields(), changes);
        }
        (TypeKind::Union { members }, TypeKind::Union { members: now }) => {
            members::of_union(name, members, now, changes);
        }
        (TypeKind::Enum { values }, TypeKind::Enum { values: now }) => {
            members::of_enum(name, values, now, changes);
        }
        (TypeKind::Input { one_of, .. }, TypeKind::Input { one_of: now, .. }) => {
            if one_of != now {
                changes.push(input::one_of(name, *now));
            }
            input::fields(name, before.input_fields(), after.input_fields(), changes);
        }
        _ if same_kind(before, after) => {}
        _ => changes.push(Change::new(
            Coordinate::of_type(name),
            Impact::Breaking,
            format!("was {}, is {}", kind(before), kind(after)),
        )),
    }
}

fn same_kind(before: &TypeDefinition, after: &TypeDefinition) -> bool {
    kind(before) == kind(after)
}

fn kind(definition: &TypeDefinition) -> &'static str {
    match definition.kind {
        TypeKind::Scalar => "a scalar",
        TypeKind::Object { .. } => "an object",
        TypeKind::Interface { .. } => "an interface",
        TypeKind::Union { .. } => "a union",
        TypeKind::Enum { .. } => "an enum",
        TypeKind::Input { .. } => "an input object",
    }
}

/// What was said when it was deprecated is the best advice when it is gone.
fn gone(coordinate: Coordinate, deprecated: Option<&String>) -> Change {
    Change::new(coordinate, Impact::Breaking, "is gone").advised(deprecated.map(|r| one_line(r)))
}

/// A change to deprecated, if it is one.
fn deprecation(
    coordinate: &Coordinate,
    before: Option<&String>,
    after: Option<&String>,
) -> Option<Change> {
    match (before, after) {
        (None, Some(reason)) => {
            let change = Change::new(coordinate.clone(), Impact::Deprecated, "is deprecated");
            Some(change.advised(Some(one_line(reason))))
        }
        _ => None,
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
