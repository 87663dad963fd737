//! Decoding of answers into generated types.
//!
//! Generated code is one function per type, which asks for field after field, or is a `match` on
//! `__typename` ([`Select`]). Everything else is here, on a [`Reader`] over the text, so that a type
//! costs a build little and nothing is buffered.
//!
//! What is decoded how: keys that the type does not know are ignored; of equal keys, which no server
//! writes, one counts; half a surrogate pair becomes U+FFFD; a number that its type cannot hold is an error, as
//! is a missing field that is not nullable. Depth is limited by the type, never by the stack.

/// `?` without its calls: generated types make many copies of the code here, and a copy of `?` for
/// each type is most of what a debug build would compile.
macro_rules! take {
    ($result:expr) => {
        match $result {
            Ok(value) => value,
            Err(failed) => return Err(failed),
        }
    };
}

mod answer;
mod enumeration;
mod error;
mod object;
mod path;
mod reader;
mod select;
#[cfg(test)]
mod tests;
mod text;
mod value;

use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::value::RawValue;

pub use answer::{
    Answer, answer_serialize, field_write, fragment_write, optional_write, variant_write,
};
pub use enumeration::{Enum, UnknownValue, enum_decode, enum_from, enum_str};
pub use error::{DecodeError, Failed};
pub use object::Object;
pub use reader::Reader;
pub use select::{Select, record_fmt};
pub(crate) use text::plain;
pub use value::OtherType;
pub(crate) use value::{foreign, parse};

/// A type that can be read from an answer.
pub trait Decode: Sized {
    /// Reads the next value.
    ///
    /// # Errors
    /// When the value is of another type.
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Failed>;
}

/// Reads one value from JSON text.
///
/// # Errors
/// [`DecodeError`], when the text does not fit the type or something follows the value.
pub fn from_str<T: Decode>(text: &str) -> Result<T, DecodeError> {
    let mut reader = Reader::new(text);
    if let Ok(value) = T::decode(&mut reader)
        && reader.end().is_ok()
    {
        return Ok(value);
    }
    Err(reader.into_error())
}

/// [`Deserialize`] for generated types, for code written for `graphql_client`. Only `serde_json`'s
/// deserializers can do it.
///
/// # Errors
/// Those of the deserializer; a [`DecodeError`] as its custom error.
pub fn deserialize<'de, T: Decode, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let text = Box::<RawValue>::deserialize(deserializer)?;
    from_str(text.get()).map_err(D::Error::custom)
}
