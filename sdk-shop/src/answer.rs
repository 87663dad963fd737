//! The `data` of an answer, in the order of the document.

use std::sync::Arc;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;
use tollgate_codegen::pricing::Shape;
use tollgate_codegen::schema::TypeDefinition;

/// A value of an answer. Keys borrow from the document.
#[derive(Clone, Debug)]
pub(crate) enum Answer<'a> {
    Null,
    Leaf(Value),
    List(Vec<Answer<'a>>),
    Object {
        of: Arc<TypeDefinition>,
        fields: Vec<(&'a str, Answer<'a>)>,
    },
    /// Text that was made before: the answer to an earlier call with the same key.
    Made(Arc<RawValue>),
}

impl Answer<'_> {
    /// What the charge for it depends on. Lists give runs of equal items, since most pages are
    /// one run.
    pub(crate) fn shape(&self) -> Shape {
        match self {
            Self::Null => Shape::Null,
            Self::Leaf(value) if value.is_array() => Shape::from(value),
            Self::Leaf(_) => Shape::Leaf,
            Self::List(items) => {
                let mut runs: Vec<(u64, Shape)> = Vec::new();
                for item in items {
                    let shape = item.shape();
                    match runs.last_mut() {
                        Some((length, same)) if *same == shape => *length += 1,
                        _ => runs.push((1, shape)),
                    }
                }
                Shape::List(runs)
            }
            Self::Object { of, fields } => {
                let fields = fields.iter();
                Shape::Object {
                    of: Some(of.name.clone()),
                    fields: fields
                        .map(|(key, value)| ((*key).to_owned(), value.shape()))
                        .collect(),
                }
            }
            Self::Made(text) => shape_of_text(text),
        }
    }
}

/// The shape of JSON that is there as text.
pub(crate) fn shape_of_text(text: &RawValue) -> Shape {
    let value: Value = serde_json::from_str(text.get()).unwrap_or_default();
    Shape::from(&value)
}

impl Serialize for Answer<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Leaf(value) => value.serialize(serializer),
            Self::List(items) => serializer.collect_seq(items),
            Self::Object { fields, .. } => {
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
