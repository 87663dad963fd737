use tollgate_cost::{MAX_PAGE, MAX_QUERY, MilliPoints, Node, Points};

use super::advice;
use super::breakdown::{Basis, Line, Row, grouped, outline};
use super::place::is_connection;
use super::tree::Priced;
use crate::diagnostic::Diagnostic;
use crate::document::{
    Document, Field, Operation, OperationKind, Selection, SelectionSet, Valid, Value,
};
use crate::schema::TypeRef;

/// How many places of the dearest paths are shown.
const ROWS: usize = 6;

/// The largest page of the variants of one product, which may have so many.
const MAX_VARIANTS: u64 = 2048;

/// What is wrong with the price of an operation: above what the server takes for one query, above
/// its own `@cost(max:)`, page sizes and directives that make no sense.
///
/// A `@bulk` operation is exempt from the server's maximum, and its connections need no sizes.
#[must_use]
pub fn check(
    document: &Valid<Document>,
    operation: &Operation,
    priced: &Priced,
) -> Vec<Diagnostic> {
    let mut problems = declarations(operation);
    sizes(document, operation, &operation.selections, &mut problems);
    problems.extend(maximum(operation, priced));
    problems
}

/// Bounds that bound nothing.
fn declarations(operation: &Operation) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    for variable in &operation.variables {
        let Some(max) = variable.max_directive() else {
            continue;
        };
        let is_size = matches!(&variable.ty, TypeRef::Named { name, .. } if name == "Int");
        if !is_size && !variable.ty.is_list() {
            let message = format!(
                "`@max` bounds page sizes and lists, and `${}` is of type `{}`",
                variable.name, variable.ty
            );
            problems.push(Diagnostic::error(message, max.span.clone()));
        }
        if max
            .argument("value")
            .and_then(Value::as_i64)
            .is_some_and(|value| value < 0)
        {
            let message = format!("the `@max` of `${}` is below zero", variable.name);
            problems.push(Diagnostic::error(message, max.span.clone()));
        }
        let default = variable.default.as_ref();
        if let Some(bound) = variable.max()
            && let Some(default) = default.and_then(length).filter(|default| *default > bound)
        {
            let of = if is_size {
                "its default of"
            } else {
                "the length of its default,"
            };
            let name = &variable.name;
            let message = format!("the `@max` of `${name}` is {bound}, below {of} {default}");
            let help = format!("a call that leaves `${name}` out would be refused");
            problems.push(Diagnostic::error(message, max.span.clone()).with_help(help));
        }
    }
    if let Some(directive) = operation.cost_directive()
        && operation.budget().is_none_or(|budget| budget < Points(1))
    {
        let message = format!(
            "the budget of {} is below 1 point, the least an operation costs",
            name(operation)
        );
        problems.push(Diagnostic::error(message, directive.span.clone()));
    }
    problems
}

/// A page size, or how many items a list has.
fn length(value: &Value) -> Option<u64> {
    match value {
        Value::List(items) => u64::try_from(items.len()).ok(),
        value => u64::try_from(value.as_i64()?).ok(),
    }
}

/// Page sizes that the server refuses, as far as the document shows them.
fn sizes(
    document: &Document,
    operation: &Operation,
    set: &SelectionSet,
    problems: &mut Vec<Diagnostic>,
) {
    for selection in &set.items {
        match selection {
            Selection::Field(field) => {
                let found = size(operation, &set.parent, field);
                // A fragment that is spread twice, a variable that sizes two connections.
                problems.extend(found.filter(|found| !problems.contains(found)));
                if let Some(set) = &field.selections {
                    sizes(document, operation, set, problems);
                }
            }
            Selection::Inline(inline) => sizes(document, operation, &inline.selections, problems),
            Selection::Spread(spread) => {
                if let Some(fragment) = document.fragments.get(&spread.fragment) {
                    sizes(document, operation, &fragment.selections, problems);
                }
            }
        }
    }
}

fn size(operation: &Operation, on: &str, field: &Field) -> Option<Diagnostic> {
    if !is_connection(field) {
        return None;
    }
    let bulk = operation.is_bulk();
    let given = ["first", "last"].map(|name| (name, field.argument(name)));
    for (name, value) in given {
        if let Some(size) = value.and_then(Value::as_i64)
            && size < 0
        {
            let message = format!("`{name}: {size}`: a page size is 0 or more");
            return Some(Diagnostic::error(message, field.span.clone()));
        }
        // A bulk operation reads all there is, whatever the sizes.
        let large = value.filter(|_| !bulk);
        if let Some(problem) = large.and_then(|value| too_large(operation, on, field, name, value))
        {
            return Some(problem);
        }
    }
    let sized = given
        .iter()
        .any(|(_, value)| value.is_some_and(|value| *value != Value::Null));
    let by_default =
        field.definition.arguments.iter().any(|argument| {
            matches!(&*argument.name, "first" | "last") && argument.default.is_some()
        });
    let sizable = field
        .definition
        .arguments
        .iter()
        .any(|argument| argument.name == "first");
    if bulk || sized || by_default || !sizable {
        return None;
    }
    let message = format!(
        "connection `{}` has no page size: the server asks for `first` or `last`",
        field.name
    );
    let problem = Diagnostic::warning(message, field.span.clone());
    Some(problem.with_help("add `first:`, or run the operation in bulk with `@bulk`"))
}

/// A page size above the largest that the server gives, literal, declared or by default.
fn too_large(
    operation: &Operation,
    on: &str,
    field: &Field,
    argument: &str,
    value: &Value,
) -> Option<Diagnostic> {
    // Whether the product is one or one of many is not looked at: what the server may take passes.
    let largest = match (on, &*field.name) {
        ("Product", "variants") => MAX_VARIANTS,
        _ => MAX_PAGE,
    };
    let (size, is, span) = match value {
        Value::Variable(name) => {
            let variable = operation.variable(name)?;
            match (variable.max(), variable.max_directive()) {
                (Some(max), Some(bound)) => (
                    max,
                    format!("the `@max` of `${name}` is {max}"),
                    &bound.span,
                ),
                _ => {
                    let default = length(variable.default.as_ref()?)?;
                    let is = format!("`${name}` is {default} by default");
                    (default, is, &variable.span)
                }
            }
        }
        literal => {
            let size = length(literal)?;
            (size, format!("`{argument}` is {size}"), &field.span)
        }
    };
    let message = format!("{is}; the largest page is {largest}");
    (size > largest).then(|| Diagnostic::error(message, span.clone()))
}

/// The operation against the server's maximum and its own budget.
fn maximum(operation: &Operation, priced: &Priced) -> Option<Diagnostic> {
    let bound = priced.plan.declared_bound();
    let own = operation.budget().filter(|budget| *budget >= Points(1));
    let server = (!operation.is_bulk()).then_some(MAX_QUERY);
    let name = name(operation);
    let up_to = format!("{name} costs {} points", up_to(priced));
    let (limit, message) = match (server, own) {
        (Some(server), _) if bound > server => {
            let most = grouped(MilliPoints::from_points(server.0));
            (
                server,
                format!("{up_to}; one query may cost at most {most}"),
            )
        }
        (_, Some(own)) if bound > own => {
            let most = grouped(MilliPoints::from_points(own.0));
            (own, format!("{up_to}; its budget is {most}"))
        }
        _ => return None,
    };
    let rows = priced.breakdown(Basis::Bound).unwrap_or_default();
    let dearest = dearest(&rows);
    let span = priced
        .entries
        .iter()
        .find(|entry| dearest.is_some_and(|row| row.path == entry.path))
        .map_or_else(|| operation.span.clone(), |entry| entry.span.clone());
    let mut problem = Diagnostic::error(message, span).with_notes(table(&rows));
    for help in advice::advice(operation, priced, limit) {
        problem = problem.with_help(help);
    }
    Some(problem)
}

fn name(operation: &Operation) -> String {
    match (&*operation.name, operation.kind) {
        ("", OperationKind::Query) => "the query".into(),
        ("", OperationKind::Mutation) => "the mutation".into(),
        (name, _) => format!("`{name}`"),
    }
}

/// `up to 1 729`, or `1 729` when no variable changes it.
fn up_to(priced: &Priced) -> String {
    let points = grouped(MilliPoints::from_points(priced.plan.declared_bound().0));
    match priced.plan.root {
        Node::Const(_) => points,
        _ => format!("up to {points}"),
    }
}

fn dearest(rows: &[Row]) -> Option<&Row> {
    rows.iter().max_by_key(|row| row.total())
}

/// The dearest paths with their arithmetic, in columns.
fn table(rows: &[Row]) -> Vec<String> {
    let mut lines = outline(rows);
    // The dearest places, shown in the order of the document.
    let mut prices: Vec<_> = lines.iter().map(|line| line.row.total()).collect();
    prices.sort_unstable_by(|a, b| b.cmp(a));
    let least = prices.get(ROWS - 1).copied().unwrap_or_default();
    lines.retain(|line| line.row.total() >= least);
    lines.truncate(ROWS * 2);
    let text = |line: &Line<'_>| format!("{}{}", "  ".repeat(line.depth), line.label);
    let width = lines
        .iter()
        .map(|line| text(line).chars().count())
        .max()
        .unwrap_or(0);
    let price = |line: &Line<'_>| grouped(line.row.each);
    let digits = lines
        .iter()
        .map(|line| price(line).chars().count())
        .max()
        .unwrap_or(0);
    let render = |line: &Line<'_>| {
        let start = format!("  {:width$}   {:>digits$}", text(line), price(line));
        match &line.row.arithmetic {
            Some(arithmetic) => format!("{start}   = {arithmetic}"),
            None => start,
        }
    };
    lines.iter().map(render).collect()
}
