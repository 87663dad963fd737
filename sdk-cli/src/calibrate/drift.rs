use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Value, json};
use tollgate::{FieldCost, PathSegment};
use tollgate_codegen::pricing::OwnPrice;
use tollgate_cost::MilliPoints;

/// A field whose own price is not ours.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Drift {
    path: Vec<String>,
    pub(super) place: Place,
    ours: MilliPoints,
    /// The shop's price.
    pub(super) theirs: MilliPoints,
}

/// What a price is written down under.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// `Type.field`.
    Field(String),
    /// A field of the mutation root.
    Mutation(String),
    /// Several types stand at the path, and the breakdown does not say which is meant.
    Unclear,
}

/// Where the breakdown of a shop differs from our prices.
pub(super) fn compare(mutation: bool, ours: &[OwnPrice], theirs: &[FieldCost]) -> Vec<Drift> {
    theirs
        .iter()
        .filter_map(|theirs| drift(mutation, ours, theirs))
        .collect()
}

fn drift(mutation: bool, ours: &[OwnPrice], theirs: &FieldCost) -> Option<Drift> {
    // Connections have none.
    let price: MilliPoints = theirs.defined?.to_string().parse().ok()?;
    let path = keys(&theirs.path);
    let here: Vec<_> = ours.iter().filter(|own| own.path == path).collect();
    let first = here.first()?;
    if is_structure(&first.name) || here.iter().any(|own| own.points == price) {
        return None;
    }
    let types: BTreeSet<_> = here.iter().map(|own| &own.on).collect();
    let place = match types.len() {
        1 if mutation && path.len() == 1 => Place::Mutation(first.name.clone()),
        1 => Place::Field(format!("{}.{}", first.on, first.name)),
        _ => Place::Unclear,
    };
    Some(Drift {
        path,
        place,
        ours: first.points,
        theirs: price,
    })
}

/// What is paid with the connection around it, however a server lists it.
fn is_structure(name: &str) -> bool {
    matches!(name, "edges" | "node" | "nodes" | "pageInfo")
}

fn keys(path: &[PathSegment]) -> Vec<String> {
    let key = |segment: &PathSegment| match segment {
        PathSegment::Key(key) => Some(key.clone()),
        _ => None,
    };
    path.iter().filter_map(key).collect()
}

impl Drift {
    /// Prices are decimal text, as sums of tenths are.
    pub(super) fn json(&self) -> Value {
        json!({
            "path": self.path,
            "coordinate": match &self.place {
                Place::Field(coordinate) => Some(coordinate),
                Place::Mutation(_) | Place::Unclear => None,
            },
            "price": self.ours.to_string(),
            "requested": self.theirs.to_string(),
        })
    }
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.join(".");
        write!(f, "{path}: {} instead of {}", self.theirs, self.ours)?;
        match &self.place {
            Place::Field(coordinate) => write!(f, " ({coordinate})"),
            Place::Mutation(_) => Ok(()),
            Place::Unclear => write!(f, " (on one of several types)"),
        }
    }
}
