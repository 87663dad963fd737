//! Answers as JSON again, by the names of the document: for caches, logs, and what a test has the
//! emulated shop answer.

use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::{Error, Map, Value, map::Entry};

use super::OtherType;

/// A type of answers that can be written as JSON. A fragment puts its fields into the object of the
/// selection that it is spread in.
pub trait Answer {
    /// Puts its fields into an object.
    ///
    /// # Errors
    /// When a type of the project cannot be written as JSON.
    fn write(&self, object: &mut Map<String, Value>) -> Result<(), Error>;
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

/// Writes a field.
///
/// # Errors
/// When a type of the project cannot be written as JSON.
pub fn field_write(
    object: &mut Map<String, Value>,
    key: &str,
    value: &impl Serialize,
) -> Result<(), Error> {
    put(object, key, serde_json::to_value(value)?);
    Ok(())
}

/// Writes a field that `@include` or `@skip` may leave out.
///
/// # Errors
/// When a type of the project cannot be written as JSON.
pub fn optional_write(
    object: &mut Map<String, Value>,
    key: &str,
    value: &Option<impl Serialize>,
) -> Result<(), Error> {
    value
        .as_ref()
        .map_or(Ok(()), |value| field_write(object, key, value))
}

/// Writes a fragment that `@include` or `@skip` may leave out, with the mark that it is there.
///
/// # Errors
/// Those of the fragment.
pub fn fragment_write(
    object: &mut Map<String, Value>,
    mark: &str,
    value: &Option<impl Answer>,
) -> Result<(), Error> {
    let Some(value) = value else { return Ok(()) };
    // That it is there is all that a mark says.
    put(object, mark, true.into());
    value.write(object)
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
