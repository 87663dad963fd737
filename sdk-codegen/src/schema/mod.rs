//! The schema: what types there are, and how to look them up.

mod definition;

pub use definition::{
    EnumValue, FieldDefinition, InputDefinition, TypeDefinition, TypeKind, TypeRef,
};

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use crate::diagnostic::Diagnostics;
use crate::source::Source;
use crate::syntax;

/// The client directives (`@cost`, `@max`, `@bulk`, `@paginate`) as SDL, for editors. They are
/// known to validation and stripped from what is sent.
pub const CLIENT_DIRECTIVES: &str = include_str!("client.graphql");

/// A schema, parsed. Types are converted when first looked up, since an app reaches few of them.
#[derive(Debug)]
pub struct Schema {
    source: Source,
    parsed: syntax::ParsedSchema,
    types: BTreeMap<String, OnceLock<Arc<TypeDefinition>>>,
    query: String,
    mutation: Option<String>,
}

impl Schema {
    /// Parses SDL.
    ///
    /// # Errors
    /// Syntax errors, duplicate or missing definitions, each with its place.
    pub fn from_sdl(source: Source) -> Result<Self, Diagnostics> {
        let parsed = syntax::ParsedSchema::parse(&source)?;
        let types = parsed
            .type_names()
            .map(|name| (name.to_owned(), OnceLock::new()))
            .collect();
        let (query, mutation) = parsed.roots();
        Ok(Self {
            source,
            parsed,
            types,
            query,
            mutation,
        })
    }

    /// The SDL.
    #[must_use]
    pub fn source(&self) -> &Source {
        &self.source
    }

    pub(crate) fn parsed(&self) -> &syntax::ParsedSchema {
        &self.parsed
    }

    /// Name of the query root type.
    #[must_use]
    pub fn query_type(&self) -> &str {
        &self.query
    }

    /// Name of the mutation root type.
    #[must_use]
    pub fn mutation_type(&self) -> Option<&str> {
        self.mutation.as_deref()
    }

    /// The type of that name, built-in scalars and introspection types included.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<TypeDefinition>> {
        let slot = self.types.get(name)?;
        Some(slot.get_or_init(|| Arc::new(self.parsed.definition(name))))
    }

    /// Names of all types, sorted.
    pub fn type_names(&self) -> impl Iterator<Item = &str> {
        self.types.keys().map(String::as_str)
    }

    /// The field of a composite type, `__typename` and, on the query root, `__schema` and
    /// `__type` included.
    #[must_use]
    pub fn field(&self, parent: &str, name: &str) -> Option<Arc<FieldDefinition>> {
        if name == "__typename" {
            return Some(Arc::clone(definition::typename()));
        }
        if parent == self.query && (name == "__schema" || name == "__type") {
            return Some(Arc::new(definition::introspection(name)));
        }
        self.get(parent)?
            .fields()
            .iter()
            .find(|field| field.name == name)
            .cloned()
    }

    /// The object types that a value of this type can have: itself for an object, the
    /// implementors or members for an interface or union, sorted by name; empty for other kinds.
    #[must_use]
    pub fn possible_types(&self, name: &str) -> Vec<String> {
        let Some(definition) = self.get(name) else {
            return Vec::new();
        };
        match &definition.kind {
            TypeKind::Object { .. } => vec![name.to_owned()],
            TypeKind::Union { members } => {
                let mut members = members.clone();
                members.sort();
                members
            }
            TypeKind::Interface { .. } => self.parsed.implementors(name),
            _ => Vec::new(),
        }
    }
}
