//! One pass over the text of a line: is it one whole object, and what are its top-level keys?

use std::borrow::Cow;
use std::ops::Range;

use super::{JsonlError, Line, Shape};
use crate::decode::plain;

/// What a line says about its own place in the tree, by where it says so.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Keys {
    id: Span,
    parent: Span,
    /// The connection whose marker it carries.
    pub(super) connection: Option<usize>,
    pub(super) own: Own,
}

impl Keys {
    /// `id`, unescaped.
    pub(super) fn id<'a>(&self, text: &'a str) -> Option<Cow<'a, str>> {
        unquote(self.id.of(text))
    }

    /// `__parentId`, unescaped.
    pub(super) fn parent<'a>(&self, text: &'a str) -> Option<Cow<'a, str>> {
        unquote(self.parent.of(text))
    }

    /// Of a line of a result of this shape.
    pub(super) fn of(shape: &Shape, line: Line<'_>) -> Result<Self, JsonlError> {
        let marker = |key: &str| {
            let mut connections = shape.connections.iter();
            connections.position(|connection| connection.marker == key)
        };
        keys(line.text, marker).map_err(|flaw| {
            let place = line.place;
            if line.open_ended {
                return JsonlError::Truncated { place };
            }
            JsonlError::NotAnObject {
                place,
                at: place.offset + flaw.at as u64,
                reason: flaw.reason,
            }
        })
    }
}

/// A part of a line: one for each thing that is known of it, and lines are many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// Of a line that is not [`too_long`].
    fn new(range: Range<usize>) -> Self {
        let at = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self {
            start: at(range.start),
            end: at(range.end),
        }
    }

    fn is_empty(self) -> bool {
        self.start == self.end
    }

    fn of(self, text: &str) -> &str {
        &text[self.start as usize..self.end as usize]
    }
}

/// Whether places in a text have no [`Span`].
fn too_long(text: &str) -> bool {
    u32::try_from(text.len()).is_err()
}

/// The members of an object that its document selects: all but `__parentId` and the marker, so
/// three stretches of the text at most.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Own {
    stretches: [Span; 3],
    count: u8,
    /// Whether the member before belongs to it.
    open: bool,
}

impl Own {
    fn add(&mut self, member: Span) {
        if !self.open {
            self.open = true;
            self.stretches[usize::from(self.count)].start = member.start;
            self.count += 1;
        }
        self.stretches[usize::from(self.count) - 1].end = member.end;
    }

    /// Appends the object that these members of `text` make.
    pub(super) fn write(&self, text: &str, to: &mut String) {
        let stretches = &self.stretches[..usize::from(self.count)];
        for (index, stretch) in stretches.iter().enumerate() {
            to.push(if index == 0 { '{' } else { ',' });
            to.push_str(stretch.of(text));
        }
        to.push_str(if self.count == 0 { "{}" } else { "}" });
    }
}

/// Where and why a text is not one JSON object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Flaw {
    at: usize,
    reason: &'static str,
}

/// Reads the top-level keys of an object, and proves on the way that its brackets and strings
/// close where the text ends, so that texts can be put into each other.
fn keys(text: &str, marker: impl Fn(&str) -> Option<usize>) -> Result<Keys, Flaw> {
    if too_long(text) {
        return flaw(u32::MAX as usize, "longer than 4 GB");
    }
    let mut keys = Keys::default();
    walk(text, 0, &mut |key, member, value| {
        match key {
            "id" => keys.id = Span::new(value.clone()),
            "__parentId" if keys.parent.is_empty() => {
                keys.parent = Span::new(value);
                keys.own.open = false;
                return;
            }
            key if keys.connection.is_none() => {
                keys.connection = marker(key);
                if keys.connection.is_some() {
                    keys.own.open = false;
                    return;
                }
            }
            _ => {}
        }
        keys.own.add(Span::new(member..value.end));
    })
    .and_then(|end| match end == text.len() {
        true => Ok(keys),
        false => flaw(end, "text after the object"),
    })
}

/// The range of the value of a key of an object.
pub(super) fn value_of(object: &str, key: &str) -> Option<Range<usize>> {
    let mut found = None;
    let end = walk(object, 0, &mut |name, _, value| {
        if name == key {
            found = Some(value);
        }
    });
    end.ok().and(found)
}

fn flaw<T>(at: usize, reason: &'static str) -> Result<T, Flaw> {
    Err(Flaw { at, reason })
}

/// Walks the object that starts at `at`, calls `each` for its members (the key, where it starts,
/// and where its value is), and gives its end.
fn walk(
    text: &str,
    at: usize,
    each: &mut impl FnMut(&str, usize, Range<usize>),
) -> Result<usize, Flaw> {
    let bytes = text.as_bytes();
    if bytes.get(at) != Some(&b'{') {
        return flaw(at, "expected `{`");
    }
    let mut at = skip_space(bytes, at + 1);
    if bytes.get(at) == Some(&b'}') {
        return Ok(at + 1);
    }
    loop {
        if bytes.get(at) != Some(&b'"') {
            return flaw(at, "expected a key");
        }
        let (member, key_end) = (at, string_end(bytes, at)?);
        let key = &text[at + 1..key_end - 1];
        at = skip_space(bytes, key_end);
        if bytes.get(at) != Some(&b':') {
            return flaw(at, "expected `:`");
        }
        let start = skip_space(bytes, at + 1);
        let end = value_end(bytes, start)?;
        each(key, member, start..end);
        at = skip_space(bytes, end);
        match bytes.get(at) {
            Some(b',') => at = skip_space(bytes, at + 1),
            Some(b'}') => return Ok(at + 1),
            _ => return flaw(at, "expected `,` or `}`"),
        }
    }
}

/// The end of the value that starts at `at`.
fn value_end(bytes: &[u8], at: usize) -> Result<usize, Flaw> {
    match bytes.get(at) {
        Some(b'"') => string_end(bytes, at),
        Some(b'{' | b'[') => nested_end(bytes, at),
        Some(b',' | b':' | b'}' | b']') | None => flaw(at, "expected a value"),
        Some(_) => Ok(word_end(bytes, at)),
    }
}

/// The end of a number, `true`, `false` or `null`; whether it is one, decoding finds out.
fn word_end(bytes: &[u8], at: usize) -> usize {
    let ends = |byte: &u8| {
        matches!(byte, b',' | b':' | b'}' | b']' | b'{' | b'[' | b'"') || is_space(*byte)
    };
    let rest = bytes[at..].iter().position(ends);
    rest.map_or(bytes.len(), |length| at + length)
}

/// The end of an array or object, found by its brackets.
fn nested_end(bytes: &[u8], start: usize) -> Result<usize, Flaw> {
    // One bit per open bracket, 1 for `{`: JSON nested deeper than 128 is refused by decoders too.
    let (mut open, mut depth) = (0_u128, 0_u32);
    let mut at = start;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = string_end(bytes, at)?;
                continue;
            }
            b'{' | b'[' if depth == u128::BITS => return flaw(at, "nested too deep"),
            b'{' | b'[' => {
                open = open << 1 | u128::from(*byte == b'{');
                depth += 1;
            }
            b'}' | b']' => {
                if (open & 1 == 1) != (*byte == b'}') {
                    return flaw(at, "the bracket does not match");
                }
                open >>= 1;
                depth -= 1;
                if depth == 0 {
                    return Ok(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    flaw(bytes.len(), "a bracket is not closed")
}

/// The end of the string that starts at `at`, its quotes included.
fn string_end(bytes: &[u8], at: usize) -> Result<usize, Flaw> {
    let mut next = at + 1;
    loop {
        next += plain(bytes.get(next..).unwrap_or_default());
        match bytes.get(next) {
            Some(b'"') => return Ok(next + 1),
            Some(b'\\') => next += 2,
            Some(_) => return flaw(next, "a control character in a string"),
            None => return flaw(bytes.len(), "a string is not closed"),
        }
    }
}

fn skip_space(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest.first() {
        Some(byte) if is_space(*byte) => {
            at + rest.iter().take_while(|byte| is_space(**byte)).count()
        }
        _ => at,
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// The text of a JSON string; `None` for other values.
fn unquote(json: &str) -> Option<Cow<'_, str>> {
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        return serde_json::from_str(json).ok().map(Cow::Owned);
    }
    Some(Cow::Borrowed(inner))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marker(key: &str) -> Option<usize> {
        key.strip_prefix('_')?.parse().ok()
    }

    #[test]
    fn reads_the_top_level_only() {
        let line = r#"{"_1":"X","nested":{"id":"no","__parentId":"no"},"id":"gid:\/\/a","__parentId":"b"}"#;
        let keys = keys(line, marker).unwrap();
        assert_eq!(keys.id(line).as_deref(), Some("gid://a"));
        assert_eq!(keys.parent(line).as_deref(), Some("b"));
        assert_eq!(keys.connection, Some(1));
    }

    #[test]
    fn what_the_document_selects_stays() {
        for (line, own) in [
            (r#"{"_1":"X","id":"a","__parentId":"b"}"#, r#"{"id":"a"}"#),
            (r#"{"_1":"X","__parentId":"b"}"#, "{}"),
            (
                r#"{ "_1" : "X" , "__parentId":"b" , "n" : [1] }"#,
                r#"{"n" : [1]}"#,
            ),
            (
                r#"{"a":1,"__parentId":"b","c":2,"_1":"X","d":{}}"#,
                r#"{"a":1,"c":2,"d":{}}"#,
            ),
            (
                r#"{"__parentId":"b","a":1,"b":2,"_1":"X"}"#,
                r#"{"a":1,"b":2}"#,
            ),
            (
                r#"{"a":{"_1":"X","__parentId":"b"}}"#,
                r#"{"a":{"_1":"X","__parentId":"b"}}"#,
            ),
            ("{}", "{}"),
        ] {
            let mut text = String::new();
            keys(line, marker).unwrap().own.write(line, &mut text);
            assert_eq!(text, own, "{line}");
        }
    }

    #[test]
    fn ids_that_are_null_are_none() {
        let line = r#"{"id":null,"image":null,"__parentId":"p"}"#;
        let keys = keys(line, marker).unwrap();
        assert_eq!(keys.id(line), None);
        assert_eq!(keys.parent(line).as_deref(), Some("p"));
    }

    #[test]
    fn finds_values() {
        let text = r#"{"a":[1,{"b":"}"}],"c":{"d":1}}"#;
        assert_eq!(&text[value_of(text, "c").unwrap()], r#"{"d":1}"#);
        assert_eq!(value_of(text, "d"), None);
    }

    #[test]
    fn every_cut_of_an_object_is_a_flaw() {
        let whole = r#"{"id":"a\"b\\","list":[{"x":1.5},[]],"deep":{"y":"}"},"n":null}"#;
        assert!(keys(whole, marker).is_ok());
        for end in 0..whole.len() {
            assert!(keys(&whole[..end], marker).is_err(), "cut at {end}");
        }
    }

    #[test]
    fn what_only_balances_together_is_a_flaw() {
        for half in [
            r#"{"a":[{"b":1}"#,
            r#"{"c":2}]}"#,
            r#"{"a":[1}]"#,
            r#"{"a":"#,
            "[]",
            "null",
        ] {
            assert!(keys(half, marker).is_err(), "{half}");
        }
    }
}
