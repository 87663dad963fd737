use bluejay_core::AsIter;
use bluejay_parser::ast::Value as Parsed;

use crate::document::Value;

pub(super) fn convert<const CONST: bool>(value: &Parsed<'_, CONST>) -> Value {
    match value {
        Parsed::Variable(variable) => Value::Variable(variable.name().to_owned()),
        Parsed::Integer(digits) => Value::Int(digits.as_ref().to_owned()),
        Parsed::Float(float) => Value::Float(*float.as_ref()),
        Parsed::String(text) => Value::String(text.as_ref().to_owned()),
        Parsed::Boolean(_) => {
            let value: bluejay_core::ValueReference<'_, CONST, _> =
                bluejay_core::Value::as_ref(value);
            Value::Boolean(matches!(value, bluejay_core::ValueReference::Boolean(true)))
        }
        Parsed::Null(_) => Value::Null,
        Parsed::Enum(name) => Value::Enum(name.as_ref().to_owned()),
        Parsed::List(items) => Value::List(items.iter().map(convert).collect()),
        Parsed::Object(fields) => {
            let field = |(name, value): &(_, _)| field_of(name, value);
            Value::Object(fields.iter().map(field).collect())
        }
    }
}

fn field_of<const CONST: bool>(
    name: &impl AsRef<str>,
    value: &Parsed<'_, CONST>,
) -> (String, Value) {
    (name.as_ref().to_owned(), convert(value))
}
