//! What documents use and should know of: names that clash, and what is deprecated.

use std::collections::{BTreeMap, BTreeSet};

use super::{Emitter, name};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::document::{Document, Operation, Selection, SelectionSet, Valid, Variable};
use crate::schema::{FieldDefinition, InputDefinition, Schema, TypeKind};
use crate::usage::{Coordinate, Usage};

/// A module of this name would hide the crate whose macro makes it.
const CRATE: &str = "tollgate";

/// Marker and module of each operation, or why there can be none.
pub(super) fn markers(
    document: &Document,
) -> Result<BTreeMap<String, (String, String)>, Diagnostics> {
    let mut problems = Vec::new();
    let mut markers = BTreeMap::new();
    let mut names: BTreeMap<String, &Operation> = BTreeMap::new();
    for operation in &document.operations {
        if operation.name.is_empty() {
            let problem = Diagnostic::error("an operation needs a name", operation.span.clone());
            problems.push(
                problem.with_help("its types are named after it, as `query ProductPage { … }`"),
            );
            continue;
        }
        let marker = name::type_name(&operation.name);
        // `t` is what the runtime is called in generated code.
        let module = match name::snake(&operation.name) {
            module if module == "t" => "t_".to_owned(),
            module => module,
        };
        if module == CRATE {
            let (name, span) = (&operation.name, operation.span.clone());
            let message = format!("operation `{name}` would be called `{CRATE}`, as this crate is");
            problems.push(Diagnostic::error(message, span).with_help("rename it"));
            continue;
        }
        // Types and modules share their names.
        let clash = [&module, &marker].into_iter().find_map(|name| {
            let other = names.insert(name.clone(), operation)?;
            Some((name, other))
        });
        if let Some((name, other)) = clash {
            let (ours, theirs) = (&operation.name, &other.name);
            let message =
                format!("operations `{theirs}` and `{ours}` would both be called `{name}` in Rust");
            let mut problem = Diagnostic::error(message, operation.span.clone());
            problem
                .labels
                .push((other.span.clone(), "the other one".to_owned()));
            problems.push(problem.with_help("rename one of them"));
        }
        markers.insert(operation.name.clone(), (marker, module));
    }
    for set in document.selection_sets() {
        hidden_typename(set, &mut problems);
    }
    if problems.is_empty() {
        return Ok(markers);
    }
    Err(Diagnostics::new(document.sources.clone(), problems))
}

/// An alias that takes the place of `__typename` would decide what is decoded.
fn hidden_typename(set: &SelectionSet, problems: &mut Vec<Diagnostic>) {
    for item in &set.items {
        match item {
            Selection::Field(field) => {
                if field.response_key() == "__typename" && field.name != "__typename" {
                    let message = format!(
                        "the alias `__typename` of `{}` hides the type's name",
                        field.name
                    );
                    problems.push(
                        Diagnostic::error(message, field.span.clone())
                            .with_help("choose another alias"),
                    );
                }
                if let Some(below) = &field.selections {
                    hidden_typename(below, problems);
                }
            }
            Selection::Inline(inline) => hidden_typename(&inline.selections, problems),
            Selection::Spread(_) => {}
        }
    }
}

/// Warns once of each deprecated thing at each place.
pub(super) fn deprecated(schema: &Schema, document: &Valid<Document>) -> Vec<Diagnostic> {
    let mut known = BTreeSet::new();
    let mut warnings = Vec::new();
    for operation in &document.operations {
        for found in Usage::of(schema, document, operation).deprecations(schema) {
            let at = (found.span.source, found.span.range.start);
            if !known.insert((found.coordinate.clone(), at)) {
                continue;
            }
            let what = said(schema, &found.coordinate);
            let reason: Vec<_> = found.reason.split_whitespace().collect();
            let message = format!("{what} is deprecated: {}", reason.join(" "));
            warnings.push(Diagnostic::warning(message, found.span));
        }
    }
    warnings
}

/// What is at the coordinate, in words.
fn said(schema: &Schema, coordinate: &Coordinate) -> String {
    let (on, member) = coordinate.as_str().split_once('.').unwrap_or_default();
    if let Some((field, argument)) = member.split_once('(') {
        let argument = argument.trim_end_matches(":)");
        return format!("the argument `{argument}` of `{field}`");
    }
    match schema.get(on).map(|definition| &definition.kind) {
        Some(TypeKind::Enum { .. }) => format!("the value `{member}` of `{on}`"),
        Some(TypeKind::Input { .. }) => format!("the field `{member}` of the input `{on}`"),
        _ => format!("the field `{member}`"),
    }
}

impl Emitter<'_> {
    /// The description, when descriptions are asked for.
    pub(super) fn docs<'d>(&self, description: Option<&'d str>) -> Option<&'d str> {
        description.filter(|_| self.settings.docs)
    }

    pub(super) fn field_doc(&self, definition: &FieldDefinition) -> Option<String> {
        let description = self.docs(definition.description.as_deref());
        described(description, definition.deprecated.as_deref())
    }

    pub(super) fn input_doc(&self, definition: &InputDefinition) -> Option<String> {
        let description = self.docs(definition.description.as_deref());
        described(description, definition.deprecated.as_deref())
    }

    pub(super) fn variable_doc(&self, variable: &Variable) -> String {
        let Variable {
            name, ty, default, ..
        } = variable;
        match default {
            Some(default) => format!("`${name}: {ty} = {default}`"),
            None => format!("`${name}: {ty}`"),
        }
    }
}

fn described(description: Option<&str>, deprecated: Option<&str>) -> Option<String> {
    match (description, deprecated) {
        (Some(description), Some(reason)) => {
            let first = description.trim().split("\n\n").next().unwrap_or_default();
            Some(format!("{first} **Deprecated:** {reason}"))
        }
        (None, Some(reason)) => Some(format!("**Deprecated:** {reason}")),
        (description, None) => description.map(str::to_owned),
    }
}
