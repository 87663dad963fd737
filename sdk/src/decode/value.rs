use serde::de::DeserializeOwned;

use super::{Decode, Failed, Object, Reader, Select};
use crate::answer::Said;

impl Decode for String {
    #[inline]
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Failed> {
        reader.string().map(std::borrow::Cow::into_owned)
    }
}

impl Decode for bool {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Failed> {
        reader.boolean()
    }
}

/// `Int`: 32 bits with sign, by the specification.
impl Decode for i32 {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Failed> {
        parse(reader, "Int")
    }
}

/// `Float`: what is too large for 64 bits is an error.
impl Decode for f64 {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Failed> {
        reader.peek();
        let start = reader.at();
        match reader.number("Float")?.parse::<Self>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(reader.fail_at(start, "Float")),
        }
    }
}

pub(crate) fn parse<T: std::str::FromStr>(
    reader: &mut Reader<'_>,
    expected: &'static str,
) -> Result<T, Failed> {
    reader.peek();
    let start = reader.at();
    let number = reader.number(expected)?.parse();
    number.map_err(|_| reader.fail_at(start, expected))
}

impl<T: Decode> Decode for Option<T> {
    #[inline]
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Failed> {
        if reader.null() {
            return Ok(None);
        }
        Ok(Some(take!(T::decode(reader))))
    }
}

impl<T: Decode> Decode for Vec<T> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Failed> {
        let mut items = Self::new();
        let mut more = reader.list();
        while more {
            items.push(take!(T::decode(reader)));
            more = reader.more();
        }
        Ok(items)
    }
}

/// Any JSON, as deep as `serde_json` goes.
impl Decode for serde_json::Value {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Failed> {
        foreign(reader)
    }
}

pub(crate) fn foreign<T: DeserializeOwned>(reader: &mut Reader<'_>) -> Result<T, Failed> {
    reader.peek();
    let start = reader.at();
    let value = serde_json::from_str(reader.skip()?);
    value.map_err(|error| {
        let place = format!(" at line {} column {}", error.line(), error.column());
        let reason = error.to_string();
        let reason = reason.strip_suffix(&place).unwrap_or(&reason);
        let expected = format!("{} ({})", std::any::type_name::<T>(), Said(reason));
        reader.fail_at(start, expected)
    })
}

/// An object of a type that the document names no fields for, or that the schema did not have when
/// the code was generated.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct OtherType {
    /// Its `__typename`.
    #[serde(rename = "__typename")]
    pub typename: String,
}

impl Select for OtherType {
    fn select(object: &mut Object<'_, '_>) -> Result<Self, Failed> {
        let typename = object.typename()?.into_owned();
        Ok(Self { typename })
    }
}
