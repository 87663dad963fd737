//! The fields that a selection gives on one concrete type, collected and merged once per request.

use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;
use std::sync::Arc;

use serde_json::{Map, Value};
use tollgate_codegen::document::{Directive, Document, Field, Selection, SelectionSet};
use tollgate_codegen::schema::{Schema, TypeDefinition, TypeKind};

use super::kind::Kind;
use crate::overrides::Overrides;
use crate::seed::Seed;
use crate::variables::literal;
use crate::world::World;

/// Above so many possible types, an abstract value only takes turns between the types that the
/// document names, and one that it does not name.
const ALL_MEMBERS: usize = 8;

/// What is selected on one concrete type.
#[derive(Debug)]
pub(super) struct Level<'a> {
    pub(super) ty: Arc<TypeDefinition>,
    pub(super) chosen: Vec<Chosen<'a>>,
}

/// One key of the answer: all fields of the document that give it, merged.
#[derive(Debug)]
pub(super) struct Chosen<'a> {
    pub(super) field: &'a Field,
    pub(super) arguments: Map<String, Value>,
    pub(super) kind: Kind,
    pub(super) seed: Seed,
    /// The value that a test gave to this coordinate.
    pub(super) fixed: Option<Value>,
    /// The scope that is missing for this coordinate.
    pub(super) denied: Option<String>,
    below: Vec<&'a SelectionSet>,
    levels: RefCell<Vec<Rc<Level<'a>>>>,
}

impl<'a> Chosen<'a> {
    pub(super) fn key(&self) -> &'a str {
        self.field.response_key()
    }

    pub(super) fn argument(&self, name: &str) -> Option<&Value> {
        self.arguments.get(name).filter(|value| !value.is_null())
    }
}

/// The keys of a level in their order, found by their names: a document may have thousands.
#[derive(Debug, Default)]
struct Collected<'a> {
    chosen: Vec<Chosen<'a>>,
    indices: HashMap<&'a str, usize>,
}

/// Collects levels for one request.
#[derive(Debug)]
pub(super) struct Collector<'a> {
    pub(super) world: &'a World,
    pub(super) overrides: &'a Overrides,
    pub(super) document: &'a Document,
    pub(super) variables: &'a Map<String, Value>,
}

impl<'a> Collector<'a> {
    pub(super) fn root(&self, set: &'a SelectionSet) -> Option<Rc<Level<'a>>> {
        let ty = self.schema().get(&set.parent)?;
        Some(Rc::new(self.level(ty, &[set])))
    }

    /// What is selected below a field on objects of a type.
    pub(super) fn below(&self, chosen: &Chosen<'a>, ty: &Arc<TypeDefinition>) -> Rc<Level<'a>> {
        let known = chosen.levels.borrow();
        if let Some(level) = known.iter().find(|level| level.ty.name == ty.name) {
            return Rc::clone(level);
        }
        drop(known);
        let level = Rc::new(self.level(ty, &chosen.below));
        chosen.levels.borrow_mut().push(Rc::clone(&level));
        level
    }

    fn schema(&self) -> &'a Schema {
        &self.world.schema
    }

    fn level(&self, ty: &Arc<TypeDefinition>, sets: &[&'a SelectionSet]) -> Level<'a> {
        let mut collected = Collected::default();
        for set in sets {
            self.collect(ty, set, &mut collected);
        }
        let mut chosen = collected.chosen;
        for chosen in &mut chosen {
            self.complete(ty, chosen);
        }
        Level {
            ty: Arc::clone(ty),
            chosen,
        }
    }

    fn collect(&self, ty: &TypeDefinition, set: &'a SelectionSet, into: &mut Collected<'a>) {
        for item in &set.items {
            match item {
                Selection::Field(field) if self.selected(&field.directives) => {
                    match into.indices.entry(field.response_key()) {
                        Entry::Occupied(known) => {
                            into.chosen[*known.get()].below.extend(&field.selections);
                        }
                        Entry::Vacant(new) => {
                            new.insert(into.chosen.len());
                            into.chosen.push(self.choose(field));
                        }
                    }
                }
                Selection::Inline(inline) if self.selected(&inline.directives) => {
                    let on = inline.on.as_deref();
                    if on.is_none_or(|on| self.world.applies(on, ty)) {
                        self.collect(ty, &inline.selections, into);
                    }
                }
                Selection::Spread(spread) if self.selected(&spread.directives) => {
                    let fragment = self.document.fragments.get(&spread.fragment);
                    let fragment = fragment
                        .filter(|fragment| self.world.applies(&fragment.selections.parent, ty));
                    if let Some(fragment) = fragment {
                        self.collect(ty, &fragment.selections, into);
                    }
                }
                _ => {}
            }
        }
    }

    fn choose(&self, field: &'a Field) -> Chosen<'a> {
        let mut arguments = Map::new();
        for definition in &field.definition.arguments {
            let given = field.argument(&definition.name);
            let value = given.and_then(|value| literal(value, self.variables));
            let default = || literal(definition.default.as_ref()?, &Map::new());
            arguments.extend(
                value
                    .or_else(default)
                    .map(|value| (definition.name.clone(), value)),
            );
        }
        Chosen {
            field,
            arguments,
            kind: Kind::Typename,
            seed: self.world.seed,
            fixed: None,
            denied: None,
            below: field.selections.iter().collect(),
            levels: RefCell::default(),
        }
    }

    /// What needs all occurrences of a key: its kind depends on the types they name.
    fn complete(&self, ty: &TypeDefinition, chosen: &mut Chosen<'a>) {
        let definition = &chosen.field.definition;
        chosen.seed = self.world.seed.name(&ty.name).name(&definition.name);
        let coordinate = format!("{}.{}", ty.name, definition.name);
        chosen.fixed = self.overrides.values.get(&coordinate).cloned();
        chosen.denied = self.overrides.denied.get(&coordinate).cloned();
        let members = |abstract_type: &str| self.members(abstract_type, &chosen.below);
        chosen.kind = Kind::of(self.world, ty, definition, members);
    }

    /// The types that values of an abstract type take in turn.
    fn members(&self, abstract_type: &str, sets: &[&'a SelectionSet]) -> Vec<Arc<TypeDefinition>> {
        let mut names = self.schema().possible_types(abstract_type);
        if names.len() > ALL_MEMBERS {
            let mut named = Vec::new();
            for set in sets {
                self.named_types(set, &mut named);
            }
            let other = names.iter().find(|name| !named.contains(&name.as_str()));
            let other = other.cloned();
            names.retain(|name| named.contains(&name.as_str()));
            names.extend(other);
        }
        let types = names.iter().filter_map(|name| self.schema().get(name));
        types.map(Arc::clone).collect()
    }

    fn named_types(&self, set: &'a SelectionSet, into: &mut Vec<&'a str>) {
        let mut enter = |on: Option<&'a str>, below: &'a SelectionSet| {
            let object = on.and_then(|on| self.schema().get(on));
            if object.is_some_and(|ty| matches!(ty.kind, TypeKind::Object { .. })) {
                into.extend(on);
            }
            self.named_types(below, into);
        };
        for item in &set.items {
            match item {
                Selection::Field(_) => {}
                Selection::Inline(inline) => enter(inline.on.as_deref(), &inline.selections),
                Selection::Spread(spread) => {
                    if let Some(fragment) = self.document.fragments.get(&spread.fragment) {
                        enter(Some(&fragment.selections.parent), &fragment.selections);
                    }
                }
            }
        }
    }

    /// `@include` and `@skip`.
    fn selected(&self, directives: &[Directive]) -> bool {
        directives.iter().all(|directive| {
            let wanted = match directive.name.as_str() {
                "include" => true,
                "skip" => false,
                _ => return true,
            };
            let value = directive.argument("if");
            let value = value.and_then(|value| literal(value, self.variables));
            value.and_then(|value| value.as_bool()) == Some(wanted)
        })
    }
}
