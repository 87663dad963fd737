use bluejay_core::definition::{
    EnumTypeDefinition as _, EnumValueDefinition as _, FieldDefinition as _, HasDirectives,
    InputObjectTypeDefinition as _, InputType as _, InputValueDefinition as _, OutputType as _,
    SchemaDefinition, ShallowInputTypeReference, ShallowOutputTypeReference, UnionMemberType as _,
    UnionTypeDefinition as _,
};
use bluejay_core::{AsIter, ValueReference};
use bluejay_parser::Error;
use bluejay_parser::ast::definition::{self as parsed, DefaultContext};
use bluejay_parser::ast::{ConstValue, Parse};

use super::{MAX_DEPTH, value};
use crate::document::Value;
use crate::schema::{EnumValue, FieldDefinition, InputDefinition, TypeRef};

pub(super) fn parse<'a, T: Parse<'a>>(text: &'a str) -> Result<T, Vec<Error>> {
    let options = bluejay_parser::ast::ParseOptions {
        max_depth: MAX_DEPTH,
        ..Default::default()
    };
    T::parse_with_options(text, options).result
}

/// A string literal's value.
pub(super) fn string(literal: &str) -> Result<String, Vec<Error>> {
    match value::convert(&parse::<ConstValue<'_>>(literal)?) {
        Value::String(text) => Ok(text),
        other => Ok(other.to_string()),
    }
}

/// `name(arguments): Type @directives`, with its description.
pub(super) fn field(text: &str) -> Result<FieldDefinition, Vec<Error>> {
    let field: parsed::FieldDefinition<'_, DefaultContext> = parse(text)?;
    let arguments = field
        .arguments_definition()
        .map(|arguments| arguments.iter());
    Ok(FieldDefinition {
        name: field.name().to_owned(),
        description: field.description().map(str::to_owned),
        arguments: arguments.into_iter().flatten().map(input_value).collect(),
        ty: output_type(&field.r#type().as_shallow_ref()),
        deprecated: deprecation(&field),
    })
}

/// `union Name = A | B`.
pub(super) fn union_members(text: &str) -> Result<Vec<String>, Vec<Error>> {
    let union: parsed::UnionTypeDefinition<'_, DefaultContext> = parse(text)?;
    let members = union.union_member_types().iter();
    Ok(members.map(|member| member.name().to_owned()).collect())
}

/// `enum Name { … }`.
pub(super) fn enum_values(text: &str) -> Result<Vec<EnumValue>, Vec<Error>> {
    let definition: parsed::EnumTypeDefinition<'_, DefaultContext> = parse(text)?;
    let values = definition.enum_value_definitions().iter();
    let convert = |value: &parsed::EnumValueDefinition<'_, _>| EnumValue {
        name: value.name().to_owned(),
        description: value.description().map(str::to_owned),
        deprecated: deprecation(value),
    };
    Ok(values.map(convert).collect())
}

/// `input Name { … }`.
pub(super) fn input_fields(text: &str) -> Result<Vec<InputDefinition>, Vec<Error>> {
    let input: parsed::InputObjectTypeDefinition<'_, DefaultContext> = parse(text)?;
    let fields = input.input_field_definitions().iter();
    Ok(fields.map(input_value).collect())
}

pub(super) fn input_value(
    input: &parsed::InputValueDefinition<'_, DefaultContext>,
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
    T: HasDirectives<Directives = parsed::Directives<'a, DefaultContext>>,
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
