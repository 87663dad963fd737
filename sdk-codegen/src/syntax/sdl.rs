use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::cursor::Cursor;
use super::distinct::distinct_words;
use super::outline::{self, Entry, Keyword};
use super::roots::Roots;
use super::slot::{Found, Slot};
use super::{definition, directive, problem};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::schema::{
    CLIENT_DIRECTIVES, DirectiveDefinition, FieldDefinition, TypeDefinition, TypeKind,
};
use crate::source::{Source, Span};

/// What every schema has, whether its text says so or not.
const BUILT_IN: &str = include_str!("../schema/introspection.graphql");

/// A schema's text, with the places of its definitions. A definition, and a field of a type, is
/// parsed when it is first asked for: an app reaches about 2 % of the real schema.
///
/// Problems carry source 0: the schema.
#[derive(Debug)]
pub(crate) struct Sdl {
    /// The schema's own text, then what it leaves out of the client directives and built-ins.
    text: String,
    types: BTreeMap<String, Slot>,
    directives: BTreeMap<String, Entry>,
    roots: Roots,
    implementors: OnceLock<HashMap<String, Vec<String>>>,
}

impl Sdl {
    pub(crate) fn read(source: &Source) -> Result<Self, Diagnostics> {
        let own = source.text.len();
        let text = format!("{}\n{CLIENT_DIRECTIVES}\n{BUILT_IN}", source.text);
        let fail = |list| Diagnostics::new(vec![source.clone()], list);
        // Each on its own: the end of the one must not run on into the other.
        let entries = outline::definitions(&text[..own], 0)
            .and_then(|own_entries| Ok((own_entries, outline::definitions(&text, own)?)));
        let (entries, ours) =
            entries.map_err(|unexpected| fail(vec![problem::unexpected(&text, &unexpected)]))?;
        let mut sdl = Self {
            text,
            types: BTreeMap::new(),
            directives: BTreeMap::new(),
            roots: Roots::default(),
            implementors: OnceLock::new(),
        };
        let mut problems = Vec::new();
        let mut schema = Vec::new();
        let mut extensions = Vec::new();
        for entry in entries {
            match entry.keyword {
                Keyword::Schema => schema.push(entry),
                _ if entry.extends => extensions.push(entry),
                _ => problems.extend(sdl.add(entry)),
            }
        }
        problems.extend(sdl.reserved(&ours));
        problems.extend(ours.into_iter().filter_map(|entry| sdl.complete(entry)));
        for entry in extensions {
            problems.extend(sdl.extend(entry));
        }
        let is_object = |name: &str| sdl.keyword(name) == Some(Keyword::Type);
        match Roots::find(&sdl.text, &schema, is_object) {
            Ok(roots) => sdl.roots = roots,
            Err(found) => problems.extend(found),
        }
        if problems.is_empty() {
            Ok(sdl)
        } else {
            Err(fail(problems))
        }
    }

    /// Names that the specification keeps for itself, and does not know.
    fn reserved(&self, built_in: &[Entry]) -> Vec<Diagnostic> {
        let types = self.types.values().map(Slot::first);
        let defined = types.chain(self.directives.values());
        let reserved = defined.filter(|entry| self.text[entry.name.clone()].starts_with("__"));
        let unknown = reserved.filter(|entry| {
            let name = &self.text[entry.name.clone()];
            !built_in
                .iter()
                .any(|known| self.text[known.name.clone()] == *name)
        });
        unknown
            .filter_map(|entry| {
                problem::reserved(&self.text[entry.name.clone()], place(entry.name.clone()))
            })
            .collect()
    }

    fn earlier(&self, entry: &Entry) -> Option<&Entry> {
        let name = &self.text[entry.name.clone()];
        match entry.keyword {
            Keyword::Directive => self.directives.get(name),
            _ => self.types.get(name).map(Slot::first),
        }
    }

    /// Adds a definition of the schema.
    fn add(&mut self, entry: Entry) -> Option<Diagnostic> {
        if let Some(earlier) = self.earlier(&entry) {
            let there = place(earlier.name.clone());
            let name = problem::token(&self.text, &entry);
            let problem =
                Diagnostic::error(format!("`{name}` is defined twice"), place(entry.name));
            return Some(problem.with_label(there, "first defined here"));
        }
        self.insert(entry);
        None
    }

    /// Adds a definition that every schema has, if this one does not define it the same itself.
    fn complete(&mut self, entry: Entry) -> Option<Diagnostic> {
        let Some(own) = self.earlier(&entry) else {
            self.insert(entry);
            return None;
        };
        let name = problem::token(&self.text, &entry);
        let message = format!("`{name}` is built in, and {}", entry.keyword.article());
        (own.keyword != entry.keyword).then(|| {
            Diagnostic::error(message, place(own.name.clone()))
                .with_help("remove this definition, or give the type another name")
        })
    }

    fn insert(&mut self, entry: Entry) {
        let name = self.text[entry.name.clone()].to_owned();
        if entry.keyword == Keyword::Directive {
            self.directives.insert(name, entry);
        } else {
            self.types.insert(name, Slot::new(entry));
        }
    }

    fn extend(&mut self, entry: Entry) -> Option<Diagnostic> {
        let name = &self.text[entry.name.clone()];
        let here = place(entry.name.clone());
        match self.types.get_mut(name) {
            Some(slot) if slot.keyword() == entry.keyword => {
                slot.extend(entry);
                None
            }
            Some(slot) => {
                let message = format!("`{name}` is extended as another kind than it is defined");
                let there = place(slot.first().name.clone());
                Some(Diagnostic::error(message, here).with_label(there, "defined here"))
            }
            None => Some(Diagnostic::error(
                format!("`{name}` is extended, but the schema does not define it"),
                here,
            )),
        }
    }

    pub(crate) fn type_names(&self) -> impl Iterator<Item = &str> {
        self.types.keys().map(String::as_str)
    }

    /// What kind of definition a name has, without parsing it.
    pub(super) fn keyword(&self, name: &str) -> Option<Keyword> {
        self.types.get(name).map(Slot::keyword)
    }

    /// A type; `None` when there is none, or it cannot be parsed.
    pub(crate) fn get(&self, name: &str) -> Option<&Arc<TypeDefinition>> {
        self.types.get(name)?.definition(&self.text).as_ref().ok()
    }

    /// A field of a type or interface.
    pub(crate) fn field(&self, parent: &str, name: &str) -> Option<Arc<FieldDefinition>> {
        self.try_field(parent, name)?.ok()
    }

    /// As [`Self::field`], with the problems of a field that cannot be parsed.
    pub(super) fn try_field(
        &self,
        parent: &str,
        name: &str,
    ) -> Option<Found<Arc<FieldDefinition>>> {
        self.types.get(parent)?.field(&self.text, name)
    }

    /// Why a type cannot be parsed.
    pub(super) fn problems(&self, name: &str) -> Vec<Diagnostic> {
        match self.types.get(name).map(|slot| slot.definition(&self.text)) {
            Some(Err(problems)) => problems.clone(),
            _ => Vec::new(),
        }
    }

    /// The interfaces of a type or interface, without parsing its fields.
    pub(super) fn interfaces(&self, name: &str) -> Vec<&str> {
        self.types
            .get(name)
            .map(|slot| slot.interfaces(&self.text))
            .unwrap_or_default()
    }

    /// The object types that implement an interface, sorted.
    pub(super) fn implementors(&self, interface: &str) -> &[String] {
        let index = self.implementors.get_or_init(|| {
            let mut index: HashMap<String, Vec<String>> = HashMap::new();
            let objects = self
                .types
                .iter()
                .filter(|(_, slot)| slot.keyword() == Keyword::Type);
            for (name, slot) in objects {
                for interface in slot.interfaces(&self.text) {
                    let names = index.entry(interface.to_owned()).or_default();
                    names.push(name.clone());
                }
            }
            index
        });
        index.get(interface).map(Vec::as_slice).unwrap_or_default()
    }

    /// The object types that a value of this type can have, sorted.
    pub(crate) fn possible_types(&self, name: &str) -> Vec<String> {
        match self.keyword(name) {
            Some(Keyword::Type) => vec![name.to_owned()],
            Some(Keyword::Interface) => self.implementors(name).to_vec(),
            Some(Keyword::Union) => match self.get(name).map(|ty| &ty.kind) {
                Some(TypeKind::Union { members }) => {
                    let mut members = members.clone();
                    members.sort();
                    members
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    pub(crate) fn is_scalar(&self, name: &str) -> bool {
        self.keyword(name) == Some(Keyword::Scalar)
    }

    pub(crate) fn has_directive(&self, name: &str) -> bool {
        self.directives.contains_key(name)
    }

    /// The directives that the schema declares itself, or by the specification. One that cannot be
    /// parsed is left out.
    pub(crate) fn directive_definitions(&self) -> impl Iterator<Item = DirectiveDefinition> {
        let clients = self.text.find(CLIENT_DIRECTIVES);
        let clients = clients.map_or(0..0, |start| start..start + CLIENT_DIRECTIVES.len());
        self.directives
            .values()
            .filter(move |entry| !clients.contains(&entry.range.start))
            .filter_map(|entry| {
                let description = &self.text[entry.description.clone()];
                Some(DirectiveDefinition {
                    description: definition::string(description).ok(),
                    ..directive::definition(&self.text[entry.range.clone()]).ok()?
                })
            })
    }

    /// The URL that specifies a scalar.
    pub(crate) fn specified_by(&self, name: &str) -> Option<String> {
        let mut texts = self.types.get(name)?.entries().iter();
        texts.find_map(|entry| directive::specified_by(&self.text[entry.range.clone()]))
    }

    pub(crate) fn query(&self) -> &str {
        &self.roots.query
    }

    pub(crate) fn mutation(&self) -> Option<&str> {
        self.roots.mutation.as_deref()
    }

    pub(crate) fn subscription(&self) -> Option<&str> {
        self.roots.subscription.as_deref()
    }

    /// The directives, each with its text.
    pub(super) fn directives(&self) -> impl Iterator<Item = (&str, &str)> {
        self.directives
            .iter()
            .map(|(name, entry)| (name.as_str(), &self.text[entry.range.clone()]))
    }

    /// A directive, or what is wrong with its text.
    pub(super) fn directive(&self, name: &str) -> Found<DirectiveDefinition> {
        let entry = &self.directives[name];
        let range = &entry.range;
        let directive = directive::definition(&self.text[range.clone()])
            .map_err(|errors| problem::syntax(errors, &self.text, range))?;
        let names: Vec<_> = directive.arguments.iter().map(|a| &*a.name).collect();
        let within = entry.name.end..range.end;
        distinct_words(
            &format!("@{name}"),
            "an argument",
            &names,
            &self.text,
            &[within],
        )?;
        Ok(directive)
    }

    /// Where a word stands in the definition of a directive.
    pub(super) fn find_in_directive(&self, name: &str, word: &str) -> Option<Span> {
        let range = self.directives.get(name)?.range.clone();
        find_word(&self.text, range, word).map(place)
    }

    /// Where a word stands in a type's definition or, when a field is given, in that field.
    pub(super) fn find(&self, parent: &str, field: Option<&str>, word: &str) -> Option<Span> {
        let slot = self.types.get(parent)?;
        let within = field.map(|field| slot.field_ranges(&self.text, field));
        let within = within.filter(|ranges| !ranges.is_empty());
        let whole = || slot.entries().iter().map(|e| e.range.clone()).collect();
        within
            .unwrap_or_else(whole)
            .into_iter()
            .find_map(|range| find_word(&self.text, range, word))
            .map(place)
    }
}

pub(super) fn place(range: Range<usize>) -> Span {
    Span { source: 0, range }
}

/// Where a name stands, strings and comments left out.
pub(super) fn find_word(text: &str, range: Range<usize>, word: &str) -> Option<Range<usize>> {
    let mut cursor = Cursor::new(&text[..range.end], range.start);
    while let Some(byte) = cursor.next_byte() {
        match (byte, cursor.name()) {
            (_, Some(name)) if &text[name.clone()] == word => return Some(name),
            (_, Some(_)) => {}
            (b'"', None) => {
                cursor.string();
            }
            (_, None) => cursor.skip(),
        }
    }
    None
}
