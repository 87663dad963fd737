//! The `data` of an answer, in the order of the document.

use std::sync::Arc;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// A value of an answer. Keys borrow from the document.
#[derive(Clone, Debug)]
pub(crate) enum Answer<'a> {
    Null,
    Leaf(Value),
    List(Vec<Answer<'a>>),
    Object(Vec<(&'a str, Answer<'a>)>),
    /// Text that was made before: the answer to an earlier call with the same key.
    Made(Arc<RawValue>),
}

impl Serialize for Answer<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Leaf(value) => value.serialize(serializer),
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (key, value) in fields {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
            Self::Made(text) => text.serialize(serializer),
        }
    }
}
