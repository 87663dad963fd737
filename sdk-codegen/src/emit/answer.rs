//! Types of answers: a struct for a selection, an enum where `__typename` decides.

use std::collections::BTreeSet;

use super::Emitter;
use super::flat::{Class, Condition, Entry, Flattener, Sets};
use super::module::{Module, TypeName};
use super::name::{self, Scope};
use super::record::Named;
use crate::document::{Field, SelectionSet};

/// Where a type stands: what it is named after and what it describes.
pub(super) struct Place<'p> {
    /// The name to claim.
    pub(super) name: String,
    /// What the names of the types below begin with, unless it is the name.
    pub(super) prefix: Option<String>,
    /// The type of the schema.
    pub(super) ty: &'p str,
    /// Whether the selection may take the type of its only fragment.
    pub(super) may_alias: bool,
}

/// The selection sets of one field, by address.
pub(super) type Addresses = Vec<*const SelectionSet>;

/// A variant of an enum over `__typename`: its name, what it holds, its types, and whether it is for
/// one type alone.
type Case = (String, TypeName, BTreeSet<String>, bool);

impl<'a> Emitter<'a> {
    pub(super) fn flattener(&self) -> Flattener<'a, '_> {
        Flattener {
            document: self.document,
            possible: &self.possible,
        }
    }

    /// The type of a selection, which is written unless it is that of a fragment.
    pub(super) fn composite(
        &mut self,
        module: &mut Module,
        place: Place<'_>,
        sets: &Sets<'a>,
    ) -> TypeName {
        let addresses = sets
            .iter()
            .map(|(set, condition)| (std::ptr::from_ref(*set), condition.clone()));
        let key = (place.ty.to_owned(), addresses.collect::<Vec<_>>());
        if let Some(written) = module.written.get(&key) {
            return written.clone();
        }
        let ty = self.write_composite(module, place, sets);
        module.written.insert(key, ty.clone());
        ty
    }

    fn write_composite(
        &mut self,
        module: &mut Module,
        place: Place<'_>,
        sets: &Sets<'a>,
    ) -> TypeName {
        let types = self.possible.of(place.ty);
        let classes = self.flattener().classes(sets, &types);
        let told = classes.iter().any(|class| !class.conditions.is_empty());
        if told {
            self.told
                .sets
                .extend(sets.iter().map(|(set, _)| std::ptr::from_ref(*set)));
            return self.by_typename(module, place, sets, classes);
        }
        let entries = self.flattener().flatten(sets, &types);
        if let [Entry::Spread(spread, None)] = entries.as_slice()
            && place.may_alias
        {
            return self.fragment(&spread.fragment);
        }
        let name = module.claim(place.name);
        let prefix = place.prefix.unwrap_or_else(|| name.clone());
        let named = Named {
            name: &name,
            prefix: &prefix,
            ty: place.ty,
            common: None,
        };
        self.record(module, &named, &entries, &[])
    }

    /// An enum with a variant for each group of types that answer alike.
    fn by_typename(
        &mut self,
        module: &mut Module,
        place: Place<'_>,
        sets: &Sets<'a>,
        classes: Vec<Class>,
    ) -> TypeName {
        let start = module.out.len();
        let name = module.claim(place.name);
        let mut variants = Scope::with(["Other"]);
        let flat: Vec<_> = classes
            .iter()
            .map(|class| self.flattener().flatten(sets, &class.types))
            .collect();
        let common = common(&flat);
        let common = Some((name.as_str(), &common));
        let mut cases = Vec::new();
        for (class, mut entries) in classes.iter().zip(flat) {
            if class.conditions.is_empty() {
                continue;
            }
            let single = class.types.len() == 1;
            let called = match class.types.first() {
                Some(only) if single => name::type_name(only),
                _ => class
                    .conditions
                    .iter()
                    .map(|on| name::type_name(on))
                    .collect::<Vec<_>>()
                    .join("And"),
            };
            let variant = variants.claim(called);
            let inner = if let ([Entry::Spread(spread, None)], true) = (entries.as_slice(), single)
            {
                self.fragment(&spread.fragment)
            } else {
                entries.retain(|entry| !is_typename(entry));
                let inner = module.claim(format!("{name}{variant}"));
                let ty = class
                    .types
                    .first()
                    .map_or(place.ty, |ty| if single { ty } else { place.ty });
                let extra: &[_] = if single { &[] } else { &["__typename"] };
                let named = Named {
                    name: &inner,
                    prefix: &inner,
                    ty,
                    common,
                };
                self.record(module, &named, &entries, extra)
            };
            cases.push((variant, inner, class.types.clone(), single));
        }
        let rest = classes.iter().find(|class| class.conditions.is_empty());
        let none = BTreeSet::new();
        let rest = rest.map_or(&none, |class| &class.types);
        let mut shared = self.shared_entries(sets, place.ty, rest);
        shared.retain(|entry| !is_typename(entry));
        let other = if shared.is_empty() {
            TypeName::Runtime("t::OtherType")
        } else {
            let inner = module.claim(format!("{name}Other"));
            let named = Named {
                name: &inner,
                prefix: &inner,
                ty: place.ty,
                common,
            };
            self.record(module, &named, &shared, &["__typename"])
        };
        let (this, written) = module.own(&name);
        module.before(start, |module| {
            write_enum(module, &written, place.ty, &cases, &other);
        });
        this
    }

    /// What is selected whatever the type: what the types without conditions answer. When every
    /// known type has a condition, what all types answer that are still to come.
    fn shared_entries(&self, sets: &Sets<'a>, ty: &str, rest: &BTreeSet<String>) -> Vec<Entry<'a>> {
        if !rest.is_empty() {
            return self.flattener().flatten(sets, rest);
        }
        let all = self.possible.of(ty);
        let entries = self.flattener().flatten(sets, &all);
        // A type to come may leave out an interface that all present types have.
        let inherited = |entry: &Entry<'a>| match entry {
            Entry::Field(fields) => fields.iter().any(|(field, _)| {
                field.name == "__typename" || self.schema.field(ty, &field.name).is_some()
            }),
            Entry::Spread(spread, _) => {
                let fragment = self.document.fragments.get(&spread.fragment);
                fragment.is_some_and(|fragment| fragment.selections.parent == ty)
            }
        };
        entries.into_iter().filter(inherited).collect()
    }

    /// The type of a fragment, which is written among the shared types when it is first asked for.
    pub(super) fn fragment(&mut self, name: &str) -> TypeName {
        if let Some(known) = self.fragments.get(name) {
            return known.clone();
        }
        let Some(fragment) = self.document.fragments.get(name) else {
            unreachable!("validation has found the fragment `{name}`");
        };
        let start = self.shared.len();
        let mut module = self.shared_module();
        let place = Place {
            name: name::type_name(name),
            prefix: None,
            ty: &fragment.selections.parent,
            may_alias: true,
        };
        let sets = vec![(&fragment.selections, None)];
        let ty = self.composite(&mut module, place, &sets);
        self.shared.insert_str(start, &module.out);
        self.fragments.insert(name.to_owned(), ty.clone());
        ty
    }
}

pub(super) fn addresses(fields: &[(&Field, Condition)]) -> Addresses {
    let sets = fields
        .iter()
        .filter_map(|(field, _)| field.selections.as_ref());
    sets.map(std::ptr::from_ref).collect()
}

/// The fields that several groups of types select alike.
fn common(groups: &[Vec<Entry<'_>>]) -> BTreeSet<Addresses> {
    let (mut once, mut often) = (BTreeSet::new(), BTreeSet::new());
    for entry in groups.iter().flatten() {
        if let Entry::Field(fields) = entry {
            let addresses = addresses(fields);
            if !once.insert(addresses.clone()) {
                often.insert(addresses);
            }
        }
    }
    often
}

fn is_typename(entry: &Entry<'_>) -> bool {
    matches!(entry, Entry::Field(fields) if fields[0].0.response_key() == "__typename")
}

fn write_enum(module: &mut Module, name: &str, ty: &str, cases: &[Case], other: &TypeName) {
    module.doc(0, Some(&format!("`{ty}`, by `__typename`.")));
    module.line(0, &format!("#[derive({})]", module.derives));
    module.line(0, &format!("pub enum {name} {{"));
    for (variant, inner, _, _) in cases {
        let inner = module.path(inner);
        module.line(1, &format!("{variant}({inner}),"));
    }
    let inner = module.path(other);
    module.doc(1, Some("Any other type, also one that is new."));
    module.line(1, &format!("Other({inner}),"));
    module.line(0, "}");

    let selects = cases.iter().map(|(variant, _, types, _)| {
        let names: Vec<_> = types.iter().map(|name| format!("\"{name}\"")).collect();
        let names = names.join(" | ");
        format!("{names} => o.select().map(Self::{variant}),")
    });
    module.line(0, &format!("impl t::Select for {name} {{"));
    module.choice(
        "fn select(o: &mut t::Object<'_, '_>) -> Result<Self, t::Failed>",
        "&*o.typename()?",
        selects.chain(["_ => o.select().map(Self::Other),".to_owned()]),
    );
    module.line(0, "}");

    if module.deserialize {
        module.deserialize(name);
    }
    if module.serialize {
        module.line(0, &format!("impl t::Answer for {name} {{"));
        module.choice(
            "fn write(&self, o: &mut t::Map<String, t::Value>) -> Result<(), t::JsonError>",
            "self",
            arms(
                cases,
                |variant, only| {
                    format!("Self::{variant}(v) => t::variant_write(\"{only}\", v, o),")
                },
                |variant| format!("Self::{variant}(v) => t::Answer::write(v, o),"),
            ),
        );
        module.line(0, "}");
        module.serialize(name, "t::answer_serialize(self, s)");
    }
    module.line(0, &format!("impl {name} {{"));
    module.doc(1, Some("The `__typename`."));
    module.choice(
        "pub fn typename(&self) -> &str",
        "self",
        arms(
            cases,
            |variant, only| format!("Self::{variant}(_) => \"{only}\","),
            |variant| format!("Self::{variant}(value) => &value.typename,"),
        ),
    );
    module.line(0, "}");
}

/// The arms of a `match` on an enum over `__typename`: a variant of one type stands for its name, one
/// of several holds it, as `Other` does.
fn arms(
    cases: &[Case],
    of_one: impl Fn(&str, &str) -> String,
    of_several: impl Fn(&str) -> String,
) -> Vec<String> {
    let known = cases
        .iter()
        .map(|(variant, _, types, single)| match types.first() {
            Some(only) if *single => of_one(variant, only),
            _ => of_several(variant),
        });
    known.chain([of_several("Other")]).collect()
}
