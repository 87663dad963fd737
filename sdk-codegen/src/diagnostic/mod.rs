//! What is wrong with a schema or a document: data first, rendering last.

use std::fmt;

use crate::source::{Source, Span};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The build fails.
    Error,
    /// The build goes on.
    Warning,
}

/// One problem, with its place and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// One sentence, naming the token at fault.
    pub message: String,
    /// Where; `None` for a problem of the whole set.
    pub span: Option<Span>,
    /// Further places, each with what it shows.
    pub labels: Vec<(Span, String)>,
    /// Lines printed below the places as they are.
    pub notes: Vec<String>,
    /// Next steps, each printed after `help:`.
    pub help: Vec<String>,
}

impl Diagnostic {
    /// An error at a place.
    #[must_use]
    pub fn error(message: impl Into<String>, span: impl Into<Option<Span>>) -> Self {
        Self {
            severity: Severity::Error,
            message: message.into(),
            span: span.into(),
            labels: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
        }
    }

    /// A warning at a place.
    #[must_use]
    pub fn warning(message: impl Into<String>, span: impl Into<Option<Span>>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(message, span)
        }
    }

    /// Adds lines below the places.
    #[must_use]
    pub fn with_notes(mut self, notes: impl IntoIterator<Item = String>) -> Self {
        self.notes.extend(notes);
        self
    }

    /// Adds a next step.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }
}

/// Problems together with the sources they point into, in the order of the sources.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    /// The sources that spans index.
    pub sources: Vec<Source>,
    /// The problems, sorted by place.
    pub list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Sorts the problems by place.
    #[must_use]
    pub fn new(sources: Vec<Source>, mut list: Vec<Diagnostic>) -> Self {
        list.sort_by_key(|problem| problem.span.as_ref().map(|s| (s.source, s.range.start)));
        Self { sources, list }
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.list.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            self.render(problem, f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

impl Diagnostics {
    /// Message, `file:line:column`, the line with a caret, labels, help.
    fn render(&self, problem: &Diagnostic, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match problem.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        writeln!(f, "{severity}: {}", problem.message)?;
        if let Some(span) = &problem.span {
            self.render_place(span, "", f)?;
        }
        for (span, label) in &problem.labels {
            self.render_place(span, label, f)?;
        }
        let gutter = problem.span.as_ref().map_or(1, |span| self.gutter(span));
        for note in &problem.notes {
            writeln!(f, "{:gutter$} │ {note}", "")?;
        }
        for help in &problem.help {
            writeln!(f, "help: {help}")?;
        }
        Ok(())
    }

    /// The width of the column of line numbers.
    fn gutter(&self, span: &Span) -> usize {
        let source = self.sources.get(span.source);
        source.map_or(1, |source| {
            source.line_column(span.range.start).0.to_string().len()
        })
    }

    fn render_place(&self, span: &Span, label: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(source) = self.sources.get(span.source) else {
            return Ok(());
        };
        let (line, column) = source.line_column(span.range.start);
        let text = source.text.lines().nth(line - 1).unwrap_or("");
        let number = line.to_string();
        let gutter = " ".repeat(number.len());
        let width = source.text.get(span.range.clone()).map_or(1, |token| {
            token.lines().next().unwrap_or("").chars().count().max(1)
        });
        writeln!(f, "{gutter} ┌ {}:{line}:{column}", source.name)?;
        writeln!(f, "{number} │ {}", text.replace('\t', " "))?;
        let indent = " ".repeat(column - 1);
        let caret = "^".repeat(width);
        writeln!(
            f,
            "{gutter} │ {indent}{caret}{}{label}",
            if label.is_empty() { "" } else { " " }
        )
    }
}
