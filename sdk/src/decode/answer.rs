//! Answers as JSON again, by the names of the document: for caches, logs, and what a test has the
//! emulated shop answer.

use std::fmt::Debug;

use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::{Error, Map, Value, map::Entry};

use super::{Decode, Group, Keys, OtherType, Perhaps, Record, Spread, Through};

/// A type of answers that can be written as JSON. A fragment puts its fields into the object of the
/// selection that it is spread in.
pub trait Answer {
    /// Puts its fields into an object.
    ///
    /// # Errors
    /// When a type of the project cannot be written as JSON.
    fn write(&self, object: &mut Map<String, Value>) -> Result<(), Error>;
}

impl<T: Record> Answer for T
where
    T::Fields: Written,
{
    fn write(&self, object: &mut Map<String, Value>) -> Result<(), Error> {
        T::Fields::write(self.fields(), &mut Keys(T::KEYS), object)
    }
}

impl Answer for OtherType {
    fn write(&self, object: &mut Map<String, Value>) -> Result<(), Error> {
        put(object, "__typename", self.typename.as_str().into());
        Ok(())
    }
}

/// What a variant of an enum over `__typename` writes.
///
/// # Errors
/// Those of the answer.
pub fn variant_write(
    typename: &str,
    answer: &impl Answer,
    object: &mut Map<String, Value>,
) -> Result<(), Error> {
    put(object, "__typename", typename.into());
    answer.write(object)
}

/// `Serialize` of an answer.
///
/// # Errors
/// Those of the answer and of the serializer.
pub fn answer_serialize<S: Serializer>(
    answer: &impl Answer,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut object = Map::new();
    answer.write(&mut object).map_err(S::Error::custom)?;
    object.serialize(serializer)
}

/// A [`Group`] whose fields can be written.
pub trait Written: Group {
    /// Puts them into an object.
    ///
    /// # Errors
    /// When one of them cannot be written as JSON.
    fn write(
        refs: Self::Refs<'_>,
        keys: &mut Keys,
        object: &mut Map<String, Value>,
    ) -> Result<(), Error>;
}

impl<T: Decode + Debug + PartialEq + Serialize> Written for T {
    fn write(value: &T, keys: &mut Keys, object: &mut Map<String, Value>) -> Result<(), Error> {
        field(value, keys, object)
    }
}

impl<T: Debug + PartialEq + Serialize> Written for Through<T> {
    fn write(value: &T, keys: &mut Keys, object: &mut Map<String, Value>) -> Result<(), Error> {
        field(value, keys, object)
    }
}

impl<T: Answer + Debug + PartialEq> Written for Spread<T> {
    fn write(value: &T, keys: &mut Keys, object: &mut Map<String, Value>) -> Result<(), Error> {
        keys.next();
        value.write(object)
    }
}

impl<T: Answer + Debug + PartialEq> Written for Perhaps<T> {
    fn write(
        value: &Option<T>,
        keys: &mut Keys,
        object: &mut Map<String, Value>,
    ) -> Result<(), Error> {
        keys.next();
        let (mark, _) = keys.next();
        let Some(value) = value else { return Ok(()) };
        // That it is there is all that a mark says.
        put(object, mark, true.into());
        value.write(object)
    }
}

fn field(
    value: &impl Serialize,
    keys: &mut Keys,
    object: &mut Map<String, Value>,
) -> Result<(), Error> {
    let (key, may_be_left_out) = keys.next();
    let value = serde_json::to_value(value)?;
    if !(may_be_left_out && value.is_null()) {
        put(object, key, value);
    }
    Ok(())
}

/// Puts a field there; what several fragments select of one field is one object again.
fn put(object: &mut Map<String, Value>, key: &str, value: Value) {
    match object.entry(key) {
        Entry::Vacant(free) => {
            free.insert(value);
        }
        Entry::Occupied(mut known) => merge(known.get_mut(), value),
    }
}

fn merge(known: &mut Value, more: Value) {
    match (known, more) {
        (Value::Object(known), Value::Object(more)) => {
            for (key, value) in more {
                put(known, &key, value);
            }
        }
        (Value::Array(known), Value::Array(more)) => {
            for (known, more) in known.iter_mut().zip(more) {
                merge(known, more);
            }
        }
        _ => {}
    }
}
