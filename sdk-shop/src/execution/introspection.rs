//! `__schema` and `__type`, from the schema itself.

use std::sync::Arc;

use serde_json::Value;
use tollgate_codegen::schema::{
    DirectiveDefinition, EnumValue, FieldDefinition, InputDefinition, TypeDefinition, TypeKind,
    TypeRef,
};

use super::level::Chosen;
use super::{Execution, Resolved};

/// A value of introspection.
#[derive(Clone, Debug)]
pub(super) enum Meta<'a> {
    Schema,
    Type(&'a Arc<TypeDefinition>),
    /// A type with its lists and non-nulls still around it.
    Wrapped(TypeRef),
    Field(&'a FieldDefinition),
    Input(&'a InputDefinition),
    EnumValue(&'a EnumValue),
    Directive(&'a DirectiveDefinition),
}

/// A piece of text that may be missing.
fn text<'a>(text: Option<&str>) -> Resolved<'a> {
    text.map_or(Resolved::Null, |text| Resolved::Leaf(text.into()))
}

fn list<'a>(items: impl Iterator<Item = Meta<'a>>) -> Resolved<'a> {
    Resolved::List(items.map(Resolved::Meta).collect())
}

fn leaves<'a>(words: &[String]) -> Vec<Resolved<'a>> {
    words.iter().map(|word| text(Some(word))).collect()
}

impl<'a> Execution<'a> {
    /// `__schema` or `__type(name:)`.
    pub(super) fn introspect(&self, chosen: &Chosen<'a>) -> Resolved<'a> {
        if chosen.field.name == "__schema" {
            return Resolved::Meta(Meta::Schema);
        }
        let name = chosen.argument("name").and_then(Value::as_str);
        name.map_or(Resolved::Null, |name| self.type_named(name))
    }

    fn type_named(&self, name: &str) -> Resolved<'a> {
        let ty = self.world().schema.get(name);
        ty.map_or(Resolved::Null, |ty| Resolved::Meta(Meta::Type(ty)))
    }

    fn types_named<'n>(&self, names: impl Iterator<Item = &'n str>) -> Resolved<'a> {
        let schema = &self.world().schema;
        list(names.filter_map(|name| schema.get(name)).map(Meta::Type))
    }

    fn type_reference(&self, ty: &TypeRef) -> Resolved<'a> {
        match ty {
            TypeRef::Named {
                name,
                non_null: false,
            } => self.type_named(name),
            wrapped => Resolved::Meta(Meta::Wrapped(wrapped.clone())),
        }
    }

    pub(super) fn meta_field(&self, meta: &Meta<'a>, chosen: &Chosen<'a>) -> Resolved<'a> {
        let name = chosen.field.name.as_str();
        match meta {
            Meta::Schema => self.schema_field(name),
            Meta::Type(ty) => self.type_field(ty, chosen),
            Meta::Wrapped(ty) => self.wrapped_field(ty, name),
            Meta::Field(field) => match name {
                "args" => {
                    list(current(&field.arguments, |a| &a.deprecated, chosen).map(Meta::Input))
                }
                "type" => self.type_reference(&field.ty),
                _ => described(name, &field.name, &field.description, &field.deprecated),
            },
            Meta::Input(input) => match name {
                "type" => self.type_reference(&input.ty),
                "defaultValue" => {
                    let default = input.default.as_ref().map(ToString::to_string);
                    text(default.as_deref())
                }
                _ => described(name, &input.name, &input.description, &input.deprecated),
            },
            Meta::Directive(directive) => match name {
                "args" => {
                    list(current(&directive.arguments, |a| &a.deprecated, chosen).map(Meta::Input))
                }
                "locations" => Resolved::List(leaves(&directive.locations)),
                "isRepeatable" => Resolved::Leaf(directive.repeatable.into()),
                _ => described(name, &directive.name, &directive.description, &None),
            },
            Meta::EnumValue(value) => {
                described(name, &value.name, &value.description, &value.deprecated)
            }
        }
    }

    fn schema_field(&self, name: &str) -> Resolved<'a> {
        let schema = &self.world().schema;
        match name {
            "types" => self.types_named(schema.type_names()),
            "queryType" => self.type_named(schema.query_type()),
            "mutationType" => self.root(schema.mutation_type()),
            "subscriptionType" => self.root(schema.subscription_type()),
            "directives" => list(schema.directives().iter().map(Meta::Directive)),
            _ => Resolved::Null,
        }
    }

    fn root(&self, name: Option<&str>) -> Resolved<'a> {
        name.map_or(Resolved::Null, |name| self.type_named(name))
    }

    fn type_field(&self, ty: &'a Arc<TypeDefinition>, chosen: &Chosen<'a>) -> Resolved<'a> {
        match (chosen.field.name.as_str(), &ty.kind) {
            ("kind", kind) => Resolved::Leaf(kind_name(kind).into()),
            ("name", _) => text(Some(&ty.name)),
            ("description", _) => text(ty.description.as_deref()),
            ("fields", TypeKind::Object { fields, .. } | TypeKind::Interface { fields, .. }) => {
                let fields = fields.iter().map(|field| &**field);
                let fields = fields.filter(|field| shown(&field.deprecated, chosen));
                list(fields.map(Meta::Field))
            }
            (
                "interfaces",
                TypeKind::Object { interfaces, .. } | TypeKind::Interface { interfaces, .. },
            ) => self.types_named(interfaces.iter().map(String::as_str)),
            ("possibleTypes", TypeKind::Interface { .. } | TypeKind::Union { .. }) => {
                let names = self.world().schema.possible_types(&ty.name);
                self.types_named(names.iter().map(String::as_str))
            }
            ("enumValues", TypeKind::Enum { values }) => {
                list(current(values, |value| &value.deprecated, chosen).map(Meta::EnumValue))
            }
            ("isOneOf", TypeKind::Input { one_of, .. }) => Resolved::Leaf((*one_of).into()),
            ("specifiedByURL", TypeKind::Scalar) => {
                text(self.world().schema.specified_by(&ty.name).as_deref())
            }
            ("inputFields", TypeKind::Input { fields, .. }) => {
                list(current(fields, |field| &field.deprecated, chosen).map(Meta::Input))
            }
            _ => Resolved::Null,
        }
    }

    fn wrapped_field(&self, ty: &TypeRef, name: &str) -> Resolved<'a> {
        match (name, ty.is_non_null()) {
            ("kind", true) => text(Some("NON_NULL")),
            ("kind", false) => text(Some("LIST")),
            ("ofType", true) => self.type_reference(&nullable(ty)),
            ("ofType", false) => match ty {
                TypeRef::List { item, .. } => self.type_reference(item),
                TypeRef::Named { .. } => Resolved::Null,
            },
            _ => Resolved::Null,
        }
    }
}

fn nullable(ty: &TypeRef) -> TypeRef {
    let mut ty = ty.clone();
    match &mut ty {
        TypeRef::Named { non_null, .. } | TypeRef::List { non_null, .. } => *non_null = false,
    }
    ty
}

/// Whether a definition is listed: deprecated ones only when they are asked for.
fn shown(deprecated: &Option<String>, chosen: &Chosen<'_>) -> bool {
    deprecated.is_none() || chosen.argument("includeDeprecated") == Some(&Value::Bool(true))
}

fn current<'a, T>(
    items: &'a [T],
    deprecated: impl Fn(&T) -> &Option<String>,
    chosen: &Chosen<'_>,
) -> impl Iterator<Item = &'a T> {
    items
        .iter()
        .filter(move |item| shown(deprecated(item), chosen))
}

fn described<'a>(
    asked: &str,
    name: &str,
    description: &Option<String>,
    deprecated: &Option<String>,
) -> Resolved<'a> {
    match asked {
        "name" => text(Some(name)),
        "description" => text(description.as_deref()),
        "isDeprecated" => Resolved::Leaf(deprecated.is_some().into()),
        "deprecationReason" => text(deprecated.as_deref()),
        _ => Resolved::Null,
    }
}

fn kind_name(kind: &TypeKind) -> &'static str {
    match kind {
        TypeKind::Scalar => "SCALAR",
        TypeKind::Object { .. } => "OBJECT",
        TypeKind::Interface { .. } => "INTERFACE",
        TypeKind::Union { .. } => "UNION",
        TypeKind::Enum { .. } => "ENUM",
        TypeKind::Input { .. } => "INPUT_OBJECT",
    }
}
