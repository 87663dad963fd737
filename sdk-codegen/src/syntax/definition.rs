use std::sync::Arc;

use bluejay_core::definition::{
    EnumTypeDefinition as _, EnumValueDefinition as _, FieldDefinition as _, HasDirectives,
    InputObjectTypeDefinition as _, InputType as _, InputValueDefinition as _,
    InterfaceImplementation as _, InterfaceTypeDefinition as _, ObjectTypeDefinition as _,
    OutputType as _, SchemaDefinition, ShallowInputTypeReference, ShallowOutputTypeReference,
    TypeDefinitionReference, UnionMemberType as _, UnionTypeDefinition as _,
};
use bluejay_core::{AsIter, ValueReference};
use bluejay_parser::ast::definition as parsed;

use super::value;
use crate::schema::{
    EnumValue, FieldDefinition, InputDefinition, TypeDefinition, TypeKind, TypeRef,
};

type Linked<'a> = parsed::SchemaDefinition<'a, parsed::DefaultContext>;

pub(super) fn convert(definition: &TypeDefinitionReference<'_, Linked<'_>>) -> TypeDefinition {
    let kind = match definition {
        TypeDefinitionReference::BuiltinScalar(_) | TypeDefinitionReference::CustomScalar(_) => {
            TypeKind::Scalar
        }
        TypeDefinitionReference::Object(object) => TypeKind::Object {
            fields: fields(object.fields_definition()),
            interfaces: interfaces(object.interface_implementations()),
        },
        TypeDefinitionReference::Interface(interface) => TypeKind::Interface {
            fields: fields(interface.fields_definition()),
            interfaces: interfaces(interface.interface_implementations()),
        },
        TypeDefinitionReference::Union(union) => {
            let members = union.union_member_types().iter();
            TypeKind::Union {
                members: members.map(|member| member.name().to_owned()).collect(),
            }
        }
        TypeDefinitionReference::Enum(definition) => {
            let values = definition.enum_value_definitions().iter();
            TypeKind::Enum {
                values: values.map(enum_value).collect(),
            }
        }
        TypeDefinitionReference::InputObject(input) => {
            let one_of = input.directives().is_some_and(|directives| {
                directives
                    .iter()
                    .any(|directive| bluejay_core::Directive::name(directive) == "oneOf")
            });
            let fields = input
                .input_field_definitions()
                .iter()
                .map(input_value)
                .collect();
            TypeKind::Input { fields, one_of }
        }
    };
    TypeDefinition {
        name: definition.name().to_owned(),
        description: definition.description().map(str::to_owned),
        kind,
    }
}

fn fields(
    fields: &parsed::FieldsDefinition<'_, parsed::DefaultContext>,
) -> Vec<Arc<FieldDefinition>> {
    let ours = fields.iter().filter(|field| !field.is_builtin());
    ours.map(|field| Arc::new(convert_field(field))).collect()
}

fn convert_field(field: &parsed::FieldDefinition<'_, parsed::DefaultContext>) -> FieldDefinition {
    let arguments = field
        .arguments_definition()
        .map(|arguments| arguments.iter());
    FieldDefinition {
        name: field.name().to_owned(),
        description: field.description().map(str::to_owned),
        arguments: arguments.into_iter().flatten().map(input_value).collect(),
        ty: output_type(&field.r#type().as_shallow_ref()),
        deprecated: deprecation(field),
    }
}

fn interfaces(
    interfaces: Option<&parsed::InterfaceImplementations<'_, parsed::DefaultContext>>,
) -> Vec<String> {
    let interfaces = interfaces.map(|list| list.iter()).into_iter().flatten();
    interfaces
        .map(|interface| interface.name().to_owned())
        .collect()
}

fn enum_value(value: &parsed::EnumValueDefinition<'_, parsed::DefaultContext>) -> EnumValue {
    EnumValue {
        name: value.name().to_owned(),
        description: value.description().map(str::to_owned),
        deprecated: deprecation(value),
    }
}

fn input_value(
    input: &parsed::InputValueDefinition<'_, parsed::DefaultContext>,
) -> InputDefinition {
    InputDefinition {
        name: input.name().to_owned(),
        description: input.description().map(str::to_owned),
        ty: input_type(&input.r#type().as_shallow_ref()),
        default: input.default_value().map(value::convert),
        deprecated: deprecation(input),
    }
}

fn output_type<S: SchemaDefinition>(ty: &ShallowOutputTypeReference<'_, S>) -> TypeRef {
    match ty {
        ShallowOutputTypeReference::Base(name, non_null) => TypeRef::Named {
            name: (*name).to_owned(),
            non_null: *non_null,
        },
        ShallowOutputTypeReference::List(item, non_null) => TypeRef::List {
            item: Box::new(output_type(&item.as_shallow_ref())),
            non_null: *non_null,
        },
    }
}

fn input_type<S: SchemaDefinition>(ty: &ShallowInputTypeReference<'_, S>) -> TypeRef {
    match ty {
        ShallowInputTypeReference::Base(name, non_null) => TypeRef::Named {
            name: (*name).to_owned(),
            non_null: *non_null,
        },
        ShallowInputTypeReference::List(item, non_null) => TypeRef::List {
            item: Box::new(input_type(&item.as_shallow_ref())),
            non_null: *non_null,
        },
    }
}

/// The reason of `@deprecated`, or the specification's default reason.
fn deprecation<'a, T>(subject: &T) -> Option<String>
where
    T: HasDirectives<Directives = parsed::Directives<'a, parsed::DefaultContext>>,
{
    let directive = subject
        .directives()?
        .iter()
        .find(|directive| bluejay_core::Directive::name(*directive) == "deprecated")?;
    let arguments = bluejay_core::Directive::arguments(directive);
    let reason = arguments
        .and_then(|arguments| arguments.iter().next())
        .and_then(|argument| {
            match bluejay_core::Value::as_ref(bluejay_core::Argument::value(argument)) {
                ValueReference::String(reason) => Some(reason.to_owned()),
                _ => None,
            }
        });
    Some(reason.unwrap_or_else(|| "No longer supported".into()))
}
