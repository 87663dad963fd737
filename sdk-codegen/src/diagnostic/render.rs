use std::fmt::{self, Write as _};

use super::{Diagnostic, Diagnostics, Severity};
use crate::source::{Source, Span};

/// How many problems are shown; who has more fixes some and builds again.
const SHOWN: usize = 50;

/// Lines longer than this many bytes are cut.
const LONG: usize = 160;

/// How many letters of a message are shown: a name in it may be as long as a document.
const TOLD: usize = 2000;

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
    sources: &'a [Source],
}

impl<'a> Renderer<'a> {
    pub(super) fn new(sources: &'a [Source]) -> Self {
        Self { sources }
    }

    pub(super) fn problem(&self, problem: &Diagnostic) -> String {
        let severity = match problem.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let mut out = format!("{severity}: {}\n", shown(&first(&problem.message, TOLD)));
        if let Some(span) = &problem.span {
            self.place(span, "", &mut out);
        }
        for (span, label) in &problem.labels {
            self.place(span, label, &mut out);
        }
        let gutter = problem.span.as_ref().map_or(1, |span| self.gutter(span));
        for note in &problem.notes {
            let _ = writeln!(out, "{:gutter$} │ {}", "", shown(&first(note, TOLD)));
        }
        for help in &problem.help {
            let _ = writeln!(out, "help: {}", shown(&first(help, TOLD)));
        }
        out
    }

    /// The width of the column of line numbers.
    fn gutter(&self, span: &Span) -> usize {
        self.sources.get(span.source).map_or(1, |source| {
            let (line, _) = source.line_column(span.range.start);
            line.to_string().len()
        })
    }

    fn place(&self, span: &Span, label: &str, out: &mut String) {
        let Some(source) = self.sources.get(span.source) else {
            return;
        };
        let text: &str = &source.text;
        let at = source.floor(span.range.start);
        let (line, column) = source.line_column(at);
        let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[at..].find('\n').map_or(text.len(), |ahead| at + ahead);
        let before = &text[start..at];
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
        let _ = writeln!(
            out,
            "{gutter} │ {caret}{space}{}",
            shown(&first(label, TOLD))
        );
    }
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

/// Whether a letter would not be seen, or would move what is: controls, and what Unicode calls
/// ignorable, save the selectors that belong to emoji.
pub(crate) fn hides(letter: char) -> bool {
    // Most are, and a macro runs unoptimised.
    if letter.is_ascii() {
        return letter.is_ascii_control();
    }
    letter.is_control()
        || matches!(
            letter,
            '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
                | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
                | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FEFF}' | '\u{FFA0}'
                | '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
                | '\u{E0000}'..='\u{E0FFF}'
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
