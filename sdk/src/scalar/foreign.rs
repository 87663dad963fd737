use std::ops::Deref;

use serde::{Serialize, de::DeserializeOwned};
use tollgate_cost::{Item, Raw, View};

use crate::decode::{self, Decode, Failed, Reader};

/// A value of a type that is not Tollgate's, as the setting `scalars` names it
/// (`scalars: { DateTime: chrono::DateTime<chrono::Utc> }`): read and written through serde.
///
/// Answers hold the type itself; only inputs hold it in this wrapper, which `.into()` makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Foreign<T>(pub T);

impl<T> From<T> for Foreign<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl<T> Deref for Foreign<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: DeserializeOwned> Decode for Foreign<T> {
    /// A field that is not there is null, if the type takes that.
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Failed> {
        if reader.lacks()
            && let Ok(null) = serde_json::from_str("null")
        {
            reader.null();
            return Ok(Self(null));
        }
        decode::foreign(reader).map(Self)
    }
}

impl<T: Serialize> Item for Foreign<T> {
    fn view(&self) -> View<'_> {
        View::Raw(self)
    }
}

/// What has no JSON, such as a map with keys that are not text, is left out.
impl<T: Serialize> Raw for Foreign<T> {
    fn write(&self, out: &mut Vec<u8>) -> bool {
        let text = serde_json::to_string(&self.0);
        out.extend_from_slice(text.as_deref().unwrap_or_default().as_bytes());
        text.is_ok()
    }
}
