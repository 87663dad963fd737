//! Validation errors as the server words them, from the problems that our validator finds.

use serde_json::Value;
use tollgate_codegen::diagnostic::{Diagnostic, Diagnostics};
use tollgate_codegen::document::{Document, Selection, SelectionSet};
use tollgate_codegen::source::{Source, Span};

use super::{Location, Refusal};

/// Directives that clients strip before they send a document.
const CLIENT_DIRECTIVES: [&str; 4] = ["cost", "max", "bulk", "paginate"];

/// The entries of `errors` for a document that is not valid.
pub(crate) fn refusals(problems: &Diagnostics) -> Vec<Refusal> {
    let refuse = |problem: &Diagnostic| {
        let source = problems.sources.first();
        let refusal = worded(&problem.message);
        match (source, &problem.span) {
            (Some(source), Some(span)) => placed(refusal, source, span.range.start),
            _ => refusal,
        }
    };
    problems.list.iter().map(refuse).collect()
}

/// Client directives that were left in a document, which no server knows.
pub(crate) fn client_directives(document: &Document) -> Vec<Refusal> {
    let mut found = Vec::new();
    for operation in &document.operations {
        let variables = operation.variables.iter();
        found.extend(&operation.directives);
        found.extend(variables.flat_map(|variable| &variable.directives));
        in_selections(&operation.selections, &mut found);
    }
    for fragment in document.fragments.values() {
        in_selections(&fragment.selections, &mut found);
    }
    let ours = found
        .into_iter()
        .filter(|directive| CLIENT_DIRECTIVES.contains(&directive.name.as_str()));
    let refuse = |directive: &tollgate_codegen::document::Directive| {
        let refusal = undefined_directive(&directive.name);
        let Span { source, range } = &directive.span;
        match document.sources.get(*source) {
            Some(source) => placed(refusal, source, range.start),
            None => refusal,
        }
    };
    ours.map(refuse).collect()
}

fn in_selections<'a>(
    set: &'a SelectionSet,
    found: &mut Vec<&'a tollgate_codegen::document::Directive>,
) {
    for item in &set.items {
        match item {
            Selection::Field(field) => {
                found.extend(&field.directives);
                if let Some(below) = &field.selections {
                    in_selections(below, found);
                }
            }
            Selection::Spread(spread) => found.extend(&spread.directives),
            Selection::Inline(inline) => {
                found.extend(&inline.directives);
                in_selections(&inline.selections, found);
            }
        }
    }
}

fn placed(mut refusal: Refusal, source: &Source, offset: usize) -> Refusal {
    let (line, column) = source.line_column(offset);
    refusal.locations.push(Location { line, column });
    if refusal.extensions.get("code") != Some(&Value::from("PARSE_ERROR")) {
        refusal.path = path_at(&source.text, offset);
    }
    refusal
}

fn undefined_directive(name: &str) -> Refusal {
    Refusal::new(format!("Directive @{name} is not defined"))
        .code("undefinedDirective")
        .extension("directiveName", name)
}

/// The server's words and code for a problem of our validator.
fn worded(problem: &str) -> Refusal {
    let names: Vec<_> = problem.split('`').skip(1).step_by(2).collect();
    let variable = || {
        let rest = problem.split('$').nth(1).unwrap_or_default();
        rest.split(|c: char| !c.is_alphanumeric() && c != '_')
            .next()
            .unwrap_or_default()
    };
    match names[..] {
        [field, ty] if problem.contains("does not exist on type") => {
            Refusal::new(format!("Field '{field}' doesn't exist on type '{ty}'"))
                .code("undefinedField")
                .extension("typeName", ty)
                .extension("fieldName", field)
        }
        [owner, argument] if problem.contains("does not define an argument named") => {
            let kind = owner_kind(problem);
            let message = format!("{kind} '{owner}' doesn't accept argument '{argument}'");
            Refusal::new(message)
                .code("argumentNotAccepted")
                .extension("name", owner)
                .extension("typeName", kind)
                .extension("argumentName", argument)
        }
        [owner, ..] if problem.contains("missing argument(s)") => {
            let kind = owner_kind(problem);
            let arguments = problem.split("argument(s): ").nth(1).unwrap_or_default();
            let arguments = arguments.replace('`', "");
            Refusal::new(format!(
                "{kind} '{owner}' is missing required arguments: {arguments}"
            ))
            .code("missingRequiredArguments")
            .extension("className", kind)
            .extension("name", owner)
            .extension("arguments", arguments)
        }
        [name] if problem.starts_with("No directive definition") => {
            undefined_directive(name.trim_start_matches('@'))
        }
        [ty] if problem.starts_with("No selection on field") => Refusal::new(format!(
            "Field must have selections (a field returns {ty} but has no selections.)"
        ))
        .code("selectionMismatch")
        .extension("typeName", ty),
        [ty] if problem.starts_with("Selection on field of leaf type") => Refusal::new(format!(
            "Selections can't be made on scalars (a field returns {ty} but has selections)"
        ))
        .code("selectionMismatch")
        .extension("typeName", ty),
        [ty] if problem.starts_with("No type definition") => {
            let message = format!("No such type {ty}, so it can't be a fragment condition");
            Refusal::new(message)
                .code("undefinedType")
                .extension("typeName", ty)
        }
        [fragment] if problem.starts_with("No fragment defined") => {
            Refusal::new(format!("Fragment {fragment} was used, but not defined"))
                .code("useAndDefineFragment")
                .extension("fragmentName", fragment)
        }
        [fragment] if problem.starts_with("Fragment definition") => {
            Refusal::new(format!("Fragment {fragment} was defined, but not used"))
                .code("useAndDefineFragment")
                .extension("fragmentName", fragment)
        }
        _ if problem.starts_with("Variable definition") => {
            let name = variable();
            Refusal::new(format!("Variable ${name} is declared but not used"))
                .code("variableNotUsed")
                .extension("variableName", name)
        }
        _ if problem.contains("not defined in") => {
            let name = variable();
            Refusal::new(format!("Variable ${name} is used but not declared"))
                .code("variableNotDefined")
                .extension("variableName", name)
        }
        _ if problem.contains("cannot be used here") => Refusal::new(problem)
            .code("variableMismatch")
            .extension("variableName", variable())
            .extension("errorMessage", "Type mismatch"),
        _ if is_literal_problem(problem) => {
            Refusal::new(problem).code("argumentLiteralsIncompatible")
        }
        _ if is_syntax_problem(problem) => Refusal::new(problem).code("PARSE_ERROR"),
        // The rarer rules: the message alone, as older answers came.
        _ => Refusal::new(problem),
    }
}

fn owner_kind(problem: &str) -> &'static str {
    if problem.starts_with("Directive") {
        "Directive"
    } else {
        "Field"
    }
}

fn is_literal_problem(problem: &str) -> bool {
    let beginnings = [
        "No implicit conversion",
        "Got null when",
        "No member",
        "No value for required fields",
        "No field with name",
        "Int values",
        "Float values",
        "Object with multiple entries",
        "Multiple entries with null",
        "Got ",
    ];
    beginnings.iter().any(|text| problem.starts_with(text))
}

fn is_syntax_problem(problem: &str) -> bool {
    let beginnings = [
        "Parse error",
        "Unexpected",
        "Unrecognized",
        "Expected",
        "Document does not contain",
        "Max ",
    ];
    beginnings.iter().any(|text| problem.starts_with(text))
}

/// The path of a place in a document: `query Name`, then the response keys down to it. Read off
/// the text, since a document that is not valid has no tree.
fn path_at(text: &str, offset: usize) -> Vec<Value> {
    let mut path: Vec<String> = Vec::new();
    let mut head: Vec<&str> = Vec::new();
    let mut last = String::new();
    let mut depth = 0;
    for (at, token) in tokens(text) {
        match token {
            "(" => depth += 1,
            ")" => depth -= 1,
            "{" if depth == 0 => {
                let below = match path.is_empty() {
                    true if head.is_empty() => "query".to_owned(),
                    true => head[..head.len().min(2)].join(" "),
                    false => last.clone(),
                };
                path.push(below);
                head.clear();
            }
            "}" if depth == 0 => {
                path.pop();
            }
            _ if depth > 0 => {}
            name if path.is_empty() => head.push(name),
            name => last = name.to_owned(),
        }
        if at >= offset {
            if depth == 0 && !path.is_empty() && !["{", "}"].contains(&token) {
                path.push(last);
            }
            break;
        }
    }
    if path.is_empty() && !head.is_empty() {
        path.push(head[..head.len().min(2)].join(" "));
    }
    path.into_iter().map(Value::from).collect()
}

/// Names, braces and parentheses, without strings and comments.
fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        loop {
            let tail = text.get(rest..)?;
            let first = tail.chars().next()?;
            let length = match first {
                '#' => tail.find('\n').unwrap_or(tail.len()),
                '"' => tail[1..].find('"').map_or(tail.len(), |end| end + 2),
                c if c.is_ascii_alphabetic() || c == '_' => tail
                    .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                    .unwrap_or(tail.len()),
                c => c.len_utf8(),
            };
            let at = rest;
            rest += length;
            let word = first.is_ascii_alphabetic() || first == '_';
            if word || ['{', '}', '(', ')'].contains(&first) {
                return Some((at, &tail[..length]));
            }
        }
    })
}

#[cfg(test)]
mod tests;
