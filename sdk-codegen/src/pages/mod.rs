//! Pagination at build time: which connection of an operation `pages` and `items` walk, and how.

#[cfg(test)]
mod tests;

use crate::bulk::{Form, is_connection};
use crate::diagnostic::{Diagnostic, Severity};
use crate::document::{
    Document, Field, Operation, OperationKind, Selection, SelectionSet, Valid, Value, Variable,
};
use crate::schema::Schema;
use crate::source::Span;

/// Which way pages are turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `first` and `after`, `hasNextPage` and `endCursor`.
    Forward,
    /// `last` and `before`, `hasPreviousPage` and `startCursor`.
    Backward,
}

impl Direction {
    /// The argument of the page size.
    #[must_use]
    pub const fn size(self) -> &'static str {
        match self {
            Self::Forward => "first",
            Self::Backward => "last",
        }
    }

    /// The argument of the cursor.
    #[must_use]
    pub const fn cursor(self) -> &'static str {
        match self {
            Self::Forward => "after",
            Self::Backward => "before",
        }
    }

    /// The field of `pageInfo` that tells whether there is more.
    #[must_use]
    pub const fn has_more(self) -> &'static str {
        match self {
            Self::Forward => "hasNextPage",
            Self::Backward => "hasPreviousPage",
        }
    }

    /// The field of `pageInfo` with the cursor to go on from.
    #[must_use]
    pub const fn end(self) -> &'static str {
        match self {
            Self::Forward => "endCursor",
            Self::Backward => "startCursor",
        }
    }
}

/// The connection that an operation walks page by page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paged {
    /// The response keys from `data` to the connection.
    pub path: Vec<String>,
    /// Which way.
    pub direction: Direction,
    /// The variable of the cursor, without `$`.
    pub cursor: String,
    /// The variable of the page size; `None` when the document fixes it.
    pub size: Option<String>,
    /// The largest page the document allows.
    pub largest: u64,
    /// The response key of `pageInfo`.
    pub page_info: String,
    /// The response key of `hasNextPage`, or `hasPreviousPage`.
    pub has_more: String,
    /// The response key of `endCursor`, or `startCursor`.
    pub end: String,
    /// How the nodes are selected.
    pub form: Form,
    /// The place of the connection.
    pub span: Span,
}

/// What is known of the pages of an operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Paging {
    /// The connection to walk, if there is one.
    pub paged: Option<Paged>,
    /// What is wrong: errors where `@paginate` asks for the impossible, warnings where an answer
    /// would be cut without a word.
    pub problems: Vec<Diagnostic>,
}

/// Finds the connection that an operation walks: the one with `@paginate`, else the only one
/// outside lists and other connections whose cursor is a variable.
#[must_use]
pub fn paging(schema: &Schema, document: &Valid<Document>, operation: &Operation) -> Paging {
    let mut found = Found {
        schema,
        document,
        candidates: Vec::new(),
        problems: Vec::new(),
    };
    if operation.kind == OperationKind::Query {
        found.enter(&operation.selections, &mut Vec::new(), None);
    }
    let Found {
        candidates,
        mut problems,
        ..
    } = found;
    let (asked, inferred): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|c| c.asked);
    for extra in asked.iter().skip(1) {
        problems.push(Diagnostic::error(
            "a second `@paginate` in one operation",
            extra.field.span.clone(),
        ));
    }
    let chosen = match (asked.first(), &inferred[..]) {
        (Some(asked), _) => Some(asked),
        (None, [only]) => Some(only),
        (None, _) => None,
    };
    let paged = chosen.and_then(|candidate| {
        paged(document, operation, candidate)
            .map_err(|mut problem| {
                if !candidate.asked {
                    problem.severity = Severity::Warning;
                    *problem = problem.with_help("`pages` and `items` are not generated");
                }
                problems.push(*problem);
            })
            .ok()
    });
    Paging { paged, problems }
}

struct Candidate<'d> {
    field: &'d Field,
    path: Vec<String>,
    asked: bool,
}

struct Found<'d> {
    schema: &'d Schema,
    document: &'d Document,
    candidates: Vec<Candidate<'d>>,
    problems: Vec<Diagnostic>,
}

impl<'d> Found<'d> {
    /// `many` names the list or connection that the selection repeats with.
    fn enter(&mut self, set: &'d SelectionSet, path: &mut Vec<String>, many: Option<&'d Field>) {
        for item in &set.items {
            match item {
                Selection::Field(field) => self.field(field, path, many),
                Selection::Inline(inline) => self.enter(&inline.selections, path, many),
                Selection::Spread(spread) => {
                    if let Some(fragment) = self.document.fragments.get(&spread.fragment) {
                        self.enter(&fragment.selections, path, many);
                    }
                }
            }
        }
    }

    fn field(&mut self, field: &'d Field, path: &mut Vec<String>, many: Option<&'d Field>) {
        let asked = field.is_paginated();
        let connection = is_connection(self.schema, field);
        path.push(field.response_key().to_owned());
        if asked && !connection {
            self.problems.push(Diagnostic::error(
                format!(
                    "`@paginate` on `{}`, which is not a connection",
                    field.response_key()
                ),
                field.span.clone(),
            ));
        } else if connection {
            match many {
                Some(many) if asked => self.problems.push(nested(field, many)),
                Some(_) => {}
                None if asked || cursor(field).is_some() => self.candidates.push(Candidate {
                    field,
                    path: path.clone(),
                    asked,
                }),
                None => {}
            }
        }
        if let Some(selections) = &field.selections {
            let repeats = connection || field.definition.ty.is_list();
            self.enter(selections, path, many.or(repeats.then_some(field)));
        }
        path.pop();
    }
}

/// `@paginate` below a list or another connection.
fn nested(field: &Field, many: &Field) -> Diagnostic {
    let message = format!(
        "`@paginate` on `{}`, which is in the many of `{}`",
        field.response_key(),
        many.response_key()
    );
    Diagnostic::error(message, field.span.clone())
        .with_help("continue it with an operation of its own, by the id of its parent")
}

/// The direction and the variable of the cursor.
fn cursor(field: &Field) -> Option<(Direction, &str)> {
    [Direction::Forward, Direction::Backward]
        .into_iter()
        .find_map(|direction| match field.argument(direction.cursor()) {
            Some(Value::Variable(name)) => Some((direction, name.as_str())),
            _ => None,
        })
}

fn paged(
    document: &Document,
    operation: &Operation,
    candidate: &Candidate<'_>,
) -> Result<Paged, Box<Diagnostic>> {
    let field = candidate.field;
    let key = field.response_key();
    let problem = |message: String| Diagnostic::error(message, field.span.clone());
    let (direction, cursor) = cursor(field).ok_or_else(|| {
        problem(format!(
            "`{key}` cannot be paginated: its cursor is not a variable"
        ))
        .with_help("declare `$after: String` and pass it as `after: $after`")
    })?;
    if let Some(variable) = operation
        .variable(cursor)
        .filter(|variable| variable.ty.is_non_null())
    {
        return Err(Diagnostic::error(
            format!(
                "`${cursor}` is `{}`, but the first page has no cursor",
                variable.ty
            ),
            variable.span.clone(),
        )
        .with_help(format!("declare it as `${cursor}: String`"))
        .into());
    }
    let (size, largest) = match field.argument(direction.size()) {
        Some(Value::Variable(name)) => {
            let max = operation.variable(name).and_then(Variable::max);
            let largest = max.unwrap_or(tollgate_cost::MAX_PAGE);
            (Some(name.clone()), largest.min(tollgate_cost::MAX_PAGE))
        }
        Some(value) => (
            None,
            value
                .as_i64()
                .and_then(|n| u64::try_from(n).ok())
                .unwrap_or(0),
        ),
        None => {
            return Err(problem(format!(
                "`{key}` cannot be paginated: `{}` needs `{}`",
                direction.cursor(),
                direction.size()
            ))
            .into());
        }
    };
    let seen = fields_of(document, field);
    let want = |fields: &[&Field], name: &str| {
        fields
            .iter()
            .find(|f| f.name == name)
            .map(|f| f.response_key().to_owned())
    };
    let incomplete = || {
        let (has_more, end) = (direction.has_more(), direction.end());
        problem(format!(
            "`{key}` cannot be paginated: `pageInfo {{ {has_more} {end} }}` is not selected"
        ))
        .with_help(format!(
            "select `pageInfo {{ {has_more} {end} }}` in `{key}`"
        ))
    };
    let info = seen
        .iter()
        .find(|f| f.name == "pageInfo")
        .ok_or_else(incomplete)?;
    let inside = fields_of(document, info);
    let has_more = want(&inside, direction.has_more()).ok_or_else(incomplete)?;
    let end = want(&inside, direction.end()).ok_or_else(incomplete)?;
    let form = form(document, &seen)
        .ok_or_else(|| problem(format!("`{key}` cannot be paginated: it selects no nodes")))?;
    Ok(Paged {
        path: candidate.path.clone(),
        direction,
        cursor: cursor.to_owned(),
        size,
        largest,
        page_info: info.response_key().to_owned(),
        has_more,
        end,
        form,
        span: field.span.clone(),
    })
}

fn form(document: &Document, seen: &[&Field]) -> Option<Form> {
    if let Some(nodes) = seen.iter().find(|f| f.name == "nodes") {
        let nodes = nodes.response_key().to_owned();
        return Some(Form::Nodes { nodes });
    }
    let edges = seen.iter().find(|f| f.name == "edges")?;
    let inside = fields_of(document, edges);
    let node = inside.iter().find(|f| f.name == "node")?;
    Some(Form::Edges {
        edges: edges.response_key().to_owned(),
        node: node.response_key().to_owned(),
    })
}

/// The fields below a field, those of fragments included.
fn fields_of<'d>(document: &'d Document, field: &'d Field) -> Vec<&'d Field> {
    let mut found = Vec::new();
    if let Some(selections) = &field.selections {
        document.fields(selections, &mut found);
    }
    found
}
