use super::is_connection;
use crate::diagnostic::Diagnostic;
use crate::document::{Document, Field, Operation};
use crate::schema::Schema;

/// The service's rules for bulk mutations: one root field, at most one connection below it.
pub(super) fn check(
    schema: &Schema,
    document: &Document,
    operation: &Operation,
) -> Result<(), Vec<Diagnostic>> {
    let mut problems = Vec::new();
    let mut roots = Vec::new();
    document.fields(&operation.selections, &mut roots);
    for extra in roots.iter().skip(1) {
        problems.push(
            Diagnostic::error(
                format!(
                    "`{}` is a second mutation in a bulk operation",
                    extra.response_key()
                ),
                extra.span.clone(),
            )
            .with_help(
                "a bulk mutation has one root field; run the others as operations of their own",
            ),
        );
    }
    for root in &roots {
        if root.name.starts_with("bulkOperation") {
            problems.push(Diagnostic::error(
                format!("`{}` cannot itself be run in bulk", root.name),
                root.span.clone(),
            ));
        }
    }
    let mut connections = Vec::new();
    for root in roots {
        below(schema, document, root, &mut connections);
    }
    for extra in connections.iter().skip(1) {
        problems.push(Diagnostic::error(
            format!(
                "`{}` is a second connection in a bulk mutation, which may have one",
                extra.response_key()
            ),
            extra.span.clone(),
        ));
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems)
    }
}

fn below<'d>(
    schema: &Schema,
    document: &'d Document,
    field: &'d Field,
    found: &mut Vec<&'d Field>,
) {
    let Some(selections) = &field.selections else {
        return;
    };
    let mut inner = Vec::new();
    document.fields(selections, &mut inner);
    for field in inner {
        if is_connection(schema, field) {
            found.push(field);
        }
        below(schema, document, field, found);
    }
}
