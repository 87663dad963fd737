//! What a caller fills in: variables, input objects, and their way into the body of a request.

mod encode;
#[cfg(test)]
mod tests;

pub(crate) use encode::text;
pub use encode::{encode, input_eq, input_fmt, query_body, serialize, user_error};

use tollgate_cost::{Item, View};

use crate::scalar::Foreign;

/// An input that may be left out, be null, or have a value.
///
/// For an update the three differ: leaving `compareAtPrice` out keeps it, null clears it. What is
/// not given is left out; a null is only sent where [`Input::Null`] is written.
///
/// ```
/// use tollgate::Input;
///
/// let title: Input<String> = "Sledge".into();
/// assert_eq!(title, Input::Value("Sledge".to_owned()));
/// assert_eq!(Input::<i32>::from(None), Input::Omitted);
/// assert_eq!(Input::or_null(None::<i32>), Input::Null);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Input<T> {
    /// Not sent: the server keeps what it has, or takes its default.
    #[default]
    Omitted,
    /// Sent as `null`.
    Null,
    /// Sent.
    Value(T),
}

impl<T> Input<T> {
    /// The value, or an explicit null for `None`. ([`From`] leaves `None` out.)
    #[must_use]
    pub fn or_null(value: Option<T>) -> Self {
        value.map_or(Self::Null, Self::Value)
    }

    /// The value, if there is one.
    #[must_use]
    pub const fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Omitted | Self::Null => None,
        }
    }

    /// The value, if there is one.
    #[must_use]
    pub fn into_value(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Omitted | Self::Null => None,
        }
    }

    /// Whether it is left out.
    #[must_use]
    pub const fn is_omitted(&self) -> bool {
        matches!(self, Self::Omitted)
    }
}

impl<T> From<T> for Input<T> {
    fn from(value: T) -> Self {
        Self::Value(value)
    }
}

/// `None` is left out.
impl<T> From<Option<T>> for Input<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Omitted, Self::Value)
    }
}

impl<T> From<T> for Input<Box<T>> {
    fn from(value: T) -> Self {
        Self::Value(Box::new(value))
    }
}

impl<T> From<T> for Input<Foreign<T>> {
    fn from(value: T) -> Self {
        Self::Value(Foreign(value))
    }
}

impl From<&str> for Input<String> {
    fn from(text: &str) -> Self {
        Self::Value(text.to_owned())
    }
}

impl<T: Item> Item for Input<T> {
    fn view(&self) -> View<'_> {
        match self {
            Self::Omitted => View::Absent,
            Self::Null => View::Null,
            Self::Value(value) => value.view(),
        }
    }
}
