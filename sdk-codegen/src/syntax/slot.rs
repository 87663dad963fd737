use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::cursor::Cursor;
use super::distinct::{distinct, distinct_words};
use super::outline::{self, Entry, FieldEntry, Keyword};
use super::sdl::place;
use super::{definition, problem};
use crate::diagnostic::Diagnostic;
use crate::schema::{FieldDefinition, TypeDefinition, TypeKind};

/// A thing, or the problems of its text.
pub(super) type Found<T> = Result<T, Vec<Diagnostic>>;

/// A type: its definition and extensions.
///
/// What is wrong with it alone is a problem of its parts: text that is no GraphQL, names that stand
/// twice or are not a schema's to give.
#[derive(Debug)]
pub(super) struct Slot {
    entries: Vec<Entry>,
    definition: OnceLock<Found<Arc<TypeDefinition>>>,
    fields: OnceLock<Found<Vec<FieldSlot>>>,
}

#[derive(Debug)]
struct FieldSlot {
    entry: FieldEntry,
    definition: OnceLock<Found<Arc<FieldDefinition>>>,
}

impl Slot {
    pub(super) fn new(entry: Entry) -> Self {
        Self {
            entries: vec![entry],
            definition: OnceLock::new(),
            fields: OnceLock::new(),
        }
    }

    pub(super) fn extend(&mut self, entry: Entry) {
        self.entries.push(entry);
    }

    /// The definition, then the extensions.
    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(super) fn first(&self) -> &Entry {
        &self.entries[0]
    }

    pub(super) fn keyword(&self) -> Keyword {
        self.first().keyword
    }

    /// A field of a type or interface, by its name.
    pub(super) fn field(&self, text: &str, name: &str) -> Option<Found<Arc<FieldDefinition>>> {
        let fields = match self.fields(text) {
            Ok(fields) => fields,
            Err(problems) => return Some(Err(problems.clone())),
        };
        // Roots have hundreds of fields: most differ in length.
        let mut named = fields.iter().filter(|field| {
            let range = field.entry.name.clone();
            range.len() == name.len() && text[range] == *name
        });
        let field = named.next()?;
        // Looked at once, and of what is reached: to compare all names takes longer than to read.
        if field.definition.get().is_none() && (named.next().is_some() || name.starts_with("__")) {
            return self.distinct_fields(text, fields).err().map(Err);
        }
        Some(field.definition(text).clone())
    }

    /// Where the fields of a name lie.
    pub(super) fn field_ranges(&self, text: &str, name: &str) -> Vec<Range<usize>> {
        let fields = self.fields(text).as_ref().map(Vec::as_slice);
        let fields = fields.unwrap_or_default().iter();
        let named = fields.filter(|field| text[field.entry.name.clone()] == *name);
        named.map(|field| field.entry.range.clone()).collect()
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
            // What has no fields is asked for `__typename`, or by a mistake.
            let has_fields = matches!(self.keyword(), Keyword::Type | Keyword::Interface);
            if slots.is_empty() && has_fields {
                return Err(self.empty(text, "a field"));
            }
            Ok(slots)
        })
    }

    fn distinct_fields(&self, text: &str, fields: &[FieldSlot]) -> Found<()> {
        let names = fields.iter().map(|field| &text[field.entry.name.clone()]);
        let place_of = |index: usize| Some(fields[index].entry.name.clone());
        distinct(self.name(text), "a field", names, place_of)
    }

    fn name<'a>(&self, text: &'a str) -> &'a str {
        &text[self.first().name.clone()]
    }

    fn empty(&self, text: &str, what: &str) -> Vec<Diagnostic> {
        let message = format!("`{}` has not even {what}", self.name(text));
        vec![Diagnostic::error(message, place(self.first().name.clone()))]
    }

    pub(super) fn interfaces<'a>(&self, text: &'a str) -> Vec<&'a str> {
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

    pub(super) fn definition(&self, text: &str) -> &Found<Arc<TypeDefinition>> {
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
            self.distinct(text, &kind)?;
            let first = self.first();
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

    /// Names within the definition; those of fields are looked at where they are read.
    fn distinct(&self, text: &str, kind: &TypeKind) -> Found<()> {
        let (what, names): (_, Vec<&str>) = match kind {
            TypeKind::Union { members } => ("a member", members.iter().map(|m| &**m).collect()),
            TypeKind::Enum { values } => ("a value", values.iter().map(|v| &*v.name).collect()),
            TypeKind::Input { fields, .. } => {
                ("a field", fields.iter().map(|f| &*f.name).collect())
            }
            TypeKind::Object { interfaces, .. } | TypeKind::Interface { interfaces, .. } => {
                let names: Vec<_> = interfaces.iter().map(|i| &**i).collect();
                return distinct_words(
                    self.name(text),
                    "the interface",
                    &names,
                    text,
                    &self.rests(),
                );
            }
            TypeKind::Scalar => return Ok(()),
        };
        if names.is_empty() {
            return Err(self.empty(text, what));
        }
        distinct_words(self.name(text), what, &names, text, &self.rests())
    }

    /// The texts behind the name.
    fn rests(&self) -> Vec<Range<usize>> {
        let entries = self.entries.iter();
        entries
            .map(|entry| entry.name.end..entry.range.end)
            .collect()
    }

    fn all_fields(&self, text: &str) -> Found<Vec<Arc<FieldDefinition>>> {
        let slots = self.fields(text).as_ref().map_err(Clone::clone)?;
        self.distinct_fields(text, slots)?;
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
            let range = &self.entry.range;
            let field = definition::field(&text[range.clone()])
                .map_err(|errors| problem::syntax(errors, text, range))?;
            let names: Vec<_> = field.arguments.iter().map(|a| &*a.name).collect();
            let within = self.entry.name.end..range.end;
            distinct_words(&field.name, "an argument", &names, text, &[within])?;
            Ok(Arc::new(field))
        })
    }
}

fn has_body(text: &str) -> bool {
    text.ends_with('}')
}

fn owned(names: Vec<&str>) -> Vec<String> {
    names.into_iter().map(str::to_owned).collect()
}
