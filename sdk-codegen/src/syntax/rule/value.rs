use bluejay_core::Value as _;
use bluejay_parser::HasSpan;
use bluejay_parser::ast::Value;
use bluejay_validator::value::input_coercion::Error as ValueError;

use super::Reporter;
use crate::diagnostic::{Diagnostic, did_you_mean};
use crate::schema::TypeKind;

impl Reporter<'_> {
    pub(super) fn value<'a, const CONST: bool>(
        &self,
        error: &ValueError<'a, CONST, Value<'a, CONST>>,
    ) -> Diagnostic {
        match error {
            ValueError::NullValueForRequiredType {
                value,
                input_type_name,
                ..
            } => self.error(format!("`{input_type_name}` may not be null"), *value),
            ValueError::NoImplicitConversion {
                value,
                input_type_name,
                ..
            } => {
                let given = value.as_ref().variant();
                self.error(
                    format!("`{input_type_name}` is needed, not {given}"),
                    *value,
                )
            }
            ValueError::IntegerOutOfRange { value, .. } => self.error(
                "an `Int` lies between -2147483648 and 2147483647".into(),
                *value,
            ),
            ValueError::NonFiniteFloat { value, .. } => {
                self.error("a `Float` must be finite".into(), *value)
            }
            ValueError::NoEnumMemberWithName {
                name,
                value,
                enum_type_name,
                ..
            } => {
                let known = match self.sdl.get(enum_type_name).map(|ty| &ty.kind) {
                    Some(TypeKind::Enum { values }) => values.as_slice(),
                    _ => &[],
                };
                let help = did_you_mean("", name, known.iter().map(|value| value.name.as_str()));
                self.error(format!("`{enum_type_name}` has no value `{name}`"), *value)
                    .with_helps(help)
            }
            ValueError::NoValueForRequiredFields {
                value,
                field_names,
                input_object_type_name,
                ..
            } => {
                let names: Vec<_> = field_names.iter().map(|name| format!("`{name}`")).collect();
                let names = names.join(", ");
                self.error(format!("`{input_object_type_name}` needs {names}"), *value)
            }
            ValueError::NonUniqueFieldNames {
                field_name, keys, ..
            } => {
                let places: Vec<_> = keys.iter().map(|key| key.span()).collect();
                self.repeated(format!("`{field_name}` is given twice"), &places)
            }
            ValueError::NoInputFieldWithName {
                field,
                input_object_type_name: input,
                ..
            } => {
                let name: &str = field.as_ref();
                let known = self
                    .sdl
                    .get(input)
                    .map(|ty| ty.input_fields())
                    .unwrap_or_default();
                let help = did_you_mean("", name, known.iter().map(|field| field.name.as_str()));
                self.error(format!("`{input}` has no field `{name}`"), *field)
                    .with_helps(help)
            }
            ValueError::CustomScalarInvalidValue { value, message, .. } => {
                self.error(message.to_string(), *value)
            }
            ValueError::OneOfInputNullValues {
                value,
                input_object_type_name: input,
                ..
            }
            | ValueError::OneOfInputNotSingleNonNullValue {
                value,
                input_object_type_name: input,
                ..
            } => self.error(
                format!("`{input}` takes exactly one field, not null"),
                *value,
            ),
        }
    }
}
