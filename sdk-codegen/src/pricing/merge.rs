//! What a selection means on one concrete type: fragments that apply are entered, and fields with
//! the same response key are one.

use std::collections::{BTreeMap, BTreeSet};

use super::guard::Guard;
use crate::document::{Directive, Document, Field, Selection, SelectionSet};
use crate::schema::PossibleTypes;

/// A selection set, and when it is entered.
pub(super) type Level<'d> = Vec<(Guard, &'d SelectionSet)>;

/// All selections of one response key.
pub(super) struct Merged<'d> {
    /// When each is selected; [`Guard::Never`] is left out.
    occurrences: Vec<(Guard, &'d Field)>,
}

impl<'d> Merged<'d> {
    /// The first of them. Validation ensures that name and arguments of all are the same.
    pub(super) fn field(&self) -> &'d Field {
        self.occurrences[0].1
    }

    /// When the field is charged.
    pub(super) fn guard(&self) -> Guard {
        Guard::any(self.occurrences.iter().map(|(guard, _)| guard.clone()))
    }

    /// What is selected below, each relative to [`Self::guard`].
    pub(super) fn below(&self) -> Level<'d> {
        let alike = self
            .occurrences
            .windows(2)
            .all(|pair| pair[0].0 == pair[1].0);
        let below = |(guard, field): &(Guard, &'d Field)| {
            let guard = if alike { Guard::Always } else { guard.clone() };
            field.selections.as_ref().map(|set| (guard, set))
        };
        self.occurrences.iter().filter_map(below).collect()
    }
}

/// The fields of a level on the concrete type `on`, in the order of the document. `guard` reads
/// `@include` and `@skip`.
pub(super) fn merge<'d>(
    types: &PossibleTypes<'_>,
    document: &'d Document,
    level: &Level<'d>,
    on: &str,
    guard: &mut dyn FnMut(&[Directive]) -> Guard,
) -> Vec<Merged<'d>> {
    let mut merging = Merging {
        types,
        document,
        on,
        guard,
        keys: BTreeMap::new(),
        fields: Vec::new(),
    };
    for (outer, set) in level {
        merging.enter(outer, set);
    }
    merging.fields
}

struct Merging<'a, 'd> {
    types: &'a PossibleTypes<'a>,
    document: &'d Document,
    on: &'a str,
    guard: &'a mut dyn FnMut(&[Directive]) -> Guard,
    keys: BTreeMap<&'d str, usize>,
    fields: Vec<Merged<'d>>,
}

impl<'d> Merging<'_, 'd> {
    fn enter(&mut self, outer: &Guard, set: &'d SelectionSet) {
        for selection in &set.items {
            let (directives, below) = match selection {
                Selection::Field(field) => (&field.directives, None),
                Selection::Inline(inline) => (&inline.directives, Some(&inline.selections)),
                Selection::Spread(spread) => {
                    let Some(fragment) = self.document.fragments.get(&spread.fragment) else {
                        continue;
                    };
                    (&spread.directives, Some(&fragment.selections))
                }
            };
            let guard = outer.clone().and((self.guard)(directives));
            match (selection, below) {
                (_, _) if guard == Guard::Never => {}
                (Selection::Field(field), _) => self.add(guard, field),
                (_, Some(set)) if self.types.applies(&set.parent, self.on) => {
                    self.enter(&guard, set);
                }
                _ => {}
            }
        }
    }

    fn add(&mut self, guard: Guard, field: &'d Field) {
        let next = self.fields.len();
        let index = *self.keys.entry(field.response_key()).or_insert(next);
        match self.fields.get_mut(index) {
            Some(merged) => merged.occurrences.push((guard, field)),
            None => self.fields.push(Merged {
                occurrences: vec![(guard, field)],
            }),
        }
    }
}

/// The concrete types of an abstract one, grouped by which of the level's fragments apply to them:
/// all types of a group answer with the same fields. `apart` names types that need a group of
/// their own.
pub(super) fn groups(
    types: &PossibleTypes<'_>,
    document: &Document,
    level: &Level<'_>,
    on: &str,
    apart: impl Fn(&str) -> bool,
) -> Vec<Vec<String>> {
    let mut conditions = BTreeSet::new();
    for (_, set) in level {
        mentioned(document, set, &mut conditions);
    }
    let possible = types.of(on);
    // A type that this version of the schema does not know can still be asked for.
    let unknown = conditions
        .iter()
        .filter(|name| types.schema.get(name).is_none());
    let candidates: BTreeSet<&str> = possible
        .iter()
        .map(String::as_str)
        .chain(unknown.copied())
        .collect();
    let mut groups: BTreeMap<(Vec<bool>, Option<&str>), Vec<String>> = BTreeMap::new();
    for name in candidates {
        let applying = conditions
            .iter()
            .map(|condition| types.applies(condition, name));
        let key = (applying.collect(), apart(name).then_some(name));
        groups.entry(key).or_default().push(name.to_owned());
    }
    if groups.is_empty() {
        return vec![vec![on.to_owned()]];
    }
    groups.into_values().collect()
}

fn mentioned<'d>(document: &'d Document, set: &'d SelectionSet, found: &mut BTreeSet<&'d str>) {
    found.insert(&set.parent);
    for selection in &set.items {
        let below = match selection {
            Selection::Field(_) => None,
            Selection::Inline(inline) => Some(&inline.selections),
            Selection::Spread(spread) => document
                .fragments
                .get(&spread.fragment)
                .map(|fragment| &fragment.selections),
        };
        if let Some(below) = below {
            mentioned(document, below, found);
        }
    }
}
