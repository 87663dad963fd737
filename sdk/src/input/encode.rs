use std::fmt;

use graphql_client::QueryBody;
use serde::{Serialize as _, Serializer, ser::Error as _};
use serde_json::value::RawValue;
use tollgate_cost::{Fields, Item, View};

use crate::{Operation, UserError};

/// Appends variables or an input object as JSON; fields that are left out are not in it, nor are
/// those that JSON cannot say (NaN, infinity, what serde refuses): as null they would be cleared.
pub fn encode(fields: &dyn Fields, out: &mut Vec<u8>) {
    out.push(b'{');
    let start = out.len();
    for (name, item) in (0..).map_while(|index| fields.member(index)) {
        let value = item.view();
        if matches!(value, View::Absent) {
            continue;
        }
        let before = out.len();
        if before > start {
            out.push(b',');
        }
        text(name, out);
        out.push(b':');
        if !write(value, out) {
            out.truncate(before);
        }
    }
    out.push(b'}');
}

/// Appends a value; whether it has JSON.
fn write(value: View<'_>, out: &mut Vec<u8>) -> bool {
    match value {
        View::Absent | View::Null | View::Other => out.extend_from_slice(b"null"),
        View::Bool(true) => out.extend_from_slice(b"true"),
        View::Bool(false) => out.extend_from_slice(b"false"),
        View::Int(value) => out.extend_from_slice(value.to_string().as_bytes()),
        View::Float(value) if !value.is_finite() => return false,
        View::Float(value) => out.extend_from_slice(format!("{value:?}").as_bytes()),
        View::Text(value) => text(value, out),
        View::Object(fields) => encode(fields, out),
        View::Raw(raw) => return raw.write(out),
        View::List(items) => {
            out.push(b'[');
            for index in 0..items.len() {
                if index > 0 {
                    out.push(b',');
                }
                if !write(items.item(index), out) {
                    out.extend_from_slice(b"null");
                }
            }
            out.push(b']');
        }
    }
    true
}

/// Appends a text.
pub(crate) fn text(text: &str, out: &mut Vec<u8>) {
    // Few hold anything to escape; looking at all letters at once is the faster.
    let odd = |byte: &u8| *byte < b' ' || *byte == b'"' || *byte == b'\\';
    let bytes = text.as_bytes();
    if !bytes.iter().fold(false, |any, byte| any | odd(byte)) {
        out.push(b'"');
        out.extend_from_slice(bytes);
        out.push(b'"');
        return;
    }
    let written = text.serialize(&mut serde_json::Serializer::new(out));
    debug_assert!(written.is_ok(), "text into memory cannot fail");
}

/// [`Serialize`](serde::Serialize) for generated variables, for code written for `graphql_client`.
/// Only `serde_json`'s serializers can do it.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<S: Serializer>(fields: &dyn Fields, serializer: S) -> Result<S::Ok, S::Error> {
    let text = String::from_utf8(json(fields)).map_err(S::Error::custom)?;
    RawValue::from_string(text)
        .map_err(S::Error::custom)?
        .serialize(serializer)
}

/// `PartialEq` of inputs: two are equal that are sent alike.
pub fn input_eq(left: &dyn Fields, right: &dyn Fields) -> bool {
    json(left) == json(right)
}

/// `Debug` of inputs: what is sent.
///
/// # Errors
/// Those of the formatter.
pub fn input_fmt(fields: &dyn Fields, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str(&String::from_utf8_lossy(&json(fields)))
}

fn json(fields: &dyn Fields) -> Vec<u8> {
    let mut out = Vec::new();
    encode(fields, &mut out);
    out
}

/// An entry of a payload's `userErrors` from what the document selects of it.
pub fn user_error(field: &dyn Item, code: &dyn Item, message: &dyn Item) -> UserError {
    let text = |item: &dyn Item| match item.view() {
        View::Text(text) => Some(text.to_owned()),
        _ => None,
    };
    let mut path = Vec::new();
    if let View::List(steps) = field.view() {
        for index in 0..steps.len() {
            if let View::Text(step) = steps.item(index) {
                path.push(step.to_owned());
            }
        }
    }
    UserError {
        field: path,
        code: text(code),
        message: text(message).unwrap_or_default(),
    }
}

/// The body of a request as `graphql_client` has it.
pub fn query_body<O: Operation>(variables: O::Variables) -> QueryBody<O::Variables> {
    QueryBody {
        variables,
        query: O::DOCUMENT,
        operation_name: O::NAME,
    }
}
