use std::ops::Range;

use bluejay_parser::Error;

use super::MAX_DEPTH;
use super::outline::Unexpected;
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
    let range =
        place.map(|place| token_at(text, part.start + offset(snippet, place.line, place.col)));
    let token = range.clone().map(|range| &text[range]).unwrap_or_default();
    let message = format!("syntax error: {}", reword(&detail, token));
    let problem = Diagnostic::error(message, range.map(|range| Span { source: 0, range }));
    match detail.as_str() {
        "Max depth exceeded" => problem.with_help(format!("at most {} levels", MAX_DEPTH / 2)),
        _ => problem,
    }
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
        "Unexpected EOF" => "the text ends before a `}` or `)` that was opened is closed".into(),
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
