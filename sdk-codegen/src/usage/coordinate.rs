use std::fmt;

/// A place in a schema, written as the GraphQL specification writes schema coordinates:
/// `Product`, `Product.title`, `QueryRoot.products(first:)`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Coordinate(String);

impl Coordinate {
    /// A type.
    #[must_use]
    pub fn of_type(name: &str) -> Self {
        Self(name.to_owned())
    }

    /// A field, an input field or an enum value.
    #[must_use]
    pub fn member(on: &str, name: &str) -> Self {
        Self(format!("{on}.{name}"))
    }

    /// An argument of a field.
    #[must_use]
    pub fn argument(on: &str, field: &str, name: &str) -> Self {
        Self(format!("{on}.{field}({name}:)"))
    }

    /// As it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Coordinate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
