use std::borrow::Cow;

use crate::{
    Input,
    decode::{Failed, Reader},
};

/// Text, or a number or boolean as it is written.
///
/// # Errors
/// When something else is next.
pub fn read(reader: &mut Reader<'_>, scalar: &'static str) -> Result<String, Failed> {
    match reader.peek() {
        b'"' => reader.string().map(Cow::into_owned),
        b'-' | b'0'..=b'9' => reader.number(scalar).map(str::to_owned),
        b't' | b'f' => reader.boolean().map(|value| value.to_string()),
        _ => Err(reader.fail(scalar)),
    }
}

/// A scalar that is text, so that text can be given for it.
pub trait Text: From<String> {}

impl<T: Text> From<&str> for Input<T> {
    fn from(text: &str) -> Self {
        Self::Value(text.to_owned().into())
    }
}

impl<T: Text> From<String> for Input<T> {
    fn from(text: String) -> Self {
        Self::Value(text.into())
    }
}

/// Makes types for scalars that are text.
#[doc(hidden)]
#[macro_export]
macro_rules! text_scalar {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// With this text, which is not checked.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The text as it was sent.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// The text as it was sent.
            #[must_use]
            pub fn into_string(self) -> String {
                self.0
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(&self.0)
            }
        }

        impl ::std::convert::AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl ::std::convert::From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl ::std::convert::From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }

        impl ::std::convert::From<$name> for String {
            fn from(text: $name) -> Self {
                text.0
            }
        }

        impl ::std::cmp::PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                self.0 == other
            }
        }

        impl ::std::cmp::PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                self.0 == *other
            }
        }

        impl $crate::scalar::Text for $name {}

        impl $crate::decode::Decode for $name {
            fn decode(
                reader: &mut $crate::decode::Reader<'_>,
            ) -> ::std::result::Result<Self, $crate::decode::Failed> {
                $crate::scalar::read_text(reader, ::std::stringify!($name)).map(Self)
            }
        }

        impl $crate::cost::Item for $name {
            fn view(&self) -> $crate::cost::View<'_> {
                $crate::cost::View::Text(&self.0)
            }
        }

        impl $crate::generated::serde::Serialize for $name {
            fn serialize<S: $crate::generated::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> $crate::generated::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::generated::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::std::result::Result<Self, D::Error> {
                $crate::generated::serde::Deserialize::deserialize(deserializer).map(Self)
            }
        }
    )*};
}
