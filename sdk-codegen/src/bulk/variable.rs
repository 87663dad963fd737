use super::template::{Value, Variable};
use crate::document::Operation;
use crate::schema::{Schema, TypeKind};

/// The variables of an operation, for its template.
pub(super) fn variables(schema: &Schema, operation: &Operation) -> Vec<Variable> {
    let variable = |variable: &crate::document::Variable| Variable {
        name: variable.name.clone(),
        default: variable.default.as_ref().map(ToString::to_string),
        value: value_of(schema, variable.ty.base()),
    };
    operation.variables.iter().map(variable).collect()
}

/// The input objects that variables reach, with their fields that are enums or inputs.
pub(super) fn inputs(
    schema: &Schema,
    variables: &[Variable],
) -> Vec<(String, Vec<(String, Value)>)> {
    let input = |value: &Value| match value {
        Value::Input(name) => Some(name.clone()),
        Value::Plain | Value::Enum => None,
    };
    let mut names: Vec<_> = variables
        .iter()
        .filter_map(|variable| input(&variable.value))
        .collect();
    let mut done: Vec<(String, Vec<(String, Value)>)> = Vec::new();
    while let Some(name) = names.pop() {
        if done.iter().any(|(known, _)| *known == name) {
            continue;
        }
        let fields = schema.get(&name).map(|ty| ty.input_fields());
        let fields = fields.unwrap_or_default().iter().filter_map(|field| {
            let value = value_of(schema, field.ty.base());
            (value != Value::Plain).then(|| (field.name.clone(), value))
        });
        let fields: Vec<_> = fields.collect();
        names.extend(fields.iter().filter_map(|(_, value)| input(value)));
        done.push((name, fields));
    }
    done
}

fn value_of(schema: &Schema, ty: &str) -> Value {
    match schema.get(ty).map(|ty| &ty.kind) {
        Some(TypeKind::Enum { .. }) => Value::Enum,
        Some(TypeKind::Input { .. }) => Value::Input(ty.to_owned()),
        _ => Value::Plain,
    }
}
