use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::cursor::Cursor;
use super::outline::{self, Entry, FieldEntry, Keyword};
use super::{definition, directive, problem};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::schema::{
    CLIENT_DIRECTIVES, DirectiveDefinition, FieldDefinition, TypeDefinition, TypeKind,
};
use crate::source::{Source, Span};

/// What every schema has, whether its text says so or not.
const BUILT_IN: &str = include_str!("../schema/introspection.graphql");

type Found<T> = Result<T, Vec<Diagnostic>>;

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
    pub(super) query: String,
    pub(super) mutation: Option<String>,
    pub(crate) subscription: Option<String>,
    implementors: OnceLock<HashMap<String, Vec<String>>>,
}

/// A type: its definition and extensions.
#[derive(Debug)]
struct Slot {
    entries: Vec<Entry>,
    definition: OnceLock<Found<Arc<TypeDefinition>>>,
    fields: OnceLock<Found<Vec<FieldSlot>>>,
}

#[derive(Debug)]
struct FieldSlot {
    entry: FieldEntry,
    definition: OnceLock<Found<Arc<FieldDefinition>>>,
}

impl Sdl {
    pub(crate) fn read(source: &Source) -> Result<Self, Diagnostics> {
        let own = source.text.len();
        let text = format!("{}\n{CLIENT_DIRECTIVES}\n{BUILT_IN}", source.text);
        let fail = |list| Diagnostics::new(vec![source.clone()], list);
        let entries = outline::definitions(&text)
            .map_err(|unexpected| fail(vec![problem::unexpected(&text, &unexpected)]))?;
        let mut sdl = Self {
            text,
            types: BTreeMap::new(),
            directives: BTreeMap::new(),
            query: String::new(),
            mutation: None,
            subscription: None,
            implementors: OnceLock::new(),
        };
        let mut problems = Vec::new();
        let mut schema = Vec::new();
        let mut extensions = Vec::new();
        for entry in entries {
            match entry.keyword {
                Keyword::Schema => schema.push(entry),
                _ if entry.extends => extensions.push(entry),
                _ => problems.extend(sdl.add(entry, own)),
            }
        }
        for entry in extensions {
            problems.extend(sdl.extend(entry));
        }
        problems.extend(sdl.find_roots(&schema));
        if problems.is_empty() {
            Ok(sdl)
        } else {
            Err(fail(problems))
        }
    }

    fn add(&mut self, entry: Entry, own: usize) -> Option<Diagnostic> {
        let name = self.text[entry.name.clone()].to_owned();
        let built_in = entry.name.start >= own;
        let earlier = match entry.keyword {
            Keyword::Directive => self.directives.get(&name),
            _ => self.types.get(&name).and_then(|slot| slot.entries.first()),
        };
        if let Some(earlier) = earlier {
            let (here, there) = (place(entry.name), place(earlier.name.clone()));
            let sigil = if entry.keyword == Keyword::Directive {
                "@"
            } else {
                ""
            };
            return (!built_in).then(|| {
                Diagnostic::error(format!("`{sigil}{name}` is defined twice"), here)
                    .with_label(there, "first defined here")
            });
        }
        if entry.keyword == Keyword::Directive {
            self.directives.insert(name, entry);
        } else {
            self.types.insert(name, Slot::new(entry));
        }
        None
    }

    fn extend(&mut self, entry: Entry) -> Option<Diagnostic> {
        let name = &self.text[entry.name.clone()];
        let here = place(entry.name.clone());
        match self.types.get_mut(name) {
            Some(slot) if slot.keyword() == entry.keyword => {
                slot.entries.push(entry);
                None
            }
            Some(slot) => {
                let message = format!("`{name}` is extended as another kind than it is defined");
                let there = place(slot.entries[0].name.clone());
                Some(Diagnostic::error(message, here).with_label(there, "defined here"))
            }
            None => Some(Diagnostic::error(
                format!("`{name}` is extended, but the schema does not define it"),
                here,
            )),
        }
    }

    fn find_roots(&mut self, schema: &[Entry]) -> Vec<Diagnostic> {
        let mut problems = Vec::new();
        if schema.is_empty() {
            self.query = "Query".into();
            self.mutation = self.is_object("Mutation").then(|| "Mutation".into());
            self.subscription = self
                .is_object("Subscription")
                .then(|| "Subscription".into());
        }
        for entry in schema {
            let mut cursor = Cursor::new(&self.text[..entry.body.end], entry.body.start);
            while let Some(operation) = cursor.name() {
                let colon = cursor.take(b':');
                let Some(root) = cursor.name().filter(|_| colon) else {
                    let wanted = "`:` and the name of a type";
                    let at = cursor.position();
                    let unexpected = outline::Unexpected { at, wanted };
                    problems.push(problem::unexpected(&self.text, &unexpected));
                    break;
                };
                let name = self.text[root.clone()].to_owned();
                if !self.is_object(&name) {
                    let message = format!("the root `{name}` is not an object type of the schema");
                    problems.push(Diagnostic::error(message, place(root)));
                }
                match &self.text[operation] {
                    "query" => self.query = name,
                    "mutation" => self.mutation = Some(name),
                    _ => self.subscription = Some(name),
                }
            }
        }
        if problems.is_empty() && !self.is_object(&self.query) {
            problems.push(
                Diagnostic::error("the schema has no query root", None)
                    .with_help("it needs `schema { query: … }`, or a type named `Query`"),
            );
        }
        problems
    }

    fn is_object(&self, name: &str) -> bool {
        self.types
            .get(name)
            .is_some_and(|slot| slot.keyword() == Keyword::Type)
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
        match self.types.get(parent)?.fields(&self.text) {
            Ok(fields) => fields
                .iter()
                // Roots have hundreds of fields: most differ in length.
                .find(|field| {
                    let range = field.entry.name.clone();
                    range.len() == name.len() && self.text[range] == *name
                })
                .map(|field| field.definition(&self.text).clone()),
            Err(problems) => Some(Err(problems.clone())),
        }
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
        let slot = self.types.get(name)?;
        let mut texts = slot.entries.iter();
        texts.find_map(|entry| directive::specified_by(&self.text[entry.range.clone()]))
    }

    pub(crate) fn query(&self) -> &str {
        &self.query
    }

    pub(crate) fn mutation(&self) -> Option<&str> {
        self.mutation.as_deref()
    }

    /// The directives, each with its text.
    pub(super) fn directives(&self) -> impl Iterator<Item = (&str, &str)> {
        self.directives
            .iter()
            .map(|(name, entry)| (name.as_str(), &self.text[entry.range.clone()]))
    }

    /// Where a word stands in a type's definition or, when a field is given, in that field.
    pub(super) fn find(&self, parent: &str, field: Option<&str>, word: &str) -> Option<Span> {
        let slot = self.types.get(parent)?;
        let within: Vec<Range<usize>> = match (field, slot.fields(&self.text)) {
            (Some(field), Ok(fields)) => fields
                .iter()
                .filter(|slot| self.text[slot.entry.name.clone()] == *field)
                .map(|slot| slot.entry.range.clone())
                .collect(),
            _ => slot.entries.iter().map(|e| e.range.clone()).collect(),
        };
        within
            .into_iter()
            .find_map(|range| find_word(&self.text, range, word))
            .map(place)
    }
}

impl Slot {
    fn new(entry: Entry) -> Self {
        Self {
            entries: vec![entry],
            definition: OnceLock::new(),
            fields: OnceLock::new(),
        }
    }

    fn keyword(&self) -> Keyword {
        self.entries[0].keyword
    }

    fn fields(&self, text: &str) -> &Found<Vec<FieldSlot>> {
        self.fields.get_or_init(|| {
            let mut slots = Vec::new();
            for entry in &self.entries {
                let fields = outline::fields(text, entry.body.clone())
                    .map_err(|unexpected| vec![problem::unexpected(text, &unexpected)])?;
                slots.extend(fields.into_iter().map(|entry| FieldSlot {
                    entry,
                    definition: OnceLock::new(),
                }));
            }
            Ok(slots)
        })
    }

    fn interfaces<'a>(&self, text: &'a str) -> Vec<&'a str> {
        let mut interfaces = Vec::new();
        for entry in &self.entries {
            // A header without a body ends where the definition does.
            let end = entry.body.start.max(entry.name.end);
            let mut cursor = Cursor::new(&text[..end], entry.name.end);
            if cursor
                .name()
                .is_some_and(|word| &text[word] == "implements")
            {
                cursor.take(b'&');
                while let Some(name) = cursor.name() {
                    interfaces.push(&text[name]);
                    cursor.take(b'&');
                }
            }
        }
        interfaces
    }

    fn definition(&self, text: &str) -> &Found<Arc<TypeDefinition>> {
        self.definition.get_or_init(|| {
            let kind = match self.keyword() {
                Keyword::Type => TypeKind::Object {
                    fields: self.all_fields(text)?,
                    interfaces: owned(self.interfaces(text)),
                },
                Keyword::Interface => TypeKind::Interface {
                    fields: self.all_fields(text)?,
                    interfaces: owned(self.interfaces(text)),
                },
                Keyword::Union => TypeKind::Union {
                    members: self.merge(
                        text,
                        |text| text.contains('='),
                        definition::union_members,
                    )?,
                },
                Keyword::Enum => TypeKind::Enum {
                    values: self.merge(text, has_body, definition::enum_values)?,
                },
                Keyword::Input => TypeKind::Input {
                    fields: self.merge(text, has_body, definition::input_fields)?,
                    one_of: self.is_one_of(text),
                },
                Keyword::Scalar | Keyword::Schema | Keyword::Directive => TypeKind::Scalar,
            };
            let first = &self.entries[0];
            let description = match &text[first.description.clone()] {
                "" => None,
                literal => Some(
                    definition::string(literal)
                        .map_err(|errors| problem::syntax(errors, text, &first.description))?,
                ),
            };
            Ok(Arc::new(TypeDefinition {
                name: text[first.name.clone()].to_owned(),
                description,
                kind,
            }))
        })
    }

    fn all_fields(&self, text: &str) -> Found<Vec<Arc<FieldDefinition>>> {
        let slots = self.fields(text).as_ref().map_err(Clone::clone)?;
        let mut fields = Vec::with_capacity(slots.len());
        let mut problems = Vec::new();
        for slot in slots {
            match slot.definition(text) {
                Ok(field) => fields.push(Arc::clone(field)),
                Err(list) => problems.extend(list.iter().cloned()),
            }
        }
        if problems.is_empty() {
            Ok(fields)
        } else {
            Err(problems)
        }
    }

    /// The items of the definition and of the extensions that have some.
    fn merge<T>(
        &self,
        text: &str,
        has_items: impl Fn(&str) -> bool,
        parse: impl Fn(&str) -> Result<Vec<T>, Vec<bluejay_parser::Error>>,
    ) -> Found<Vec<T>> {
        let mut items = Vec::new();
        for entry in &self.entries {
            let snippet = &text[entry.range.clone()];
            if entry.extends && !has_items(snippet) {
                continue;
            }
            items.extend(
                parse(snippet).map_err(|errors| problem::syntax(errors, text, &entry.range))?,
            );
        }
        Ok(items)
    }

    fn is_one_of(&self, text: &str) -> bool {
        self.entries.iter().any(|entry| {
            let end = entry.body.start.max(entry.name.end);
            let mut cursor = Cursor::new(&text[..end], entry.name.end);
            let mut found = false;
            while cursor.take(b'@') {
                found |= cursor.name().is_some_and(|name| &text[name] == "oneOf");
                if cursor.take(b'(') {
                    cursor.balanced();
                }
            }
            found
        })
    }
}

impl FieldSlot {
    fn definition(&self, text: &str) -> &Found<Arc<FieldDefinition>> {
        self.definition.get_or_init(|| {
            definition::field(&text[self.entry.range.clone()])
                .map(Arc::new)
                .map_err(|errors| problem::syntax(errors, text, &self.entry.range))
        })
    }
}

fn has_body(text: &str) -> bool {
    text.ends_with('}')
}

fn owned(names: Vec<&str>) -> Vec<String> {
    names.into_iter().map(str::to_owned).collect()
}

fn place(range: Range<usize>) -> Span {
    Span { source: 0, range }
}

fn find_word(text: &str, range: Range<usize>, word: &str) -> Option<Range<usize>> {
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
