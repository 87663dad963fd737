//! The shape of an introspection answer. What is not of it is refused while it is read, so that the
//! error has its line and column.

use std::fmt;
use std::ops::Deref;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

#[derive(Deserialize)]
pub(super) struct Answer {
    #[serde(rename = "__schema")]
    pub(super) schema: Option<SchemaJson>,
    pub(super) data: Option<Data>,
}

#[derive(Deserialize)]
pub(super) struct Data {
    #[serde(rename = "__schema")]
    pub(super) schema: Option<SchemaJson>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SchemaJson {
    pub(super) query_type: Named,
    pub(super) mutation_type: Option<Named>,
    pub(super) subscription_type: Option<Named>,
    pub(super) types: Vec<TypeJson>,
    #[serde(default)]
    pub(super) directives: Vec<DirectiveJson>,
}

#[derive(Deserialize)]
pub(super) struct Named {
    pub(super) name: Name,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TypeJson {
    pub(super) kind: Kind,
    pub(super) name: Name,
    pub(super) description: Option<String>,
    pub(super) fields: Option<Vec<FieldJson>>,
    pub(super) input_fields: Option<Vec<InputJson>>,
    pub(super) interfaces: Option<Vec<Named>>,
    pub(super) enum_values: Option<Vec<EnumValueJson>>,
    pub(super) possible_types: Option<Vec<Named>>,
    #[serde(rename = "specifiedByURL")]
    pub(super) specified_by: Option<String>,
    #[serde(default)]
    pub(super) is_one_of: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FieldJson {
    pub(super) name: Name,
    pub(super) description: Option<String>,
    #[serde(default)]
    pub(super) args: Vec<InputJson>,
    #[serde(rename = "type")]
    pub(super) ty: Reference,
    #[serde(default)]
    pub(super) is_deprecated: bool,
    pub(super) deprecation_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct InputJson {
    pub(super) name: Name,
    pub(super) description: Option<String>,
    #[serde(rename = "type")]
    pub(super) ty: Reference,
    pub(super) default_value: Option<String>,
    #[serde(default)]
    pub(super) is_deprecated: bool,
    pub(super) deprecation_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EnumValueJson {
    pub(super) name: Name,
    pub(super) description: Option<String>,
    #[serde(default)]
    pub(super) is_deprecated: bool,
    pub(super) deprecation_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DirectiveJson {
    pub(super) name: Name,
    pub(super) description: Option<String>,
    #[serde(default)]
    pub(super) locations: Vec<Name>,
    #[serde(default)]
    pub(super) args: Vec<InputJson>,
    #[serde(default)]
    pub(super) is_repeatable: bool,
}

/// The kinds of types of the specification.
#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum Kind {
    Scalar,
    Object,
    Interface,
    Union,
    Enum,
    InputObject,
}

/// A name of GraphQL: of what else could be written into SDL nothing is read as one.
pub(super) struct Name(String);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let mut bytes = name.bytes();
        let letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
        let begins = bytes.next().is_some_and(letter);
        if begins && bytes.all(|byte| letter(byte) || byte.is_ascii_digit()) {
            return Ok(Self(name));
        }
        Err(D::Error::custom(format!(
            "{name:?} is not a name of GraphQL"
        )))
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A type where it is used, as SDL writes it: `[Name!]!`.
pub(super) struct Reference(String);

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Reference {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Level {
            kind: String,
            name: Option<Name>,
            of_type: Option<Box<Level>>,
        }
        // Walked, not recursed: a file may nest as deeply as its parser lets it.
        let mut at = Level::deserialize(deserializer)?;
        let mut out = String::new();
        let mut close = Vec::new();
        loop {
            match (at.kind.as_str(), at.of_type, at.name) {
                ("NON_NULL", Some(_), _) if close.last() == Some(&'!') => {
                    return Err(D::Error::custom("a type is `NON_NULL` twice"));
                }
                ("NON_NULL", Some(inner), _) => {
                    close.push('!');
                    at = *inner;
                }
                ("LIST", Some(inner), _) => {
                    out.push('[');
                    close.push(']');
                    at = *inner;
                }
                (_, _, Some(name)) => {
                    out.push_str(&name);
                    break;
                }
                _ => return Err(D::Error::custom("a type has no name")),
            }
        }
        out.extend(close.into_iter().rev());
        Ok(Self(out))
    }
}
