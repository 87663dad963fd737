//! What is wrong with a schema or a document: data first, rendering last.

mod render;
mod suggestion;

pub(crate) use render::hides;
pub use render::shown;
pub(crate) use suggestion::did_you_mean;
pub use suggestion::suggest;

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

    /// Adds a further place, with what it shows.
    #[must_use]
    pub fn with_label(mut self, span: Span, label: impl Into<String>) -> Self {
        self.labels.push((span, label.into()));
        self
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

    /// Adds next steps, if there are any.
    #[must_use]
    pub(crate) fn with_helps(mut self, help: impl IntoIterator<Item = String>) -> Self {
        self.help.extend(help);
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

    /// Adds those of another set.
    pub fn extend(&mut self, other: Self) {
        let offset = self.sources.len();
        self.sources.extend(other.sources);
        self.list.extend(other.list.into_iter().map(|mut problem| {
            let labels = problem.labels.iter_mut().map(|(span, _)| span);
            let spans = problem.span.iter_mut().chain(labels);
            spans.for_each(|span| span.source += offset);
            problem
        }));
    }

    /// The value, or nothing and the problems added.
    pub(crate) fn take<T>(&mut self, result: Result<T, Self>) -> Option<T> {
        result.map_err(|problems| self.extend(problems)).ok()
    }

    /// Whether one of them fails the build.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        let mut severities = self.list.iter().map(|problem| problem.severity);
        severities.any(|severity| severity == Severity::Error)
    }

    /// One of the problems as text: message, `file:line:column`, the line with a caret, further
    /// places, next steps.
    #[must_use]
    pub fn render(&self, problem: &Diagnostic) -> String {
        render::Renderer::new(&self.sources).problem(problem)
    }
}

impl std::error::Error for Diagnostics {}
