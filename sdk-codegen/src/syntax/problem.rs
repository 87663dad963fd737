use std::ops::Range;

use bluejay_parser::Error;

use super::MAX_DEPTH;
use super::cursor::Cursor;
use super::outline::{Entry, Keyword, Unexpected};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// What the outline of a schema did not expect.
pub(super) fn unexpected(text: &str, problem: &Unexpected) -> Diagnostic {
    let range = token_at(text, problem.at);
    let message = match &text[range.clone()] {
        "" => format!("syntax error: expected {}", problem.wanted),
        token => format!("syntax error: expected {}, found `{token}`", problem.wanted),
    };
    Diagnostic::error(message, Span { source: 0, range })
}

/// A name that the specification keeps for itself.
pub(super) fn reserved(name: &str, at: impl Into<Option<Span>>) -> Option<Diagnostic> {
    name.starts_with("__").then(|| {
        Diagnostic::error(format!("the name `{name}` begins with `__`"), at)
            .with_help("such names are the specification's own: a schema gives others")
    })
}

/// The name of a definition, as it is written where it is used.
pub(super) fn token(text: &str, entry: &Entry) -> String {
    let sigil = match entry.keyword {
        Keyword::Directive => "@",
        _ => "",
    };
    format!("{sigil}{}", &text[entry.name.clone()])
}

/// The first parse error of a part of a text, as a problem of source 0: further ones are mostly
/// its wake.
pub(super) fn syntax(errors: Vec<Error>, text: &str, part: &Range<usize>) -> Vec<Diagnostic> {
    let first = errors.into_iter().next();
    first
        .map(|error| convert(error, text, part))
        .into_iter()
        .collect()
}

fn convert(error: Error, text: &str, part: &Range<usize>) -> Diagnostic {
    let snippet = &text[part.clone()];
    let headline = error.message().to_owned();
    let mut found = Error::into_graphql_errors(snippet, [error]).into_iter();
    let found = found.next();
    let detail = found
        .as_ref()
        .map_or(headline, |found| found.message.to_string());
    let place = found.as_ref().and_then(|found| found.locations.first());
    let at = match (place, detail.as_str()) {
        (Some(place), _) => part.start + offset(snippet, place.line, place.col),
        // The parser names no place for these.
        (None, "Max depth exceeded") => part.start + deepest(snippet),
        (None, _) => part.start,
    };
    let range = token_at(text, at);
    let message = format!("syntax error: {}", reword(&detail, &text[range.clone()]));
    let problem = Diagnostic::error(message, Span { source: 0, range });
    match detail.as_str() {
        "Max depth exceeded" => problem.with_help(format!("at most {} levels", MAX_DEPTH / 2)),
        "Document does not contain any definitions" => {
            problem.with_help("write an operation, as `query Name { … }`, or a fragment")
        }
        _ => problem,
    }
}

/// Where brackets nest more deeply than the parser follows.
fn deepest(text: &str) -> usize {
    let mut cursor = Cursor::new(text, 0);
    let mut open = 0_usize;
    while let Some(byte) = cursor.next_byte() {
        match byte {
            b'"' if !cursor.string() => break,
            b'"' => continue,
            b'{' | b'(' | b'[' => open += 1,
            b'}' | b')' | b']' => open = open.saturating_sub(1),
            _ => {}
        }
        if open > MAX_DEPTH / 2 {
            return cursor.position();
        }
        cursor.skip();
    }
    0
}

/// The parser's words, with the token at fault.
fn reword(detail: &str, token: &str) -> String {
    let found = match token {
        "" => ", but the text ends here".to_owned(),
        token => format!(", found `{token}`"),
    };
    if let Some(wanted) = detail.strip_prefix("Expected to find: ") {
        return format!("expected `{wanted}`{found}");
    }
    if let Some(wanted) = detail.strip_prefix("Expected one of the following: ") {
        return format!("expected one of {wanted}{found}");
    }
    match detail {
        "Expected a name" => format!("expected a name{found}"),
        "Unexpected EOF" => "the text ends too early: is a `}` or `)` missing?".into(),
        "Unexpected token" if token.is_empty() => "the text ends too early".into(),
        "Unexpected token" => format!("`{token}` is not expected here"),
        "Unable to parse" => format!("`{token}` is not GraphQL"),
        "Max depth exceeded" => "this is nested too deeply".into(),
        limit if limit.starts_with("Maximum token limit") => "there is too much text".into(),
        "Document does not contain any definitions" => "there is nothing in this document".into(),
        other => {
            let mut letters = other.chars();
            let first = letters.next().map(|first| first.to_ascii_lowercase());
            first.into_iter().chain(letters).collect()
        }
    }
}

fn offset(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text
        .split_inclusive('\n')
        .take(line.max(1) - 1)
        .map(str::len)
        .sum();
    let line = text.get(start..).unwrap_or("");
    let within = line
        .char_indices()
        .nth(column.max(1) - 1)
        .map_or(line.len(), |(at, _)| at);
    start + within
}

/// The name, or the single letter, at an offset.
fn token_at(text: &str, start: usize) -> Range<usize> {
    let rest = text.get(start..).unwrap_or("");
    let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '@');
    let length = rest.find(|c| !name(c)).unwrap_or(rest.len());
    let first = rest.chars().next().map_or(0, char::len_utf8);
    start..start + length.max(first)
}
