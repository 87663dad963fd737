use std::collections::HashMap;

use bluejay_core::AsIter;
use bluejay_core::executable::OperationDefinition as _;
use bluejay_parser::HasSpan;
use bluejay_parser::ast::executable::{ExecutableDocument, Selection, SelectionSet};

use super::document::Joined;
use crate::diagnostic::Diagnostic;

/// The most fields that one operation may select, its fragments written out. The largest real
/// operations select some thousands; fragments that spread each other twice select 2ⁿ.
const MAX_FIELDS: usize = 50_000;

/// How deep selections may nest, fragments written out. All walks over a document recurse.
const MAX_HEIGHT: usize = 100;

/// The most variables of one operation. The validator compares each with all others: 1 000 take it
/// seconds in a debug build; real operations have some tens.
const MAX_VARIABLES: usize = 500;

/// How far a selection reaches, its fragments written out.
#[derive(Clone, Copy, Default)]
struct Extent {
    fields: usize,
    height: usize,
    /// Of an operation.
    variables: usize,
}

/// Refuses documents that would take validation too long, or too deep.
pub(super) fn check(
    parsed: &ExecutableDocument<'_>,
    joined: &Joined,
) -> Result<(), Vec<Diagnostic>> {
    let mut measure = Measure::new(parsed);
    let mut problems = Vec::new();
    let mut refuse = |name: &str, span: &bluejay_parser::Span, extent: Extent| {
        let message = if extent.fields > MAX_FIELDS {
            format!("`{name}` selects more than {MAX_FIELDS} fields, its fragments written out")
        } else if extent.height > MAX_HEIGHT {
            format!("`{name}` nests more than {MAX_HEIGHT} levels, its fragments written out")
        } else if extent.variables > MAX_VARIABLES {
            format!("`{name}` has more than {MAX_VARIABLES} variables")
        } else {
            return;
        };
        let start = span.byte_range().start;
        problems.push(Diagnostic::error(message, joined.span(start..start + 1)));
    };
    for operation in parsed.operation_definitions() {
        let name = operation.as_ref().name().unwrap_or_default();
        let mut extent = measure.selections(operation.selection_set(), 0);
        let variables = operation.as_ref().variable_definitions();
        extent.variables = variables.map_or(0, |variables| variables.iter().count());
        refuse(name, operation.span(), extent);
    }
    // Measured for those that no operation spreads.
    for fragment in parsed.fragment_definitions() {
        let name = fragment.name().as_str();
        let extent = measure.fragment(name, 0);
        refuse(name, fragment.span(), extent);
    }
    problems.truncate(1);
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems)
    }
}

struct Measure<'a> {
    fragments: HashMap<&'a str, &'a SelectionSet<'a>>,
    /// `None` while it is being measured: a cycle, which validation reports.
    measured: HashMap<&'a str, Option<Extent>>,
}

impl<'a> Measure<'a> {
    fn new(parsed: &'a ExecutableDocument<'a>) -> Self {
        let fragments = parsed.fragment_definitions().iter();
        let fragments = fragments.map(|f| (f.name().as_str(), f.selection_set()));
        Self {
            fragments: fragments.collect(),
            measured: HashMap::new(),
        }
    }

    fn selections(&mut self, set: &'a SelectionSet<'a>, depth: usize) -> Extent {
        let mut extent = Extent {
            height: 1,
            ..Extent::default()
        };
        if depth > MAX_HEIGHT {
            extent.height = depth;
            return extent;
        }
        for selection in set.iter() {
            let (own, below) = match selection {
                Selection::Field(field) => {
                    let below = bluejay_core::executable::Field::selection_set(field);
                    let below = below.map(|set| self.selections(set, depth + 1));
                    (1, below.unwrap_or_default())
                }
                Selection::InlineFragment(inline) => {
                    (0, self.selections(inline.selection_set(), depth + 1))
                }
                Selection::FragmentSpread(spread) => {
                    (0, self.fragment(spread.name().as_str(), depth + 1))
                }
            };
            extent.fields = extent
                .fields
                .saturating_add(own)
                .saturating_add(below.fields);
            extent.height = extent.height.max(below.height + 1);
        }
        extent
    }

    fn fragment(&mut self, name: &'a str, depth: usize) -> Extent {
        if let Some(measured) = self.measured.get(name) {
            return measured.unwrap_or_default();
        }
        let Some(set) = self.fragments.get(name).copied() else {
            return Extent::default();
        };
        self.measured.insert(name, None);
        let extent = self.selections(set, depth);
        self.measured.insert(name, Some(extent));
        extent
    }
}
