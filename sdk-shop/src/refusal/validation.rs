//! Validation errors as the server words them, from the problems that our validator finds.

use serde_json::Value;
use tollgate_codegen::diagnostic::{Diagnostic, Diagnostics};
use tollgate_codegen::document::{Directive, Document, Selection, SelectionSet};
use tollgate_codegen::schema::{Schema, TypeKind};
use tollgate_codegen::source::{Source, Span};

use super::{Location, Refusal};

/// How many problems of a document are told: the place of each is looked for in all of it.
const TOLD: usize = 100;

/// The entries of `errors` for a document that is not valid, for the first [`TOLD`] problems.
pub(crate) fn refusals(schema: &Schema, problems: &Diagnostics) -> Vec<Refusal> {
    let refuse = |problem: &Diagnostic| {
        let source = problems.sources.first();
        let refusal = worded(schema, &problem.message);
        match (source, &problem.span) {
            (Some(source), Some(span)) => placed(refusal, source, span.range.start),
            _ => refusal,
        }
    };
    problems.list.iter().take(TOLD).map(refuse).collect()
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
    let ours = found.into_iter().filter(|directive| directive.is_client());
    let refuse = |directive: &Directive| {
        let refusal = undefined_directive(&directive.name);
        let Span { source, range } = &directive.span;
        match document.sources.get(*source) {
            Some(source) => placed(refusal, source, range.start),
            None => refusal,
        }
    };
    ours.take(TOLD).map(refuse).collect()
}

fn in_selections<'a>(set: &'a SelectionSet, found: &mut Vec<&'a Directive>) {
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

/// The server's words and code for a problem of our validator, whose messages name what they are
/// about between backticks.
fn worded(schema: &Schema, problem: &str) -> Refusal {
    let names: Vec<_> = problem.split('`').skip(1).step_by(2).collect();
    let ends = |end: &str| problem.ends_with(end);
    match names[..] {
        _ if problem.starts_with("syntax error") => Refusal::new(problem).code("PARSE_ERROR"),
        [ty, field] if problem.contains("` has no field `") => {
            let input = schema.get(ty);
            if input.is_some_and(|ty| matches!(ty.kind, TypeKind::Input { .. })) {
                return not_accepted("InputObject", ty, field);
            }
            Refusal::new(format!("Field '{field}' doesn't exist on type '{ty}'"))
                .code("undefinedField")
                .extension("typeName", ty)
                .extension("fieldName", field)
        }
        [owner, argument] if problem.contains("` has no argument `") => {
            not_accepted(owner_kind(owner), owner, argument)
        }
        [field] if ends("needs a selection") => {
            let message =
                format!("Field must have selections (field '{field}' has no selections.)");
            mismatch(message, field)
        }
        [ty] if problem.starts_with("nothing can be selected on") => {
            let message = format!("Selections can't be made on scalars (a field returns {ty})");
            mismatch(message, ty)
        }
        [owner, ..] if problem.contains("` needs ") => {
            let missing: Vec<_> = names[1..]
                .iter()
                .map(|name| name.split(':').next().unwrap_or(name))
                .collect();
            let (kind, missing) = (owner_kind(owner), missing.join(", "));
            let owner = owner.trim_start_matches('@');
            Refusal::new(format!(
                "{kind} '{owner}' is missing required arguments: {missing}"
            ))
            .code("missingRequiredArguments")
            .extension("className", kind)
            .extension("name", owner)
            .extension("arguments", missing)
        }
        [name] if problem.starts_with("there is no directive") => {
            undefined_directive(name.trim_start_matches('@'))
        }
        [ty] if problem.starts_with("there is no type") => {
            let message = format!("No such type {ty}, so it can't be a fragment condition");
            Refusal::new(message)
                .code("undefinedType")
                .extension("typeName", ty)
        }
        [fragment] if problem.starts_with("there is no fragment") => undefined_fragment(
            fragment,
            format!("Fragment {fragment} was used, but not defined"),
        ),
        [fragment] if problem.starts_with("fragment `") && ends("is never used") => {
            undefined_fragment(
                fragment,
                format!("Fragment {fragment} was defined, but not used"),
            )
        }
        [name] if name.starts_with('$') && ends("is never used") => {
            Refusal::new(format!("Variable {name} is declared but not used"))
                .code("variableNotUsed")
                .extension("variableName", name.trim_start_matches('$'))
        }
        [operation, name] if problem.contains("` does not declare `") => {
            let operation = match operation {
                "" => "anonymous query",
                name => name,
            };
            Refusal::new(format!(
                "Variable {name} is used by {operation} but not declared"
            ))
            .code("variableNotDefined")
            .extension("variableName", name.trim_start_matches('$'))
        }
        [name, given, wanted] if ends("is needed here") => Refusal::new(format!(
            "Type mismatch on variable {name} ({given} / {wanted})"
        ))
        .code("variableMismatch")
        .extension("variableName", name.trim_start_matches('$'))
        .extension("typeName", given)
        .extension("errorMessage", "Type mismatch"),
        [ty, ..] if is_value_problem(problem) => Refusal::new(problem)
            .code("argumentLiteralsIncompatible")
            .extension("typeName", ty),
        // The rarer rules: the message alone, as older answers came.
        _ => Refusal::new(problem),
    }
}

fn not_accepted(kind: &str, owner: &str, argument: &str) -> Refusal {
    let owner = owner.trim_start_matches('@');
    let message = format!("{kind} '{owner}' doesn't accept argument '{argument}'");
    Refusal::new(message)
        .code("argumentNotAccepted")
        .extension("name", owner)
        .extension("typeName", kind)
        .extension("argumentName", argument)
}

fn mismatch(message: String, node: &str) -> Refusal {
    Refusal::new(message)
        .code("selectionMismatch")
        .extension("nodeName", node)
}

fn undefined_fragment(fragment: &str, message: String) -> Refusal {
    Refusal::new(message)
        .code("useAndDefineFragment")
        .extension("fragmentName", fragment)
}

fn owner_kind(owner: &str) -> &'static str {
    if owner.starts_with('@') {
        "Directive"
    } else {
        "Field"
    }
}

/// Whether a literal does not fit the type of its place.
fn is_value_problem(problem: &str) -> bool {
    [
        "may not be null",
        "is needed, not",
        "has no value",
        "takes exactly one",
    ]
    .iter()
    .any(|words| problem.contains(words))
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
                '"' => string_length(tail),
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

/// The length of the string, or block string, that a text begins with, quotes included.
fn string_length(text: &str) -> usize {
    const BLOCK: &str = "\"\"\"";
    if let Some(inside) = text.strip_prefix(BLOCK) {
        return inside.find(BLOCK).map_or(text.len(), |end| end + 6);
    }
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        if letter == '"' && !escaped {
            return at + 1;
        }
        escaped = letter == '\\' && !escaped;
    }
    text.len()
}

#[cfg(test)]
mod tests;
