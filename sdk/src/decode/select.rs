use std::fmt::{self, Debug};

use super::{Decode, Failed, Object, Reader};

/// A type that reads what a selection set gives: a struct of its fields, or an enum over
/// `__typename`.
///
/// Several may read the same object, since a fragment has a type of its own wherever it is spread.
pub trait Select: Sized {
    /// Reads from an object.
    ///
    /// # Errors
    /// When a field is missing or has another type.
    fn select(object: &mut Object<'_, '_>) -> Result<Self, Failed>;
}

impl<T: Select> Decode for T {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Failed> {
        let mut object = Object::new(reader);
        let value = T::select(&mut object);
        object.close();
        value
    }
}

/// `Debug` of a struct of an answer: its fields as the document calls them.
///
/// # Errors
/// Those of the formatter.
pub fn record_fmt(
    name: &str,
    fields: &[(&str, &dyn Debug)],
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let mut record = f.debug_struct(name);
    for (key, value) in fields {
        record.field(key, value);
    }
    record.finish()
}
