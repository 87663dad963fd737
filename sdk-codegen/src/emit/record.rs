//! Structs of answers.

use std::collections::BTreeSet;
use std::collections::btree_map::Entry;
use std::fmt::Write as _;

use super::Emitter;
use super::answer::{Addresses, Place, addresses};
use super::flat::{self, Condition, Entry as Selected};
use super::leaf::Side;
use super::module::{Module, TypeName};
use super::name::{self, Scope};
use crate::document::Field;
use crate::schema::TypeRef;

/// A struct to be written, whose name is taken.
pub(super) struct Named<'n> {
    pub(super) name: &'n str,
    /// What the names of the types below begin with.
    pub(super) prefix: &'n str,
    /// The type of the schema.
    pub(super) ty: &'n str,
    /// For a variant: what several variants select alike, and what the types below that are named
    /// after.
    pub(super) common: Option<(&'n str, &'n BTreeSet<Addresses>)>,
}

/// A field of a struct, as written.
struct Member {
    rust: String,
    /// The response key; `...` and the fragment's name.
    key: String,
    /// How it is read.
    source: Source,
    /// The type of the field.
    ty: String,
    doc: Option<String>,
}

/// Where a field comes from.
#[derive(PartialEq)]
enum Source {
    /// A field of the answer.
    Field {
        /// Whether its type is the project's.
        foreign: bool,
        /// Whether `@include` or `@skip` may leave it out.
        optional: bool,
    },
    /// A fragment.
    Spread,
    /// A fragment that may be left out; the key that is there when the fragment is.
    SpreadIf(String),
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

impl Member {
    /// The call that reads it.
    fn read(&self) -> String {
        let key = &self.key;
        match &self.source {
            Source::Field { foreign: true, .. } => format!("foreign(\"{key}\")"),
            Source::Field { .. } => format!("field(\"{key}\")"),
            Source::Spread => "select()".to_owned(),
            Source::SpreadIf(mark) => format!("select_if(\"{mark}\")"),
        }
    }

    /// The statement that writes it.
    fn write(&self) -> String {
        let Self { rust, key, .. } = self;
        match &self.source {
            Source::Field { optional: true, .. } => {
                format!("t::optional_write(o, \"{key}\", &self.{rust})?; ")
            }
            Source::Field { .. } => format!("t::field_write(o, \"{key}\", &self.{rust})?; "),
            Source::Spread => format!("t::Answer::write(&self.{rust}, o)?; "),
            Source::SpreadIf(mark) => {
                format!("t::fragment_write(o, \"{mark}\", &self.{rust})?; ")
            }
        }
    }
}

impl<'a> Emitter<'a> {
    /// A struct with these entries, and `extra` fields of text before them.
    pub(super) fn record(
        &mut self,
        module: &mut Module,
        named: &Named<'_>,
        entries: &[Selected<'a>],
        extra: &[&str],
    ) -> TypeName {
        let start = module.out.len();
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
                Selected::Field(fields) => {
                    Some(names.claim(name::snake(fields[0].0.response_key())))
                }
                Selected::Spread(..) => None,
            })
            .collect();
        for (index, entry) in entries.iter().enumerate() {
            let rust = claimed[index].take();
            let (member, knowledge) = match (entry, rust) {
                (Selected::Field(fields), Some(rust)) => {
                    self.field(module, named, rust, fields, entries)
                }
                (Selected::Spread(spread, condition), _) => {
                    let rust = names.claim(name::snake(&spread.fragment));
                    self.spread(module, rust, &spread.fragment, condition)
                }
                (Selected::Field(_), None) => continue,
            };
            members.push(member);
            known.push(knowledge);
        }
        let (this, written) = module.own(named.name);
        match self.twin(module, &written, named.ty, &members, &known) {
            Some(twin) => module.export(named.name, &twin),
            None => module.before(start, |module| {
                write_record(module, &written, named.ty, &members);
            }),
        }
        self.known.insert(this.clone(), known);
        this
    }

    /// The struct of an operation that is the same in all but its name: what several operations
    /// select alike has one type, which `Debug` shows under the first one's name. If there is none,
    /// this is the one for later.
    fn twin(
        &mut self,
        module: &Module,
        written: &str,
        ty: &str,
        members: &[Member],
        known: &[Known],
    ) -> Option<String> {
        module.of.as_ref()?;
        let mut likeness = ty.to_owned();
        for member in members {
            let _ = write!(likeness, " {}:{}", member.rust, member.key);
        }
        for known in known {
            let base = known.base.as_ref().map(|base| module.path(base));
            let (field, ty, optional) = (&known.field, &known.ty, known.optional);
            let _ = write!(likeness, " {field:?}:{ty:?}:{optional}:{base:?}");
        }
        match self.likes.entry(likeness) {
            Entry::Occupied(twin) => Some(twin.get().clone()),
            Entry::Vacant(free) => {
                free.insert(written.to_owned());
                None
            }
        }
    }

    fn field(
        &mut self,
        module: &mut Module,
        named: &Named<'_>,
        rust: String,
        fields: &[(&'a Field, Condition)],
        entries: &[Selected<'a>],
    ) -> (Member, Known) {
        let (first, _) = fields[0];
        let key = first.response_key();
        let conditional = fields.iter().all(|(_, condition)| condition.is_some());
        let ensured = conditional && self.flattener().ensured(entries, key);
        let optional = conditional && !ensured;
        // Of several definitions (an interface's and an object's) the one that says most.
        let definition = fields
            .iter()
            .map(|(field, _)| &field.definition)
            .min_by_key(|definition| self.possible.of(definition.ty.base()).len())
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
            let leaf = self.leaf(base, Side::Answer);
            (
                module.path(&leaf.name),
                leaf.foreign,
                (!leaf.foreign).then_some(leaf.name),
            )
        };
        let ty = wrapped(&definition.ty, &core, optional);
        let known = Known {
            rust: rust.clone(),
            ty: definition.ty.clone(),
            optional,
            field: Some(first.name.clone()),
            key: Some(key.to_owned()),
            base: generated,
        };
        let member = Member {
            rust,
            key: key.to_owned(),
            source: Source::Field { foreign, optional },
            ty,
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
        let (written, source) = if optional {
            let mark = self.marks.of_fragment(fragment);
            let fragments = &mut self.told.fragments;
            fragments.insert(fragment.to_owned(), mark.clone());
            (format!("Option<{path}>"), Source::SpreadIf(mark))
        } else {
            (path, Source::Spread)
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
            rust,
            key: format!("...{fragment}"),
            source,
            ty: written,
            doc: Some(format!("What the fragment `{fragment}` selects.")),
        };
        (member, known)
    }
}

/// The name of the type below a field: that of the type around it and the field's.
fn nested(prefix: &str, key: &str) -> String {
    name::type_name(&format!("{prefix}{}", name::pascal(key)))
}

fn text_member(key: &str, names: &mut Scope) -> Member {
    let rust = names.claim(name::snake(key));
    Member {
        rust,
        key: key.to_owned(),
        source: Source::Field {
            foreign: false,
            optional: false,
        },
        ty: "String".to_owned(),
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

fn write_record(module: &mut Module, name: &str, ty: &str, members: &[Member]) {
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
    let each = |one: &dyn Fn(&Member) -> String| members.iter().map(one).collect::<Vec<_>>();
    // Without `?`, whose calls a debug build compiles for each type.
    let reads = each(&|member| {
        let (rust, read) = (&member.rust, member.read());
        format!("{rust}: match o.{read} {{ Ok(v) => v, Err(e) => return Err(e) }}")
    });
    let clones = each(&|Member { rust, .. }| format!("{rust}: self.{rust}.clone()"));
    // A variant may select nothing but its `__typename`, which the enum says.
    let equals = match each(&|Member { rust, .. }| format!("self.{rust} == other.{rust}")) {
        none if none.is_empty() => "true".to_owned(),
        equals => equals.join(" && "),
    };
    let shown = each(&|Member { rust, key, .. }| format!("(\"{key}\", &self.{rust})"));
    let called = name.rsplit_once("__").map_or(name, |(_, called)| called);
    for (contract, head, body) in [
        (
            "t::Select",
            "select(o: &mut t::Object<'_, '_>) -> Result<Self, t::Failed>",
            format!("Ok(Self {{ {} }})", reads.join(", ")),
        ),
        (
            "Clone",
            "clone(&self) -> Self",
            format!("Self {{ {} }}", clones.join(", ")),
        ),
        ("PartialEq", "eq(&self, other: &Self) -> bool", equals),
        (
            "t::Debug",
            "fmt(&self, f: &mut t::Formatter<'_>) -> t::Fmt",
            format!("t::record_fmt(\"{called}\", &[{}], f)", shown.join(", ")),
        ),
    ] {
        module.implement(name, contract, head, &body);
    }
    if module.deserialize {
        module.deserialize(name);
    }
    if module.serialize {
        let writes = each(&Member::write);
        module.implement(
            name,
            "t::Answer",
            "write(&self, o: &mut t::Map<String, t::Value>) -> Result<(), t::JsonError>",
            &format!("{}Ok(())", writes.concat()),
        );
        module.serialize(name, "t::answer_serialize(self, s)");
    }
}
