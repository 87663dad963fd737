//! What the page is told: operations with their price tree, as JSON.

use serde_json::{Value, json};
use tollgate_codegen::document::{Document, Operation, OperationKind, Valid};
use tollgate_codegen::pricing::{self, Charge, Entry, Priced};
use tollgate_codegen::schema::Schema;
use tollgate_codegen::source::{Source, Span};
use tollgate_codegen::usage::Usage;
use tollgate_cost::{Condition, Literal, MAX_QUERY, NoVariables, Node, Owner, Parameter, Size};

use crate::project::Project;

/// An operation and its price.
pub(crate) struct Subject<'a> {
    pub(crate) operation: &'a Operation,
    pub(crate) priced: Priced,
}

/// Everything the page shows.
pub(crate) fn report(
    schema: &Schema,
    document: &Valid<Document>,
    subjects: &[Subject<'_>],
    documents: &str,
) -> Value {
    json!({
        "schema": &*schema.source().name,
        "documents": documents,
        "maximum": MAX_QUERY.get(),
        "operations": subjects
            .iter()
            .map(|subject| operation(schema, document, subject))
            .collect::<Vec<_>>(),
    })
}

fn operation(schema: &Schema, document: &Valid<Document>, subject: &Subject<'_>) -> Value {
    let Subject { operation, priced } = subject;
    let plan = &priced.plan;
    let bulk = operation.is_bulk();
    let bound = Project::bound(operation, priced);
    let deprecated = Usage::of(schema, document, operation).deprecations(schema);
    let deprecated = deprecated.into_iter().map(|use_| {
        json!({
            "coordinate": use_.coordinate.as_str(),
            "reason": use_.reason,
            "place": place(document, &use_.span),
        })
    });
    json!({
        "name": if operation.name.is_empty() { "(unnamed)" } else { &operation.name },
        "kind": match operation.kind {
            OperationKind::Query => "query",
            OperationKind::Mutation => "mutation",
        },
        "place": place(document, &operation.span),
        "description": description(document, operation),
        "text": text(document, operation),
        "bulk": bulk,
        "price": if bulk { Some(bound.get()) } else { starting_price(priced) },
        "bound": bound.get(),
        "budget": operation.budget().map(tollgate_cost::Points::get),
        "parameters": plan.parameters.iter().map(parameter).collect::<Vec<_>>(),
        "entries": entries(priced, &priced.entries),
        "deprecated": deprecated.collect::<Vec<_>>(),
    })
}

fn place(document: &Document, span: &Span) -> String {
    span.place(&document.sources).unwrap_or_default()
}

/// The description, or else the comment above the operation.
fn description(document: &Document, operation: &Operation) -> Option<String> {
    if operation.description.is_some() {
        return operation.description.clone();
    }
    let span = &operation.span;
    let text = &document.sources.get(span.source)?.text;
    let above = text[..span.range.start].lines().rev().skip(1);
    let comment = above.map_while(|line| line.trim().strip_prefix('#'));
    let mut lines: Vec<_> = comment.map(str::trim).collect();
    lines.reverse();
    (!lines.is_empty()).then(|| lines.join(" "))
}

/// The text of the operation: from its keyword to the next definition of the source.
fn text<'a>(document: &'a Document, operation: &Operation) -> &'a str {
    let span = &operation.span;
    let Some(Source { text, .. }) = document.sources.get(span.source) else {
        return "";
    };
    let start = text[..span.range.start].rfind('\n').map_or(0, |at| at + 1);
    let operations = document.operations.iter().map(|other| &other.span);
    let fragments = document.fragments.values().map(|fragment| &fragment.span);
    let next = operations
        .chain(fragments)
        .filter(|other| other.source == span.source && other.range.start > span.range.start)
        .map(|other| text[..other.range.start].rfind('\n').unwrap_or(0))
        .min();
    let own = &text[start..next.unwrap_or(text.len()).max(start)];
    // What stands between the closing brace and the next definition belongs to the latter.
    own.rfind('}').map_or(own, |end| &own[..=end])
}

/// The price of a call that gives nothing: only when the document says what everything is then.
fn starting_price(priced: &Priced) -> Option<u64> {
    let mut known = true;
    let mut need = |index: usize| {
        let parameter = priced.plan.parameters.get(index);
        known &= parameter.is_some_and(|parameter| parameter.default.is_some());
    };
    each_parameter(&priced.entries, &mut need);
    if !known {
        return None;
    }
    priced
        .plan
        .price(&NoVariables)
        .ok()
        .map(tollgate_cost::Points::get)
}

/// The parameters that sizes and conditions depend on.
fn each_parameter(entries: &[Entry], visit: &mut impl FnMut(usize)) {
    for entry in entries {
        if let Some(condition) = &entry.condition {
            in_condition(condition, visit);
        }
        match &entry.charge {
            Charge::Object { fields, .. } => each_parameter(fields, visit),
            Charge::Abstract { types, .. } => {
                for possible in types {
                    each_parameter(&possible.fields, visit);
                }
            }
            Charge::Connection { sizes, fields } => {
                for size in sizes {
                    if let Size::Parameter(index) = size {
                        visit(*index);
                    }
                }
                each_parameter(fields, visit);
            }
            Charge::Input { .. } => {}
        }
    }
}

fn in_condition(condition: &Condition, visit: &mut impl FnMut(usize)) {
    match condition {
        Condition::Is { parameter, .. } => visit(*parameter),
        Condition::All(inner) | Condition::Any(inner) => {
            for condition in inner.iter() {
                in_condition(condition, visit);
            }
        }
    }
}

fn parameter(parameter: &Parameter) -> Value {
    json!({
        "name": parameter.name,
        "default": match parameter.default {
            Some(Literal::Int(value)) => json!(value),
            Some(Literal::Bool(value)) => json!(value),
            _ => Value::Null,
        },
        "assumed": parameter.assumed,
        "max": parameter.max,
    })
}

fn entries(priced: &Priced, list: &[Entry]) -> Vec<Value> {
    list.iter()
        .map(|entry| self::entry(priced, entry))
        .collect()
}

fn entry(priced: &Priced, entry: &Entry) -> Value {
    let mut value = match &entry.charge {
        Charge::Object { own, fields } => {
            json!({ "own": own.0, "fields": entries(priced, fields) })
        }
        Charge::Abstract { own, types } => {
            let possible = |possible: &pricing::Possible| json!({ "types": possible.types, "fields": entries(priced, &possible.fields) });
            json!({ "own": own.0, "types": types.iter().map(possible).collect::<Vec<_>>() })
        }
        Charge::Connection { sizes, fields } => json!({
            "sizes": sizes.iter().map(size).collect::<Vec<_>>(),
            "fields": entries(priced, fields),
        }),
        Charge::Input { each, terms, .. } => json!({
            "each": each.0,
            "terms": terms.iter().map(|node| term(priced, node)).collect::<Vec<_>>(),
        }),
    };
    value["label"] = json!(entry.label);
    value["path"] = json!(entry.path);
    if let Some(condition) = &entry.condition {
        value["when"] = self::condition(condition);
    }
    value
}

fn size(size: &Size) -> Value {
    match size {
        Size::Fixed(size) => json!(size),
        Size::Parameter(index) => json!({ "parameter": index }),
    }
}

fn condition(of: &Condition) -> Value {
    let inner = |list: &[Condition]| list.iter().map(condition).collect::<Vec<_>>();
    match of {
        Condition::Is { parameter, value } => json!({ "parameter": parameter, "value": value }),
        Condition::All(list) => json!({ "all": inner(list) }),
        Condition::Any(list) => json!({ "any": inner(list) }),
    }
}

/// A term that grows with the input: where its items are counted, and how many there may be.
fn term(priced: &Priced, node: &Node) -> Value {
    let way = |parameter: usize, path: &[std::borrow::Cow<'static, str>]| {
        let name = priced.plan.parameters.get(parameter);
        let name = name.map_or("", |parameter| &*parameter.name);
        let steps = path.iter().map(|step| &**step);
        std::iter::once(name)
            .chain(steps)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    match node {
        Node::PerItem {
            parameter,
            path,
            each,
            at_most,
            declared,
        } => json!({
            "items": way(*parameter, path),
            "each": each.0,
            "atMost": at_most,
            "declared": declared,
        }),
        Node::PerOwner {
            owners,
            weights,
            at_most,
        } => {
            let variable = owners.iter().find_map(|owner| match owner {
                Owner::Parameter { parameter, path } => Some(way(*parameter, path)),
                Owner::Id(_) => None,
            });
            let dearest = weights.iter().map(|(_, weight)| weight.0).max();
            json!({
                "owners": variable.unwrap_or_default(),
                "each": dearest.unwrap_or_default(),
                "atMost": at_most,
            })
        }
        other => json!({ "points": constant(other).0 }),
    }
}

fn constant(node: &Node) -> tollgate_cost::MilliPoints {
    let plan = tollgate_cost::Plan {
        root: node.clone(),
        parameters: Vec::new().into(),
    };
    plan.exact_bound()
}
