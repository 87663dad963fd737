use std::cell::OnceCell;
use std::fmt::{self, Write as _};

use super::{Diagnostic, Diagnostics, Severity};
use crate::source::{Source, Span};

/// How many problems are shown; who has more fixes some and builds again.
const SHOWN: usize = 50;

/// Lines longer than this many bytes are cut.
const LONG: usize = 160;

/// How many letters of a long line are shown before the place, at it, and after it.
const CUT: usize = 50;

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let renderer = Renderer::new(&self.sources);
        for (index, problem) in self.list.iter().take(SHOWN).enumerate() {
            if index > 0 {
                f.write_char('\n')?;
            }
            f.write_str(&renderer.problem(problem))?;
        }
        match self.list.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n… and {more} more\n"),
        }
    }
}

/// Puts problems into text.
pub(super) struct Renderer<'a> {
    sources: Vec<(&'a Source, OnceCell<Vec<usize>>)>,
}

impl<'a> Renderer<'a> {
    pub(super) fn new(sources: &'a [Source]) -> Self {
        let sources = sources.iter().map(|source| (source, OnceCell::new()));
        Self {
            sources: sources.collect(),
        }
    }

    pub(super) fn problem(&self, problem: &Diagnostic) -> String {
        let severity = match problem.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let mut out = format!("{severity}: {}\n", shown(&problem.message));
        if let Some(span) = &problem.span {
            self.place(span, "", &mut out);
        }
        for (span, label) in &problem.labels {
            self.place(span, label, &mut out);
        }
        let gutter = problem.span.as_ref().map_or(1, |span| self.gutter(span));
        for note in &problem.notes {
            let _ = writeln!(out, "{:gutter$} │ {}", "", shown(note));
        }
        for help in &problem.help {
            let _ = writeln!(out, "help: {}", shown(help));
        }
        out
    }

    /// The width of the column of line numbers.
    fn gutter(&self, span: &Span) -> usize {
        self.sources.get(span.source).map_or(1, |(source, lines)| {
            let lines = lines.get_or_init(|| line_starts(&source.text));
            let line = lines.partition_point(|start| *start <= span.range.start);
            line.max(1).to_string().len()
        })
    }

    fn place(&self, span: &Span, label: &str, out: &mut String) {
        let Some((source, lines)) = self.sources.get(span.source) else {
            return;
        };
        let text: &str = &source.text;
        let lines = lines.get_or_init(|| line_starts(text));
        let at = floor(text, span.range.start);
        let line = lines.partition_point(|start| *start <= at).max(1);
        let start = lines[line - 1];
        let end = lines.get(line).map_or(text.len(), |next| next - 1);
        let before = &text[start..at];
        let column = before.chars().count() + 1;
        let token = text
            .get(at..span.range.end.clamp(at, end.max(at)))
            .unwrap_or_default();
        let after = text
            .get(at + token.len()..end)
            .unwrap_or("")
            .trim_end_matches('\r');

        let cut = if end - start > LONG { CUT } else { LONG };
        let before = shown(&last(before, cut));
        let token = shown(&first(token, cut));
        let after = shown(&first(after, cut));
        let number = line.to_string();
        let gutter = " ".repeat(number.len());
        let caret = format!(
            "{}{}",
            " ".repeat(before.chars().count()),
            "^".repeat(token.chars().count().max(1)),
        );
        let _ = writeln!(out, "{gutter} ┌ {}:{line}:{column}", shown(&source.name));
        let _ = writeln!(out, "{number} │ {before}{token}{after}");
        let space = if label.is_empty() { "" } else { " " };
        let _ = writeln!(out, "{gutter} │ {caret}{space}{}", shown(label));
    }
}

fn line_starts(text: &str) -> Vec<usize> {
    let newlines = text.match_indices('\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(newlines).collect()
}

fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Text with everything that would not be seen, or would move what is, shown by its number. A tab
/// is one space, so that carets stand where they should; line breaks stay.
#[must_use]
pub fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\t' => out.push(' '),
            // Messages may have several lines.
            '\n' => out.push('\n'),
            letter if hides(letter) => out.extend(letter.escape_unicode()),
            letter => out.push(letter),
        }
    }
    out
}

fn hides(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
                | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}'
                | '\u{E0000}'..='\u{E007F}'
        )
}

fn first(text: &str, letters: usize) -> String {
    match text.char_indices().nth(letters) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn last(text: &str, letters: usize) -> String {
    match text.char_indices().rev().nth(letters) {
        Some((start, letter)) => format!("…{}", &text[start + letter.len_utf8()..]),
        None => text.to_owned(),
    }
}
