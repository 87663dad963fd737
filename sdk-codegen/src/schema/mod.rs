//! The schema: what types there are, and how to look them up.

mod bare;
mod definition;
pub mod introspection;
mod possible;

pub use bare::without_descriptions;
pub(crate) use definition::is_built_in_scalar;
pub use definition::{
    DirectiveDefinition, EnumValue, FieldDefinition, InputDefinition, TypeDefinition, TypeKind,
    TypeRef, lists_user_errors,
};
pub(crate) use possible::PossibleTypes;

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::diagnostic::Diagnostics;
use crate::source::Source;
use crate::syntax::{self, Sdl};

/// The client directives (`@cost`, `@max`, `@bulk`, `@paginate`) as SDL, for editors. They are
/// known to validation and stripped from what is sent.
pub const CLIENT_DIRECTIVES: &str = include_str!("client.graphql");

/// A schema. Definitions are found when it is read, and parsed when they are first looked up,
/// since an app reaches few of them.
#[derive(Debug)]
pub struct Schema {
    source: Source,
    sdl: Sdl,
    directives: OnceLock<Vec<DirectiveDefinition>>,
}

impl Schema {
    /// Reads SDL; `extend …` is merged into what it extends.
    ///
    /// # Errors
    /// Text that is not a list of definitions, duplicates, extensions of nothing, missing root
    /// types, each with its place. What is wrong inside a definition shows when a document
    /// reaches it, or in [`Self::check`].
    pub fn from_sdl(source: Source) -> Result<Self, Diagnostics> {
        let sdl = Sdl::read(&source)?;
        Ok(Self {
            source,
            sdl,
            directives: OnceLock::new(),
        })
    }

    /// As [`Self::from_sdl`]; the schema that was read last in this process is kept, since a crate
    /// may call a macro for each of its operations.
    ///
    /// # Errors
    /// Those of [`Self::from_sdl`].
    pub fn shared(source: Source) -> Result<Arc<Self>, Diagnostics> {
        static LAST: Mutex<Option<Arc<Schema>>> = Mutex::new(None);
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(schema) = last.as_ref().filter(|schema| schema.source == source) {
            return Ok(Arc::clone(schema));
        }
        let schema = Arc::new(Self::from_sdl(source)?);
        *last = Some(Arc::clone(&schema));
        Ok(schema)
    }

    /// Looks at every definition, reached or not.
    ///
    /// # Errors
    /// Definitions that cannot be parsed, names that are undefined or of the wrong kind, names
    /// given twice, interfaces that implement themselves.
    pub fn check(&self) -> Result<(), Diagnostics> {
        match syntax::check(&self.sdl) {
            problems if problems.is_empty() => Ok(()),
            problems => Err(Diagnostics::new(vec![self.source.clone()], problems)),
        }
    }

    /// The SDL.
    #[must_use]
    pub fn source(&self) -> &Source {
        &self.source
    }

    pub(crate) fn sdl(&self) -> &Sdl {
        &self.sdl
    }

    /// Name of the query root type.
    #[must_use]
    pub fn query_type(&self) -> &str {
        self.sdl.query()
    }

    /// Name of the mutation root type.
    #[must_use]
    pub fn mutation_type(&self) -> Option<&str> {
        self.sdl.mutation()
    }

    /// Name of the subscription root type.
    #[must_use]
    pub fn subscription_type(&self) -> Option<&str> {
        self.sdl.subscription()
    }

    /// The type of that name, built-in scalars and introspection types included. All its fields
    /// are parsed; [`Self::field`] parses only one.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<TypeDefinition>> {
        self.sdl.get(name)
    }

    /// Names of all types, sorted.
    pub fn type_names(&self) -> impl Iterator<Item = &str> {
        self.sdl.type_names()
    }

    /// Whether it is a scalar, told without parsing it.
    #[must_use]
    pub fn is_scalar(&self, name: &str) -> bool {
        self.sdl.is_scalar(name)
    }

    /// Whether there is a directive of this name.
    #[must_use]
    pub fn has_directive(&self, name: &str) -> bool {
        self.sdl.has_directive(name)
    }

    /// The directives that the schema declares, sorted by name, `@include` and `@skip` among them;
    /// the client directives are not.
    #[must_use]
    pub fn directives(&self) -> &[DirectiveDefinition] {
        let read = || self.sdl.directive_definitions().collect();
        self.directives.get_or_init(read)
    }

    /// The URL of a scalar's specification (`@specifiedBy`).
    #[must_use]
    pub fn specified_by(&self, scalar: &str) -> Option<String> {
        self.sdl.specified_by(scalar)
    }

    /// The field of a composite type, `__typename` and, on the query root, `__schema` and
    /// `__type` included.
    #[must_use]
    pub fn field(&self, parent: &str, name: &str) -> Option<Arc<FieldDefinition>> {
        if name == "__typename" {
            return Some(Arc::clone(definition::typename()));
        }
        if parent == self.query_type() && (name == "__schema" || name == "__type") {
            return Some(Arc::new(definition::introspection(name)));
        }
        self.sdl.field(parent, name)
    }

    /// The object types that a value of this type can have: itself for an object, the
    /// implementors or members for an interface or union, sorted by name; empty for other kinds.
    #[must_use]
    pub fn possible_types(&self, name: &str) -> Vec<String> {
        self.sdl.possible_types(name)
    }
}
