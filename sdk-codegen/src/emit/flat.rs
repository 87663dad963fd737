//! Selections of one type, flattened: fields merged by response key, inline fragments dissolved.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::document::{Directive, Document, Field, Selection, SelectionSet, Spread, Value};
use crate::schema::PossibleTypes;

/// When a selection is there: `None` always, else the conditions it is under, as text.
pub(super) type Condition = Option<String>;

/// Selection sets that are merged into one, since their fields have one response key. The second
/// says under which condition the set is there while another one may be there alone.
pub(super) type Sets<'a> = Vec<(&'a SelectionSet, Condition)>;

/// One thing that a flattened selection holds.
#[derive(Debug)]
pub(super) enum Entry<'a> {
    /// A field, with all its selections.
    Field(Vec<(&'a Field, Condition)>),
    /// A fragment with a type of its own.
    Spread(&'a Spread, Condition),
}

/// Entries in the order of the document, found by their names: there may be thousands.
#[derive(Default)]
struct Flat<'a> {
    entries: Vec<Entry<'a>>,
    fields: HashMap<&'a str, usize>,
    spreads: HashMap<&'a str, usize>,
}

impl<'a> Flat<'a> {
    fn field(&mut self, field: &'a Field, condition: Condition) {
        let known = self.fields.entry(field.response_key());
        let index = *known.or_insert(self.entries.len());
        match self.entries.get_mut(index) {
            Some(Entry::Field(fields)) => fields.push((field, condition)),
            _ => self.entries.push(Entry::Field(vec![(field, condition)])),
        }
    }

    fn spread(&mut self, spread: &'a Spread, condition: Condition) {
        let known = self.spreads.entry(&spread.fragment);
        let index = *known.or_insert(self.entries.len());
        match self.entries.get_mut(index) {
            Some(Entry::Spread(_, known)) if condition.is_none() => *known = None,
            Some(_) => {}
            None => self.entries.push(Entry::Spread(spread, condition)),
        }
    }
}

/// A group of possible types that answer alike.
#[derive(Debug)]
pub(super) struct Class {
    /// The type conditions that hold for them.
    pub(super) conditions: Vec<String>,
    /// The types, sorted.
    pub(super) types: BTreeSet<String>,
}

/// Reads selections against the possible types of where they stand.
pub(super) struct Flattener<'a, 'p> {
    pub(super) document: &'a Document,
    pub(super) possible: &'p PossibleTypes<'a>,
}

impl<'a> Flattener<'a, '_> {
    /// The type that a spread or inline fragment asks for.
    fn asked(&self, item: &'a Selection) -> Option<&'a str> {
        match item {
            Selection::Field(_) => None,
            Selection::Inline(inline) => inline.on.as_deref(),
            Selection::Spread(spread) => {
                let fragment = self.document.fragments.get(&spread.fragment)?;
                Some(&fragment.selections.parent)
            }
        }
    }

    /// The possible types in groups that answer alike: those for which the same type conditions
    /// hold. One group without conditions when no condition tells any apart.
    pub(super) fn classes(&self, sets: &Sets<'a>, types: &BTreeSet<String>) -> Vec<Class> {
        let mut partial = Vec::new();
        for (set, _) in sets {
            self.conditions(set, types, &mut partial);
        }
        let mut classes: BTreeMap<Vec<usize>, BTreeSet<String>> = BTreeMap::new();
        for name in types {
            let held =
                (0..partial.len()).filter(|index| self.possible.of(partial[*index]).contains(name));
            classes
                .entry(held.collect())
                .or_default()
                .insert(name.clone());
        }
        let named = |(held, types): (Vec<usize>, _)| Class {
            conditions: held
                .into_iter()
                .map(|index| partial[index].to_owned())
                .collect(),
            types,
        };
        classes.into_iter().map(named).collect()
    }

    fn conditions(
        &self,
        set: &'a SelectionSet,
        types: &BTreeSet<String>,
        partial: &mut Vec<&'a str>,
    ) {
        for item in &set.items {
            if let Some(on) = self.asked(item)
                && !partial.contains(&on)
                && !types.is_subset(&self.possible.of(on))
            {
                partial.push(on);
            }
            if let Selection::Inline(inline) = item {
                self.conditions(&inline.selections, types, partial);
            }
        }
    }

    /// What the sets select on these types, in the order of the document.
    pub(super) fn flatten(&self, sets: &Sets<'a>, types: &BTreeSet<String>) -> Vec<Entry<'a>> {
        let mut flat = Flat::default();
        for (set, condition) in sets {
            self.flatten_set(set, condition, types, &mut flat);
        }
        flat.entries
    }

    fn flatten_set(
        &self,
        set: &'a SelectionSet,
        outer: &Condition,
        types: &BTreeSet<String>,
        flat: &mut Flat<'a>,
    ) {
        for item in &set.items {
            if let Some(on) = self.asked(item)
                && !types.is_subset(&self.possible.of(on))
            {
                continue;
            }
            match item {
                Selection::Field(field) => {
                    let condition = under(outer, &field.directives);
                    flat.field(field, condition);
                }
                Selection::Inline(inline) => {
                    let condition = under(outer, &inline.directives);
                    self.flatten_set(&inline.selections, &condition, types, flat);
                }
                Selection::Spread(spread) => {
                    let condition = under(outer, &spread.directives);
                    flat.spread(spread, condition);
                }
            }
        }
    }

    /// Whether a fragment that is always there selects the key, so that it is always there too.
    pub(super) fn ensured(&self, entries: &[Entry<'a>], key: &str) -> bool {
        entries.iter().any(|entry| match entry {
            Entry::Spread(spread, None) => self
                .document
                .fragments
                .get(&spread.fragment)
                .is_some_and(|fragment| self.always(&fragment.selections, key)),
            _ => false,
        })
    }

    fn always(&self, set: &'a SelectionSet, key: &str) -> bool {
        let unconditional = |directives: &[Directive]| under(&None, directives).is_none();
        set.items.iter().any(|item| match item {
            Selection::Field(field) => {
                field.response_key() == key && unconditional(&field.directives)
            }
            Selection::Inline(inline) => {
                inline.on.is_none()
                    && unconditional(&inline.directives)
                    && self.always(&inline.selections, key)
            }
            Selection::Spread(spread) => {
                let fragment = self.document.fragments.get(&spread.fragment);
                unconditional(&spread.directives)
                    && fragment.is_some_and(|fragment| {
                        fragment.selections.parent == set.parent
                            && self.always(&fragment.selections, key)
                    })
            }
        })
    }
}

/// The selections below a field that was selected several times. `ensured` says that the field is
/// there even when none of its own conditions holds.
pub(super) fn below<'a>(fields: &[(&'a Field, Condition)], ensured: bool) -> Sets<'a> {
    let first = &fields[0].1;
    let alike = !ensured && fields.iter().all(|(_, condition)| condition == first);
    let sets = fields.iter().filter_map(|(field, condition)| {
        let condition = if alike { None } else { condition.clone() };
        Some((field.selections.as_ref()?, condition))
    });
    sets.collect()
}

/// `outer` and the conditions of `@include` and `@skip` among the directives.
fn under(outer: &Condition, directives: &[Directive]) -> Condition {
    let mut condition = outer.clone();
    for directive in directives {
        let always = match directive.name.as_str() {
            "include" => true,
            "skip" => false,
            _ => continue,
        };
        match directive.argument("if") {
            Some(Value::Boolean(value)) if *value == always => {}
            value => {
                let value = value.map(ToString::to_string).unwrap_or_default();
                let text = condition.get_or_insert_default();
                text.push_str(&format!("@{}({value})", directive.name));
            }
        }
    }
    condition
}
