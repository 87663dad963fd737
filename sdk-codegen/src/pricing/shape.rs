use std::collections::BTreeMap;

use serde_json::Value;

/// An answer reduced to what its price depends on: what is null, how long lists are, and which
/// types stand where several are possible.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A null.
    Null,
    /// A scalar.
    Leaf,
    /// A list, as runs of equal items with their lengths.
    List(Vec<(u64, Shape)>),
    /// An object.
    Object {
        /// Its type, where the place allows several.
        of: Option<String>,
        /// Its fields by response key. One that is missing is taken as null.
        fields: BTreeMap<String, Shape>,
    },
}

/// `__typename`, where it was selected under that name, gives the types.
impl From<&Value> for Shape {
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) | Value::Number(_) | Value::String(_) => Self::Leaf,
            Value::Array(items) => Self::List(items.iter().map(|item| (1, item.into())).collect()),
            Value::Object(fields) => Self::Object {
                of: fields
                    .get("__typename")
                    .and_then(Value::as_str)
                    .map(str::to_owned),
                fields: fields
                    .iter()
                    .map(|(key, value)| (key.clone(), value.into()))
                    .collect(),
            },
        }
    }
}
