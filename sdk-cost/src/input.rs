/// A value as a plan sees it, to read sizes, conditions, list lengths and owners; and as it is
/// written into the body of a request, so that generated input types are described once.
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
    /// A floating-point number; no price depends on one.
    Float(f64),
    /// A string, an id or an enum value.
    Text(&'a str),
    /// A list.
    List(&'a dyn Items),
    /// An input object.
    Object(&'a dyn Fields),
    /// A value that no price depends on and that writes itself.
    Raw(&'a dyn Raw),
    /// Anything a price does not depend on.
    Other,
}

/// A value of an input.
pub trait Item {
    /// The value.
    fn view(&self) -> View<'_>;
}

/// A value that only knows how to write itself.
pub trait Raw {
    /// Appends the value as JSON; `false` when it has none, and then nothing is appended.
    fn write(&self, out: &mut Vec<u8>) -> bool;
}

/// An input object, or the variables of a call: named values.
pub trait Fields {
    /// The field at `index`, counted from 0; `None` beyond the end. Fields that are
    /// [`View::Absent`] count too.
    fn member(&self, index: usize) -> Option<(&str, &dyn Item)>;

    /// The value of the field `name`; [`View::Absent`] when it was not given.
    fn field(&self, name: &str) -> View<'_> {
        let mut index = 0;
        while let Some((key, item)) = self.member(index) {
            if key == name {
                return item.view();
            }
            index += 1;
        }
        View::Absent
    }
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

/// The variables of an operation that has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct NoVariables;

impl Fields for NoVariables {
    fn member(&self, _: usize) -> Option<(&str, &dyn Item)> {
        None
    }
}

impl<T: Fields> Item for T {
    fn view(&self) -> View<'_> {
        View::Object(self)
    }
}

impl<T: Item> Items for Vec<T> {
    fn len(&self) -> usize {
        Vec::len(self)
    }

    fn item(&self, index: usize) -> View<'_> {
        self.get(index).map_or(View::Absent, Item::view)
    }
}

impl<T: Item> Item for Vec<T> {
    fn view(&self) -> View<'_> {
        View::List(self)
    }
}

/// Left out when it is `None`.
impl<T: Item> Item for Option<T> {
    fn view(&self) -> View<'_> {
        self.as_ref().map_or(View::Absent, Item::view)
    }
}

impl<T: Fields + ?Sized> Fields for Box<T> {
    fn member(&self, index: usize) -> Option<(&str, &dyn Item)> {
        T::member(self, index)
    }

    fn field(&self, name: &str) -> View<'_> {
        T::field(self, name)
    }
}

impl Item for bool {
    fn view(&self) -> View<'_> {
        View::Bool(*self)
    }
}

impl Item for i32 {
    fn view(&self) -> View<'_> {
        View::Int(i64::from(*self))
    }
}

/// As text: many read JSON's numbers as floats, which end at 53 bits.
impl Item for u64 {
    fn view(&self) -> View<'_> {
        View::Raw(self)
    }
}

impl Raw for u64 {
    fn write(&self, out: &mut Vec<u8>) -> bool {
        out.extend_from_slice(format!("\"{self}\"").as_bytes());
        true
    }
}

/// As text, like [`u64`].
impl Item for i64 {
    fn view(&self) -> View<'_> {
        View::Raw(self)
    }
}

impl Raw for i64 {
    fn write(&self, out: &mut Vec<u8>) -> bool {
        out.extend_from_slice(format!("\"{self}\"").as_bytes());
        true
    }
}

impl Item for f64 {
    fn view(&self) -> View<'_> {
        View::Float(*self)
    }
}

impl Item for String {
    fn view(&self) -> View<'_> {
        View::Text(self)
    }
}

impl std::fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Absent => f.write_str("Absent"),
            Self::Null => f.write_str("Null"),
            Self::Bool(value) => write!(f, "Bool({value})"),
            Self::Int(value) => write!(f, "Int({value})"),
            Self::Float(value) => write!(f, "Float({value})"),
            Self::Text(value) => write!(f, "Text({value:?})"),
            Self::List(items) => write!(f, "List(of {})", items.len()),
            Self::Object(_) => f.write_str("Object"),
            Self::Raw(_) => f.write_str("Raw"),
            Self::Other => f.write_str("Other"),
        }
    }
}

#[cfg(any(test, feature = "serde_json"))]
mod json {
    use super::{Fields, Item, Raw, View};
    use serde_json::{Map, Value};

    impl Item for Value {
        fn view(&self) -> View<'_> {
            match self {
                Value::Null => View::Null,
                Value::Bool(value) => View::Bool(*value),
                Value::Number(number) => number.as_i64().map_or(View::Raw(self), View::Int),
                Value::String(text) => View::Text(text),
                Value::Array(items) => View::List(items),
                Value::Object(fields) => View::Object(fields),
            }
        }
    }

    impl Raw for Value {
        fn write(&self, out: &mut Vec<u8>) -> bool {
            out.extend_from_slice(self.to_string().as_bytes());
            true
        }
    }

    impl<'a> From<&'a Value> for View<'a> {
        fn from(value: &'a Value) -> Self {
            value.view()
        }
    }

    impl Fields for Map<String, Value> {
        fn member(&self, index: usize) -> Option<(&str, &dyn Item)> {
            let (name, value) = self.iter().nth(index)?;
            Some((name, value))
        }

        fn field(&self, name: &str) -> View<'_> {
            self.get(name).map_or(View::Absent, View::from)
        }
    }
}
