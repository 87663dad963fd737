use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::document::Value;

/// A type of the schema.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeDefinition {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: Option<String>,
    /// What it is.
    pub kind: TypeKind,
}

/// The kinds of types.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// A scalar, built in or custom.
    Scalar,
    /// An object.
    Object {
        /// Its fields, in the order of the schema.
        fields: Vec<Arc<FieldDefinition>>,
        /// The interfaces it implements.
        interfaces: Vec<String>,
    },
    /// An interface.
    Interface {
        /// Its fields, in the order of the schema.
        fields: Vec<Arc<FieldDefinition>>,
        /// The interfaces it implements.
        interfaces: Vec<String>,
    },
    /// A union.
    Union {
        /// Its members, in the order of the schema.
        members: Vec<String>,
    },
    /// An enum.
    Enum {
        /// Its values, in the order of the schema.
        values: Vec<EnumValue>,
    },
    /// An input object.
    Input {
        /// Its fields, in the order of the schema.
        fields: Vec<InputDefinition>,
        /// Whether exactly one field must be given (`@oneOf`).
        one_of: bool,
    },
}

impl TypeDefinition {
    /// The fields of an object or interface; none for other kinds.
    #[must_use]
    pub fn fields(&self) -> &[Arc<FieldDefinition>] {
        match &self.kind {
            TypeKind::Object { fields, .. } | TypeKind::Interface { fields, .. } => fields,
            _ => &[],
        }
    }

    /// The fields of an input object; none for other kinds.
    #[must_use]
    pub fn input_fields(&self) -> &[InputDefinition] {
        match &self.kind {
            TypeKind::Input { fields, .. } => fields,
            _ => &[],
        }
    }

    /// Whether it is an interface or a union.
    #[must_use]
    pub fn is_abstract(&self) -> bool {
        matches!(
            self.kind,
            TypeKind::Interface { .. } | TypeKind::Union { .. }
        )
    }

    /// Whether it is an object, an interface or a union.
    #[must_use]
    pub fn is_composite(&self) -> bool {
        self.is_abstract() || matches!(self.kind, TypeKind::Object { .. })
    }
}

/// A field of an object or interface.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldDefinition {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: Option<String>,
    /// Its arguments.
    pub arguments: Vec<InputDefinition>,
    /// Its type.
    pub ty: TypeRef,
    /// The reason, when it is deprecated.
    pub deprecated: Option<String>,
}

impl FieldDefinition {
    /// The argument of that name.
    #[must_use]
    pub fn argument(&self, name: &str) -> Option<&InputDefinition> {
        self.arguments.iter().find(|argument| argument.name == name)
    }
}

/// Whether a field of a mutation's answer lists what the server objects to: `userErrors`,
/// `mediaUserErrors`.
#[must_use]
pub fn lists_user_errors(name: &str, ty: &TypeRef) -> bool {
    ty.is_list() && name.to_lowercase().ends_with("usererrors")
}

/// Whether a name is that of a scalar that no schema defines.
pub(crate) fn is_built_in_scalar(name: &str) -> bool {
    matches!(name, "String" | "Int" | "Float" | "Boolean" | "ID")
}

/// An argument, or a field of an input object.
#[derive(Clone, Debug, PartialEq)]
pub struct InputDefinition {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: Option<String>,
    /// Its type.
    pub ty: TypeRef,
    /// The default the server takes when it is left out.
    pub default: Option<Value>,
    /// The reason, when it is deprecated.
    pub deprecated: Option<String>,
}

impl InputDefinition {
    /// Whether it must be given.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.ty.is_non_null() && self.default.is_none()
    }
}

/// A value of an enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumValue {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: Option<String>,
    /// The reason, when it is deprecated.
    pub deprecated: Option<String>,
}

/// A directive that the schema declares.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DirectiveDefinition {
    /// Its name, without `@`.
    pub name: String,
    /// Its description.
    pub description: Option<String>,
    /// Its arguments.
    pub arguments: Vec<InputDefinition>,
    /// Whether it may stand at one place more than once.
    pub repeatable: bool,
    /// Where it may stand, as `FIELD` or `INPUT_OBJECT`.
    pub locations: Vec<String>,
}

/// A reference to a type, with its lists and non-nulls.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TypeRef {
    /// A named type.
    Named {
        /// The name.
        name: String,
        /// Whether it cannot be null.
        non_null: bool,
    },
    /// A list.
    List {
        /// The type of the items.
        item: Box<TypeRef>,
        /// Whether the list itself cannot be null.
        non_null: bool,
    },
}

impl TypeRef {
    /// The named type at the core.
    #[must_use]
    pub fn base(&self) -> &str {
        match self {
            Self::Named { name, .. } => name,
            Self::List { item, .. } => item.base(),
        }
    }

    /// Whether the outermost level cannot be null.
    #[must_use]
    pub fn is_non_null(&self) -> bool {
        match self {
            Self::Named { non_null, .. } | Self::List { non_null, .. } => *non_null,
        }
    }

    /// Whether the outermost level is a list.
    #[must_use]
    pub fn is_list(&self) -> bool {
        matches!(self, Self::List { .. })
    }
}

impl fmt::Display for TypeRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named { name, .. } => f.write_str(name)?,
            Self::List { item, .. } => write!(f, "[{item}]")?,
        }
        f.write_str(if self.is_non_null() { "!" } else { "" })
    }
}

/// `__typename: String!`, a field of every composite type.
pub(super) fn typename() -> &'static Arc<FieldDefinition> {
    static TYPENAME: OnceLock<Arc<FieldDefinition>> = OnceLock::new();
    TYPENAME.get_or_init(|| {
        Arc::new(FieldDefinition {
            name: "__typename".into(),
            description: None,
            arguments: Vec::new(),
            ty: TypeRef::Named {
                name: "String".into(),
                non_null: true,
            },
            deprecated: None,
        })
    })
}

/// `__schema: __Schema!` or `__type(name: String!): __Type` of the query root.
pub(super) fn introspection(name: &str) -> FieldDefinition {
    let schema = name == "__schema";
    let string = TypeRef::Named {
        name: "String".into(),
        non_null: true,
    };
    let argument = InputDefinition {
        name: "name".into(),
        description: None,
        ty: string,
        default: None,
        deprecated: None,
    };
    FieldDefinition {
        name: name.into(),
        description: None,
        arguments: if schema { Vec::new() } else { vec![argument] },
        ty: TypeRef::Named {
            name: if schema { "__Schema" } else { "__Type" }.into(),
            non_null: schema,
        },
        deprecated: None,
    }
}
