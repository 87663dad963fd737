use std::{
    borrow::Cow,
    hash::{DefaultHasher, Hash, Hasher},
};

use bytes::Bytes;
use serde_json::value::RawValue;
use tollgate_cost::{CostError, Points};
use uuid::Uuid;

use crate::{Operation, OperationKind, input::text};

/// A call with its types taken off: what the erased core of the client needs of it.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) operation: OperationId,
    pub(crate) kind: OperationKind,
    /// Whether the server recognises a repetition.
    pub(crate) idempotent: bool,
    /// Our price.
    pub(crate) price: Points,
    /// The same bytes for all attempts.
    pub(crate) body: Bytes,
}

/// What an operation is remembered by.
#[derive(Clone, Debug)]
pub(crate) struct OperationId {
    pub(crate) name: Cow<'static, str>,
    /// Of the document: operations of one name in two programs differ.
    pub(crate) hash: u64,
}

impl OperationId {
    pub(crate) fn new(name: impl Into<Cow<'static, str>>, document: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        document.hash(&mut hasher);
        Self {
            name: name.into(),
            hash: hasher.finish(),
        }
    }
}

impl Request {
    /// Prices and encodes a call.
    pub(crate) fn of<O: Operation>(variables: &O::Variables) -> Result<Self, CostError> {
        let price = O::cost(variables)?;
        let mut encoded = Vec::new();
        O::encode(variables, &mut encoded);
        if let Some(key) = O::IDEMPOTENCY_VARIABLE {
            encoded = with_key(encoded, key);
        }
        Ok(Self {
            operation: OperationId::new(O::NAME, O::DOCUMENT),
            kind: O::KIND,
            idempotent: O::IDEMPOTENCY_VARIABLE.is_some(),
            price,
            body: body(O::DOCUMENT, Some(O::NAME), &encoded),
        })
    }
}

/// `{"query":…,"operationName":…,"variables":…}`.
pub(crate) fn body(document: &str, name: Option<&str>, variables: &[u8]) -> Bytes {
    let mut body = Vec::with_capacity(document.len() + variables.len() + 128);
    body.extend_from_slice(br#"{"query":"#);
    text(document, &mut body);
    if let Some(name) = name {
        body.extend_from_slice(br#","operationName":"#);
        text(name, &mut body);
    }
    body.extend_from_slice(br#","variables":"#);
    body.extend_from_slice(variables);
    body.push(b'}');
    body.into()
}

/// The variables with a fresh key under `name`, unless the caller gave one; an empty one is none,
/// since the variable's type may leave the caller no other way to give none.
fn with_key(variables: Vec<u8>, name: &str) -> Vec<u8> {
    type Members<'a> = std::collections::BTreeMap<Cow<'a, str>, &'a RawValue>;
    let Ok(members) = serde_json::from_slice::<Members<'_>>(&variables) else {
        return variables;
    };
    if members
        .get(name)
        .is_some_and(|key| !matches!(key.get(), "null" | r#""""#))
    {
        return variables;
    }
    let mut out = Vec::with_capacity(variables.len() + name.len() + 48);
    out.push(b'{');
    text(name, &mut out);
    out.push(b':');
    text(&Uuid::new_v4().to_string(), &mut out);
    for (member, value) in members.iter().filter(|(member, _)| *member != name) {
        out.push(b',');
        text(member, &mut out);
        out.push(b':');
        out.extend_from_slice(value.get().as_bytes());
    }
    out.push(b'}');
    out
}

#[cfg(test)]
mod tests {
    use super::{body, with_key};

    #[test]
    fn builds_the_body() {
        let body = body("query A{a(b:\"c\")}", Some("A"), b"{\"x\":1}");
        let expected = r#"{"query":"query A{a(b:\"c\")}","operationName":"A","variables":{"x":1}}"#;
        assert_eq!(body, expected);
        for text in ["", "plain ä {}", "\"", "\\", "a\nb", "\u{1}", "\u{7f}"] {
            let body = super::body(text, None, b"{}");
            let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(body["query"], text);
        }
    }

    #[test]
    fn adds_a_key_only_where_there_is_none() {
        let key = |variables: &str| {
            let out = with_key(variables.into(), "key");
            serde_json::from_slice::<serde_json::Value>(&out).unwrap()
        };
        for missing in [
            "{}",
            r#"{"key":null}"#,
            r#"{"key":""}"#,
            r#"{"a":{"key":"x"},"b":[1.10]}"#,
        ] {
            let out = key(missing);
            let made = out["key"].as_str().unwrap();
            assert_eq!(made.len(), 36, "{missing}");
            assert_ne!(key(missing)["key"], *made, "fresh each time");
        }
        // Not ours to judge, and not to be lost.
        assert_eq!(with_key(b"[1]".to_vec(), "key"), b"[1]");
        let kept = br#"{"a":[1.10,{}],"x\"y":null}"#;
        let out = String::from_utf8(with_key(kept.to_vec(), "key")).unwrap();
        assert!(out.ends_with(r#","a":[1.10,{}],"x\"y":null}"#), "{out}");
        assert_eq!(key(r#"{"key":"mine"}"#)["key"], "mine");
    }
}
