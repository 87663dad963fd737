use std::ops::Range;

use bluejay_parser::Error;

use crate::diagnostic::Diagnostic;
use crate::source::{Source, Span};

/// A `bluejay` error as a diagnostic; `index` is the place of the source in its document set.
pub(super) fn convert(error: Error, source: &Source, index: usize) -> Diagnostic {
    let headline = error.message().to_owned();
    let mut places = Error::into_graphql_errors(&source.text, [error]).into_iter();
    let place = places.next();
    let range = place
        .as_ref()
        .and_then(|place| place.locations.first())
        .map(|location| {
            token_at(
                &source.text,
                offset(&source.text, location.line, location.col),
            )
        });
    Diagnostic::error(
        headline,
        range.map(|range| Span {
            source: index,
            range,
        }),
    )
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

/// The name, or the single character, at an offset.
fn token_at(text: &str, start: usize) -> Range<usize> {
    let rest = text.get(start..).unwrap_or("");
    let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '@');
    let length = rest.find(|c| !name(c)).unwrap_or(rest.len());
    let first = rest.chars().next().map_or(0, char::len_utf8);
    start..start + length.max(first)
}
