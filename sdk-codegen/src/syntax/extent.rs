use std::collections::HashMap;

use bluejay_core::AsIter;
use bluejay_core::executable::{
    Field as _, FragmentSpread as _, InlineFragment as _, OperationDefinition as _,
    VariableDefinition as _,
};
use bluejay_parser::HasSpan;
use bluejay_parser::ast::executable::{ExecutableDocument, Field, Selection, SelectionSet};
use bluejay_parser::ast::{Argument, Directives, Value};

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

/// The most arguments of one field or directive, and the most fields of an object that is written
/// out, for the same reason. The widest real input object has some sixty.
const MAX_NAMES: usize = 500;

/// How far a selection reaches, its fragments written out.
#[derive(Clone, Copy, Default)]
struct Extent {
    fields: usize,
    height: usize,
    /// The most names that are given values at one place.
    names: usize,
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
        } else if extent.names > MAX_NAMES {
            format!(
                "`{name}` gives more than {MAX_NAMES} arguments, or fields of an object, at one place"
            )
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
        let variables = variables.into_iter().flat_map(|variables| variables.iter());
        let given = variables.map(|variable| {
            let default = variable.default_value().map_or(0, of_value);
            default.max(of_directives(variable.directives()))
        });
        let own = of_directives(operation.as_ref().directives());
        extent.names = given.fold(extent.names.max(own), usize::max);
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
            let given = match selection {
                Selection::Field(field) => {
                    let arguments = of_arguments(Field::arguments(field));
                    arguments.max(of_directives(field.directives()))
                }
                Selection::InlineFragment(inline) => of_directives(inline.directives()),
                Selection::FragmentSpread(spread) => of_directives(spread.directives()),
            };
            let (own, below) = match selection {
                Selection::Field(field) => {
                    let below = Field::selection_set(field);
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
            extent.names = extent.names.max(below.names).max(given);
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

/// The most names at one place of some arguments.
fn of_arguments<'a, const CONST: bool>(
    arguments: Option<&(impl AsIter<Item = Argument<'a, CONST>> + 'a)>,
) -> usize {
    let arguments = arguments.map(|list| list.iter()).into_iter().flatten();
    let (mut count, mut below) = (0, 0);
    for argument in arguments {
        count += 1;
        below = below.max(of_value(argument.value()));
    }
    below.max(count)
}

fn of_directives<const CONST: bool>(directives: Option<&Directives<'_, CONST>>) -> usize {
    let directives = directives.map(|list| list.iter()).into_iter().flatten();
    let arguments =
        directives.map(|directive| of_arguments(bluejay_core::Directive::arguments(directive)));
    arguments.max().unwrap_or_default()
}

fn of_value<const CONST: bool>(value: &Value<'_, CONST>) -> usize {
    match value {
        Value::List(items) => items.iter().map(of_value).max().unwrap_or_default(),
        Value::Object(fields) => {
            let below = fields.iter().map(|(_, value)| of_value(value)).max();
            below.unwrap_or_default().max(fields.iter().count())
        }
        _ => 0,
    }
}
