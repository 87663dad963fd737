//! What operations reach of a schema, by coordinate.

mod coordinate;

pub use coordinate::Coordinate;

use std::collections::{BTreeMap, BTreeSet};

use crate::document::{Document, Field, Operation, Selection, SelectionSet, Valid, Value};
use crate::schema::{FieldDefinition, Schema, TypeKind, TypeRef};
use crate::source::Span;

/// What one operation reaches of the schema, each coordinate with the place where it is reached
/// first.
///
/// A selected field counts with its type and the arguments it is given. A value that is written in
/// the document counts as far as it is written; a variable counts with everything it could carry.
#[derive(Clone, Debug)]
pub struct Usage {
    /// The operation.
    pub operation: String,
    places: BTreeMap<Coordinate, Place>,
}

#[derive(Clone, Debug)]
struct Place {
    span: Span,
    /// Where the document names it, in the order of the walk; nowhere when a variable or an answer
    /// merely could carry it.
    named: Vec<Span>,
}

/// A deprecated part of the schema that an operation uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deprecation {
    /// What is deprecated.
    pub coordinate: Coordinate,
    /// What the schema says of it.
    pub reason: String,
    /// Where the operation uses it.
    pub span: Span,
}

impl Usage {
    /// What the operation reaches.
    #[must_use]
    pub fn of(schema: &Schema, document: &Valid<Document>, operation: &Operation) -> Self {
        let mut walk = Walk {
            schema,
            document,
            entered: BTreeSet::new(),
            carried: BTreeSet::new(),
            places: BTreeMap::new(),
        };
        for variable in &operation.variables {
            walk.carried(variable.ty.base(), &variable.span);
            if let Some(default) = &variable.default {
                walk.value(default, &variable.ty, &variable.span);
            }
        }
        walk.selections(&operation.selections);
        Self {
            operation: operation.name.clone(),
            places: walk.places,
        }
    }

    /// Where the operation reaches the coordinate, if it does.
    #[must_use]
    pub fn place(&self, coordinate: &Coordinate) -> Option<&Span> {
        self.places.get(coordinate).map(|place| &place.span)
    }

    /// All coordinates reached, sorted.
    pub fn coordinates(&self) -> impl Iterator<Item = &Coordinate> {
        self.places.keys()
    }

    /// The deprecated fields, arguments, input fields and enum values that the document names, each
    /// at each of its places, in the order of their coordinates. What a variable or an answer merely
    /// could carry is left out.
    #[must_use]
    pub fn deprecations(&self, schema: &Schema) -> Vec<Deprecation> {
        let mut found = Vec::new();
        for (coordinate, place) in &self.places {
            let Some(reason) = deprecation(schema, coordinate) else {
                continue;
            };
            found.extend(place.named.iter().map(|span| Deprecation {
                coordinate: coordinate.clone(),
                reason: reason.clone(),
                span: span.clone(),
            }));
        }
        found
    }
}

/// Why a member or an argument is deprecated, if it is.
pub(crate) fn deprecation(schema: &Schema, coordinate: &Coordinate) -> Option<String> {
    let (on, rest) = coordinate.as_str().split_once('.')?;
    let (member, argument) = match rest.split_once('(') {
        Some((member, argument)) => (member, Some(argument.trim_end_matches(":)"))),
        None => (rest, None),
    };
    let definition = schema.get(on)?;
    match (&definition.kind, argument) {
        (_, Some(argument)) => {
            let field = schema.field(on, member)?;
            field.argument(argument)?.deprecated.clone()
        }
        (TypeKind::Enum { values }, None) => {
            let mut values = values.iter();
            values.find(|v| v.name == member)?.deprecated.clone()
        }
        (TypeKind::Input { fields, .. }, None) => {
            let mut fields = fields.iter();
            fields.find(|f| f.name == member)?.deprecated.clone()
        }
        (_, None) => schema.field(on, member)?.deprecated.clone(),
    }
}

struct Walk<'a> {
    schema: &'a Schema,
    document: &'a Document,
    /// Fragments seen.
    entered: BTreeSet<&'a str>,
    /// Types that a variable carries, seen.
    carried: BTreeSet<String>,
    places: BTreeMap<Coordinate, Place>,
}

impl<'a> Walk<'a> {
    /// The document names it.
    fn reach(&mut self, coordinate: Coordinate, span: &Span) {
        let place = self.places.entry(coordinate).or_insert_with(|| Place {
            span: span.clone(),
            named: Vec::new(),
        });
        if place.named.is_empty() {
            place.span = span.clone();
        }
        // All that a field names is reached before what is selected on it: who comes again comes next.
        if place.named.last() != Some(span) {
            place.named.push(span.clone());
        }
    }

    /// A variable or an answer could carry it.
    fn allow(&mut self, coordinate: Coordinate, span: &Span) {
        self.places.entry(coordinate).or_insert_with(|| Place {
            span: span.clone(),
            named: Vec::new(),
        });
    }

    fn selections(&mut self, set: &'a SelectionSet) {
        for selection in &set.items {
            match selection {
                Selection::Field(field) => self.field(&set.parent, field),
                Selection::Inline(inline) => {
                    self.reach(Coordinate::of_type(&inline.selections.parent), &inline.span);
                    self.selections(&inline.selections);
                }
                Selection::Spread(spread) => {
                    let fragment = self.document.fragments.get(&spread.fragment);
                    if let Some(fragment) = fragment
                        && self.entered.insert(&spread.fragment)
                    {
                        let parent = Coordinate::of_type(&fragment.selections.parent);
                        self.reach(parent, &fragment.span);
                        self.selections(&fragment.selections);
                    }
                }
            }
        }
    }

    fn field(&mut self, on: &str, field: &'a Field) {
        if field.name.starts_with("__") {
            return;
        }
        self.reach(Coordinate::of_type(on), &field.span);
        self.reach(Coordinate::member(on, &field.name), &field.span);
        self.returned(&field.definition, &field.span);
        for (name, value) in &field.arguments {
            self.reach(Coordinate::argument(on, &field.name, name), &field.span);
            if let Some(argument) = field.definition.argument(name) {
                self.value(value, &argument.ty, &field.span);
            }
        }
        if let Some(selections) = &field.selections {
            self.selections(selections);
        }
    }

    fn returned(&mut self, definition: &FieldDefinition, span: &Span) {
        let base = definition.ty.base();
        self.reach(Coordinate::of_type(base), span);
        if self
            .schema
            .get(base)
            .is_some_and(|ty| matches!(ty.kind, TypeKind::Enum { .. }))
        {
            self.carried(base, span);
        }
    }

    /// Everything that a value of this type can carry.
    fn carried(&mut self, type_name: &str, span: &Span) {
        if !self.carried.insert(type_name.to_owned()) {
            return;
        }
        self.allow(Coordinate::of_type(type_name), span);
        let Some(definition) = self.schema.get(type_name) else {
            return;
        };
        match &definition.kind {
            TypeKind::Enum { values } => {
                for value in values {
                    self.allow(Coordinate::member(type_name, &value.name), span);
                }
            }
            TypeKind::Input { fields, .. } => {
                for field in fields {
                    self.allow(Coordinate::member(type_name, &field.name), span);
                    self.carried(field.ty.base(), span);
                }
            }
            _ => {}
        }
    }

    /// What a written value names.
    fn value(&mut self, value: &Value, ty: &TypeRef, span: &Span) {
        let base = ty.base();
        self.reach(Coordinate::of_type(base), span);
        match value {
            Value::List(items) => {
                for item in items {
                    self.value(item, ty, span);
                }
            }
            Value::Enum(name) => self.reach(Coordinate::member(base, name), span),
            Value::Object(fields) => {
                let Some(definition) = self.schema.get(base) else {
                    return;
                };
                for (name, value) in fields {
                    self.reach(Coordinate::member(base, name), span);
                    let mut known = definition.input_fields().iter();
                    if let Some(field) = known.find(|field| field.name == *name) {
                        self.value(value, &field.ty, span);
                    }
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
