use std::borrow::Cow;

use crate::{Fields, Item, Items, View};

/// A value written in a document, without variables: the default of a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// A null.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A string or an enum value.
    Text(Cow<'static, str>),
    /// A list.
    List(Cow<'static, [Literal]>),
    /// An input object.
    Object(Cow<'static, [(Cow<'static, str>, Literal)]>),
    /// A value no price depends on.
    Other,
}

impl<'a> From<&'a Literal> for View<'a> {
    fn from(literal: &'a Literal) -> Self {
        match literal {
            Literal::Null => Self::Null,
            Literal::Bool(value) => Self::Bool(*value),
            Literal::Int(value) => Self::Int(*value),
            Literal::Text(text) => Self::Text(text),
            Literal::List(items) => Self::List(items),
            Literal::Object(fields) => Self::Object(fields),
            Literal::Other => Self::Other,
        }
    }
}

impl Item for Literal {
    fn view(&self) -> View<'_> {
        View::from(self)
    }
}

impl Items for Cow<'static, [Literal]> {
    fn len(&self) -> usize {
        <[Literal]>::len(self)
    }

    fn item(&self, index: usize) -> View<'_> {
        self.get(index).map_or(View::Absent, View::from)
    }
}

impl Fields for Cow<'static, [(Cow<'static, str>, Literal)]> {
    fn member(&self, index: usize) -> Option<(&str, &dyn Item)> {
        let (name, value) = self.get(index)?;
        Some((name, value))
    }
}
