/// A value as a plan sees it: just enough to read sizes, conditions, list lengths and owners.
#[derive(Clone, Copy)]
pub enum View<'a> {
    /// Not given at all: the default of the document, if any, applies.
    Absent,
    /// An explicit null.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A string, an id or an enum value.
    Text(&'a str),
    /// A list.
    List(&'a dyn Items),
    /// An input object.
    Object(&'a dyn Fields),
    /// Anything a price does not depend on.
    Other,
}

/// An input object, or the variables of a call: named values.
pub trait Fields {
    /// The value of the field `name`; [`View::Absent`] when it was not given. Generated code
    /// answers only for the fields that the plan asks for.
    fn field(&self, name: &str) -> View<'_>;
}

/// A list of values.
pub trait Items {
    /// How many.
    fn len(&self) -> usize;
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The value at `index`, counted from 0; [`View::Absent`] beyond the end.
    fn item(&self, index: usize) -> View<'_>;
}

/// No variables.
#[derive(Clone, Copy, Debug, Default)]
pub struct Empty;

impl Fields for Empty {
    fn field(&self, _: &str) -> View<'_> {
        View::Absent
    }
}

impl std::fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Absent => f.write_str("Absent"),
            Self::Null => f.write_str("Null"),
            Self::Bool(value) => write!(f, "Bool({value})"),
            Self::Int(value) => write!(f, "Int({value})"),
            Self::Text(value) => write!(f, "Text({value:?})"),
            Self::List(items) => write!(f, "List(of {})", items.len()),
            Self::Object(_) => f.write_str("Object"),
            Self::Other => f.write_str("Other"),
        }
    }
}

#[cfg(any(test, feature = "serde_json"))]
mod json {
    use super::{Fields, Items, View};
    use serde_json::{Map, Value};

    impl<'a> From<&'a Value> for View<'a> {
        fn from(value: &'a Value) -> Self {
            match value {
                Value::Null => Self::Null,
                Value::Bool(value) => Self::Bool(*value),
                Value::Number(number) => number.as_i64().map_or(Self::Other, Self::Int),
                Value::String(text) => Self::Text(text),
                Value::Array(items) => Self::List(items),
                Value::Object(fields) => Self::Object(fields),
            }
        }
    }

    impl Fields for Map<String, Value> {
        fn field(&self, name: &str) -> View<'_> {
            self.get(name).map_or(View::Absent, View::from)
        }
    }

    impl Items for Vec<Value> {
        fn len(&self) -> usize {
            Vec::len(self)
        }

        fn item(&self, index: usize) -> View<'_> {
            self.get(index).map_or(View::Absent, View::from)
        }
    }
}
