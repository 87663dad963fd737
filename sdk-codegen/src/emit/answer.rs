//! Types of answers: a struct for a selection, an enum where `__typename` decides.

use std::collections::BTreeSet;

use super::Emitter;
use super::flat::{self, Class, Condition, Entry, Flattener, Sets};
use super::module::{Module, TypeName};
use super::name::{self, Scope};
use crate::document::{Field, SelectionSet};
use crate::schema::TypeRef;

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

/// A struct to be written, whose name is taken.
struct Named<'n> {
    name: &'n str,
    /// What the names of the types below begin with.
    prefix: &'n str,
    /// The type of the schema.
    ty: &'n str,
    /// For a variant: what several variants select alike, and what the types below that are named
    /// after.
    common: Option<(&'n str, &'n BTreeSet<Addresses>)>,
}

/// The selection sets of one field, by address.
type Addresses = Vec<*const SelectionSet>;

/// A field of a struct, as written.
struct Member {
    rust: String,
    /// The response key, with `?` before one that may be left out; `...` and the fragment's name.
    key: String,
    /// The type of the field.
    ty: String,
    /// What it is read as, and the pattern that gives the field.
    read: (String, String),
    doc: Option<String>,
}

/// What is known of a struct that was written, to find the way to a field of it.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) rust: String,
    pub(super) ty: TypeRef,
    pub(super) optional: bool,
    /// The name of the field in the schema; `None` for a spread.
    pub(super) field: Option<String>,
    /// Its response key; `None` for a spread.
    pub(super) key: Option<String>,
    /// The type it has, when it is a generated one.
    pub(super) base: Option<TypeName>,
}

impl<'a> Emitter<'a> {
    fn flattener(&mut self) -> Flattener<'a, '_> {
        Flattener {
            schema: self.schema,
            document: self.document,
            possible: &mut self.possible,
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
        let types = self.possible.of(self.schema, place.ty);
        let classes = self.flattener().classes(sets, &types);
        let told = classes.iter().any(|class| !class.conditions.is_empty());
        if told {
            self.told
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
        let name = module.claim(place.name);
        let mut variants = Scope::with(["Other"]);
        let flat: Vec<_> = classes
            .iter()
            .map(|class| self.flattener().flatten(sets, &class.types))
            .collect();
        let common = common(&flat);
        let common = Some((name.as_str(), &common));
        let mut cases = Vec::new();
        for class in classes.iter().filter(|class| !class.conditions.is_empty()) {
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
            let mut entries = self.flattener().flatten(sets, &class.types);
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
        self.write_enum(module, &name, place.ty, &cases, &other);
        module.own(name)
    }

    /// What is selected whatever the type: what the types without conditions answer. When every
    /// known type has a condition, what all types answer that are still to come.
    fn shared_entries(
        &mut self,
        sets: &Sets<'a>,
        ty: &str,
        rest: &BTreeSet<String>,
    ) -> Vec<Entry<'a>> {
        if !rest.is_empty() {
            return self.flattener().flatten(sets, rest);
        }
        let all = self.possible.of(self.schema, ty);
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

    fn write_enum(
        &mut self,
        module: &mut Module,
        name: &str,
        ty: &str,
        cases: &[(String, TypeName, BTreeSet<String>, bool)],
        other: &TypeName,
    ) {
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

        let pattern = |types: &BTreeSet<String>| {
            let names: Vec<_> = types.iter().map(|name| format!("\"{name}\"")).collect();
            names.join(" | ")
        };
        module.line(0, &format!("impl t::Select for {name} {{"));
        module.line(1, "#[inline]");
        module.line(
            1,
            "fn select(o: &mut t::Object<'_, '_>) -> Result<Self, t::DecodeError> {",
        );
        module.line(2, "match &*o.typename()? {");
        for (variant, _, types, _) in cases {
            let pattern = pattern(types);
            module.line(3, &format!("{pattern} => o.select().map(Self::{variant}),"));
        }
        module.line(3, "_ => o.select().map(Self::Other),");
        module.line(2, "}");
        module.line(1, "}");
        if self.skippable {
            module.line(1, "#[inline]");
            module.line(
                1,
                "fn present(o: &mut t::Object<'_, '_>) -> Result<bool, t::DecodeError> {",
            );
            module.line(2, "if !o.contains(\"__typename\")? {");
            module.line(3, "return Ok(false);");
            module.line(2, "}");
            module.line(2, "match &*o.typename()? {");
            for (_, inner, types, _) in cases {
                let (pattern, inner) = (pattern(types), module.path(inner));
                module.line(
                    3,
                    &format!("{pattern} => <{inner} as t::Select>::present(o),"),
                );
            }
            let inner = module.path(other);
            module.line(3, &format!("_ => <{inner} as t::Select>::present(o),"));
            module.line(2, "}");
            module.line(1, "}");
        }
        module.line(0, "}");

        module.line(0, &format!("impl {name} {{"));
        module.doc(1, Some("The `__typename`."));
        module.line(1, "#[inline]");
        module.line(1, "pub fn typename(&self) -> &str {");
        module.line(2, "match self {");
        for (variant, _, types, single) in cases {
            match types.first() {
                Some(only) if *single => {
                    module.line(3, &format!("Self::{variant}(_) => \"{only}\","));
                }
                _ => module.line(3, &format!("Self::{variant}(value) => &value.typename,")),
            }
        }
        module.line(3, "Self::Other(value) => &value.typename,");
        module.line(2, "}");
        module.line(1, "}");
        module.line(0, "}");
    }

    /// A struct with these entries, and `extra` fields of text before them.
    fn record(
        &mut self,
        module: &mut Module,
        named: &Named<'_>,
        entries: &[Entry<'a>],
        extra: &[&str],
    ) -> TypeName {
        let mut names = Scope::default();
        let mut members: Vec<_> = extra
            .iter()
            .map(|key| text_member(key, &mut names))
            .collect();
        let mut known = Vec::new();
        // Fields take their names before spreads do, so that a spread never renames a field.
        let mut claimed: Vec<Option<String>> = entries
            .iter()
            .map(|entry| match entry {
                Entry::Field(fields) => Some(names.claim(name::snake(fields[0].0.response_key()))),
                Entry::Spread(..) => None,
            })
            .collect();
        for (index, entry) in entries.iter().enumerate() {
            let rust = claimed[index].take();
            let (member, knowledge) = match (entry, rust) {
                (Entry::Field(fields), Some(rust)) => {
                    self.field(module, named, rust, fields, entries)
                }
                (Entry::Spread(spread, condition), _) => {
                    let rust = names.claim(name::snake(&spread.fragment));
                    self.spread(module, rust, &spread.fragment, condition)
                }
                (Entry::Field(_), None) => continue,
            };
            members.push(member);
            known.push(knowledge);
        }
        write_record(module, named, &members);
        let this = module.own(named.name.to_owned());
        self.known.insert(this.clone(), known);
        this
    }

    fn field(
        &mut self,
        module: &mut Module,
        named: &Named<'_>,
        rust: String,
        fields: &[(&'a Field, Condition)],
        entries: &[Entry<'a>],
    ) -> (Member, Known) {
        let (first, _) = fields[0];
        let key = first.response_key();
        let conditional = fields.iter().all(|(_, condition)| condition.is_some());
        let ensured = conditional && self.flattener().ensured(entries, key);
        let optional = conditional && !ensured;
        for (field, _) in fields {
            self.warn_of_field(field);
        }
        // Of several definitions (an interface's and an object's) the one that says most.
        let definition = fields
            .iter()
            .map(|(field, _)| &field.definition)
            .min_by_key(|definition| self.possible.of(self.schema, definition.ty.base()).len())
            .unwrap_or(&first.definition);
        let base = definition.ty.base();
        let (core, foreign, generated) = if first.selections.is_some() {
            let prefix = match named.common {
                Some((prefix, common)) if common.contains(&addresses(fields)) => prefix,
                _ => named.prefix,
            };
            let place = Place {
                name: nested(prefix, key),
                prefix: None,
                ty: base,
                may_alias: true,
            };
            let inner = self.composite(module, place, &flat::below(fields, ensured));
            (module.path(&inner), false, Some(inner))
        } else {
            let leaf = self.leaf(base);
            (
                module.path(&leaf.name),
                leaf.foreign,
                (!leaf.foreign).then_some(leaf.name),
            )
        };
        let ty = wrapped(&definition.ty, &core, optional);
        let read = if foreign {
            (format!("t::Through<{ty}>"), format!("t::Through({rust})"))
        } else {
            (ty.clone(), rust.clone())
        };
        let known = Known {
            rust: rust.clone(),
            ty: definition.ty.clone(),
            optional,
            field: Some(first.name.clone()),
            key: Some(key.to_owned()),
            base: generated,
        };
        let mark = if optional { "?" } else { "" };
        let member = Member {
            rust,
            key: format!("{mark}{key}"),
            ty,
            read,
            doc: self.field_doc(definition),
        };
        (member, known)
    }

    fn spread(
        &mut self,
        module: &Module,
        rust: String,
        fragment: &str,
        condition: &Condition,
    ) -> (Member, Known) {
        let ty = self.fragment(fragment);
        let path = module.path(&ty);
        let optional = condition.is_some();
        let (ty_text, wrapper) = if optional {
            (format!("Option<{path}>"), "t::Perhaps")
        } else {
            (path.clone(), "t::Spread")
        };
        let known = Known {
            rust: rust.clone(),
            ty: TypeRef::Named {
                name: fragment.to_owned(),
                non_null: true,
            },
            optional,
            field: None,
            key: None,
            base: Some(ty),
        };
        let member = Member {
            read: (format!("{wrapper}<{path}>"), format!("{wrapper}({rust})")),
            rust,
            key: format!("...{fragment}"),
            ty: ty_text,
            doc: Some(format!("What the fragment `{fragment}` selects.")),
        };
        (member, known)
    }

    /// The type of a fragment, which is written among the shared types when it is first asked for.
    pub(super) fn fragment(&mut self, name: &str) -> TypeName {
        if let Some(known) = self.fragments.get(name) {
            return known.clone();
        }
        let Some(fragment) = self.document.fragments.get(name) else {
            unreachable!("validation has found the fragment `{name}`");
        };
        let mut module = self.shared_module();
        let place = Place {
            name: name::type_name(name),
            prefix: None,
            ty: &fragment.selections.parent,
            may_alias: true,
        };
        let sets = vec![(&fragment.selections, None)];
        let around = std::mem::replace(&mut self.skippable, self.skipped.contains(name));
        let ty = self.composite(&mut module, place, &sets);
        self.skippable = around;
        self.return_shared(module);
        self.fragments.insert(name.to_owned(), ty.clone());
        ty
    }
}

fn addresses(fields: &[(&Field, Condition)]) -> Addresses {
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

/// The name of the type below a field: that of the type around it and the field's.
fn nested(prefix: &str, key: &str) -> String {
    name::type_name(&format!("{prefix}{}", name::pascal(key)))
}

fn text_member(key: &str, names: &mut Scope) -> Member {
    let rust = names.claim(name::snake(key));
    Member {
        rust: rust.clone(),
        key: key.to_owned(),
        ty: "String".to_owned(),
        read: ("String".to_owned(), rust),
        doc: Some(format!("The `{key}`.")),
    }
}

/// A type reference around its core, from the inside out.
fn wrapped(ty: &TypeRef, core: &str, optional: bool) -> String {
    let inner = match ty {
        TypeRef::Named { .. } => core.to_owned(),
        TypeRef::List { item, .. } => format!("Vec<{}>", wrapped(item, core, false)),
    };
    if optional || !ty.is_non_null() {
        return format!("Option<{inner}>");
    }
    inner
}

fn write_record(module: &mut Module, named: &Named<'_>, members: &[Member]) {
    let Named { name, ty, .. } = named;
    module.doc(0, Some(&format!("`{ty}`.")));
    if !module.extra_derives.is_empty() {
        module.line(0, &format!("#[derive({})]", module.extra_derives));
    }
    module.line(0, &format!("pub struct {name} {{"));
    for member in members {
        module.doc(1, member.doc.as_deref());
        module.line(1, &format!("pub {}: {},", member.rust, member.ty));
    }
    module.line(0, "}");
    let list = |one: &dyn Fn(&Member) -> &str| {
        grouped(
            members
                .iter()
                .map(|member| one(member).to_owned())
                .collect(),
        )
    };
    let keys: Vec<_> = members.iter().map(|member| member.key.as_str()).collect();
    let fields: Vec<_> = members.iter().map(|member| member.rust.as_str()).collect();
    let refs = grouped(
        fields
            .iter()
            .map(|field| format!("&self.{field}"))
            .collect(),
    );
    let (reads, patterns) = (
        list(&|member| &member.read.0),
        list(&|member| &member.read.1),
    );
    module.line(0, &format!("impl t::Record for {name} {{"));
    module.line(1, &format!("type Fields = {reads};"));
    module.line(
        1,
        &format!("const KEYS: &'static str = \"{}\";", keys.join(" ")),
    );
    module.function(
        1,
        &format!("fn build({patterns}: Self::Fields) -> Self"),
        &format!("Self {{ {} }}", fields.join(", ")),
    );
    module.function(1, "fn fields(&self) -> t::Refs<'_, Self>", &refs);
    module.line(0, "}");
    for (contract, head, body) in [
        ("Clone", "clone(&self) -> Self", "t::record_clone(self)"),
        (
            "PartialEq",
            "eq(&self, other: &Self) -> bool",
            "t::record_eq(self, other)",
        ),
        (
            "t::Debug",
            "fmt(&self, f: &mut t::Formatter<'_>) -> t::Fmt",
            "t::record_fmt(self, f)",
        ),
    ] {
        module.line(0, &format!("impl {contract} for {name} {{"));
        module.function(1, &format!("fn {head}"), body);
        module.line(0, "}");
    }
}

/// A tuple, in groups of twelve where there are more, since the runtime reads no longer ones.
fn grouped(items: Vec<String>) -> String {
    const LONGEST: usize = 12;
    if items.len() > LONGEST {
        let groups = items.chunks(LONGEST).map(|group| grouped(group.to_vec()));
        return grouped(groups.collect());
    }
    let comma = if items.len() == 1 { "," } else { "" };
    format!("({}{comma})", items.join(", "))
}
