use super::{Document, Field, Operation, OperationKind, Valid, Value};
use crate::diagnostic::Diagnostic;
use crate::schema::Schema;

/// What a valid document should do otherwise, by what the schema's descriptions say: mutations
/// that the server refuses without `@idempotent`, and keys that are the same in every call.
#[must_use]
pub fn lint(schema: &Schema, document: &Valid<Document>) -> Vec<Diagnostic> {
    let mutations = document
        .operations
        .iter()
        .filter(|operation| operation.kind == OperationKind::Mutation);
    let mut warnings = Vec::new();
    for operation in mutations {
        let mut roots = Vec::new();
        document.fields(&operation.selections, &mut roots);
        for field in roots {
            warnings.extend(idempotency(schema, operation, field));
        }
    }
    warnings
}

/// The vendor writes this sentence into the description of a mutation, since its version 2026-04.
const KEY_REQUIRED: &str = "idempotency key is required";

fn idempotency(schema: &Schema, operation: &Operation, field: &Field) -> Option<Diagnostic> {
    let name = &field.name;
    let given = field.directives.iter().find(|d| d.name == "idempotent");
    if let Some(directive) = given {
        return match directive.argument("key")? {
            Value::String(_) => Some(
                Diagnostic::warning(
                    format!("`{name}` runs once and never again: its key is always the same"),
                    directive.span.clone(),
                )
                .with_help("make it a variable, `@idempotent(key: $key)`: left out in a call, it is made for that call"),
            ),
            _ => None,
        };
    }
    let description = field.definition.description.as_deref()?;
    let required = schema.has_directive("idempotent") && description.contains(KEY_REQUIRED);
    let declared = &operation.name;
    required.then(|| {
        Diagnostic::warning(
            format!("the server refuses `{name}` without an idempotency key"),
            field.span.clone(),
        )
        .with_help(format!(
            "declare it, `mutation {declared}($key: String!, …)`, and give it, `{name}(…) @idempotent(key: $key)`"
        ))
    })
}
