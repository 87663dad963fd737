//! An answer as it came: status, headers and the parts of the body, read leniently.

mod cost;
mod errors;
#[cfg(test)]
mod tests;

use std::{fmt, ops::Range};

use bytes::Bytes;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

pub(crate) use cost::CostBlock;
pub use cost::FieldCost;
pub use errors::{GraphQlError, PathSegment};
pub(crate) use errors::{Said, read as errors};

/// How much of a body that cannot be read is kept for the error.
const EXCERPT: usize = 200;

/// Why a body is not a GraphQL answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BodyError {
    /// There is none.
    #[error("the answer has no body")]
    Empty,
    /// Another kind of document, mostly an HTML error page of something in between.
    #[error("the answer is {content_type}, not JSON: {excerpt:?}")]
    NotJson {
        /// The `Content-Type` header.
        content_type: String,
        /// The beginning of the body.
        excerpt: String,
    },
    /// JSON that ends too early or is broken.
    #[error("the answer is not whole JSON: {excerpt:?}")]
    Broken {
        /// The beginning of the body.
        excerpt: String,
        /// Where it breaks.
        source: serde_json::Error,
    },
    /// JSON, but no object with `data` or `errors`.
    #[error("the answer has neither `data` nor `errors`: {excerpt:?}")]
    Foreign {
        /// The beginning of the body.
        excerpt: String,
    },
}

/// The parts of a body.
#[derive(Debug, Default)]
pub(crate) struct Body {
    text: Bytes,
    data: Option<Range<usize>>,
    /// Whether there is a `data` member at all, be it null.
    pub(crate) has_data_member: bool,
    pub(crate) errors: Vec<GraphQlError>,
    pub(crate) cost: CostBlock,
}

impl Body {
    /// Reads a body. `content_type` is only used to say what it is when it is not JSON.
    pub(crate) fn read(text: Bytes, content_type: Option<&str>) -> Result<Self, BodyError> {
        if text.iter().all(u8::is_ascii_whitespace) {
            return Err(BodyError::Empty);
        }
        let utf8 = match std::str::from_utf8(&text) {
            Ok(utf8) => utf8,
            Err(_) => return Err(not_json(&text, content_type)),
        };
        let parts = match Parts::read(utf8) {
            Ok(parts) => parts,
            Err(source) if looks_like_json(utf8) => {
                let excerpt = excerpt(&text);
                return Err(BodyError::Broken { excerpt, source });
            }
            Err(_) => return Err(not_json(&text, content_type)),
        };
        if parts.data.is_none() && parts.errors.is_none() {
            let excerpt = excerpt(&text);
            return Err(BodyError::Foreign { excerpt });
        }
        let data = parts.data.map(RawValue::get).filter(|data| *data != "null");
        Ok(Self {
            data: data.map(|data| {
                let start = data.as_ptr() as usize - utf8.as_ptr() as usize;
                start..start + data.len()
            }),
            has_data_member: parts.data.is_some(),
            errors: parts.errors.map(errors::read).unwrap_or_default(),
            cost: parts.extensions.map(CostBlock::read).unwrap_or_default(),
            text,
        })
    }

    /// The text of `data`, unless it is missing or null.
    pub(crate) fn data(&self) -> Option<&str> {
        let bytes = self.text.get(self.data.clone()?)?;
        std::str::from_utf8(bytes).ok()
    }
}

/// What a body says that is not an answer to GraphQL: its `errors` or `error`, or how it begins.
pub(crate) fn explanation(text: &[u8]) -> String {
    let parts = std::str::from_utf8(text).ok().map(Parts::read);
    let errors = match parts {
        Some(Ok(Parts {
            errors: Some(raw), ..
        })) => errors::read(raw),
        _ => Vec::new(),
    };
    if errors.is_empty() {
        return excerpt(text);
    }
    let messages: Vec<&str> = errors.iter().map(|error| &*error.message).collect();
    cut(&messages.join("; "))
}

fn looks_like_json(text: &str) -> bool {
    text.trim_start_matches('\u{feff}')
        .trim_start()
        .starts_with(['{', '[', '"'])
}

fn not_json(text: &[u8], content_type: Option<&str>) -> BodyError {
    BodyError::NotJson {
        content_type: cut(content_type.unwrap_or("of unknown type")),
        excerpt: excerpt(text),
    }
}

fn excerpt(text: &[u8]) -> String {
    let end = text.len().min(4 * EXCERPT);
    cut(String::from_utf8_lossy(&text[..end]).trim())
}

fn cut(text: &str) -> String {
    let mut cut: String = text.chars().take(EXCERPT).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut
}

/// The members of an answer, as they stand. Of a repeated one the last counts.
#[derive(Default)]
struct Parts<'a> {
    data: Option<&'a RawValue>,
    errors: Option<&'a RawValue>,
    extensions: Option<&'a RawValue>,
}

impl<'a> Parts<'a> {
    fn read(text: &'a str) -> Result<Self, serde_json::Error> {
        let names = ["data", "errors", "error", "extensions"];
        let [data, errors, error, extensions] = members(text, names)?;
        Ok(Self {
            data,
            errors: errors.or(error).filter(|errors| errors.get() != "null"),
            extensions,
        })
    }
}

/// The members of these names of an object, as they stand; of a repeated one the last.
fn members<'a, const N: usize>(
    text: &'a str,
    names: [&str; N],
) -> Result<[Option<&'a RawValue>; N], serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let members = reader.deserialize_map(Members(&names))?;
    reader.end()?;
    Ok(members)
}

struct Members<'n, const N: usize>(&'n [&'n str; N]);

impl<'de, const N: usize> Visitor<'de> for Members<'_, N> {
    type Value = [Option<&'de RawValue>; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with any of {:?}", self.0)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = [None; N];
        while let Some(known) = map.next_key_seed(Name(self.0))? {
            match known {
                Some(index) => members[index] = Some(map.next_value()?),
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(members)
    }
}

/// Which of the names a key is, read without keeping it.
struct Name<'n>(&'n [&'n str]);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, key: D) -> Result<Self::Value, D::Error> {
        key.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|name| *name == key))
    }
}
