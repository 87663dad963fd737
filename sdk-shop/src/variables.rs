//! Variables as the server reads them: defaults filled in, values checked against their types.

use serde_json::{Map, Value, json};
use tollgate_codegen::document::{self, Operation, Variable};
use tollgate_codegen::schema::{InputDefinition, Schema, TypeDefinition, TypeKind, TypeRef};

use crate::refusal::Refusal;

/// One thing wrong with the value of a variable.
struct Problem {
    path: Vec<Value>,
    explanation: String,
}

/// Checks the variables of a call and fills in defaults. Variables that the operation does not
/// declare are ignored.
pub(crate) fn coerce(
    schema: &Schema,
    operation: &Operation,
    given: &Map<String, Value>,
) -> Result<Map<String, Value>, Vec<Refusal>> {
    let mut coerced = Map::new();
    let mut refusals = Vec::new();
    for variable in &operation.variables {
        let mut reader = Reader {
            schema,
            path: Vec::new(),
            problems: Vec::new(),
        };
        let value = match (given.get(&variable.name), &variable.default) {
            (Some(value), _) => Some(reader.value(&variable.ty, value)),
            (None, Some(default)) => literal(default, &Map::new()),
            (None, None) if variable.ty.is_non_null() => {
                reader.problem("Expected value to not be null");
                None
            }
            (None, None) => None,
        };
        if reader.problems.is_empty() {
            if let Some(value) = value {
                coerced.insert(variable.name.clone(), value);
            }
        } else {
            let value = given.get(&variable.name).cloned().unwrap_or(Value::Null);
            refusals.push(refusal(variable, value, &reader.problems));
        }
    }
    if refusals.is_empty() {
        Ok(coerced)
    } else {
        Err(refusals)
    }
}

fn refusal(variable: &Variable, value: Value, problems: &[Problem]) -> Refusal {
    let places: Vec<_> = problems.iter().filter_map(Problem::named).collect();
    let mut message = format!(
        "Variable ${} of type {} was provided invalid value",
        variable.name, variable.ty
    );
    if !places.is_empty() {
        message = format!("{message} for {}", places.join(", "));
    }
    let problems: Vec<_> = problems
        .iter()
        .map(|problem| json!({"path": problem.path, "explanation": problem.explanation}))
        .collect();
    Refusal::new(message)
        .code("INVALID_VARIABLE")
        .extension("value", value)
        .extension("problems", Value::Array(problems))
}

impl Problem {
    fn named(&self) -> Option<String> {
        let parts = self.path.iter().map(|part| match part {
            Value::String(name) => name.clone(),
            other => other.to_string(),
        });
        let path: Vec<_> = parts.collect();
        (!path.is_empty()).then(|| format!("{} ({})", path.join("."), self.explanation))
    }
}

struct Reader<'a> {
    schema: &'a Schema,
    path: Vec<Value>,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn problem(&mut self, explanation: impl Into<String>) {
        self.problems.push(Problem {
            path: self.path.clone(),
            explanation: explanation.into(),
        });
    }

    fn below<T>(&mut self, part: Value, read: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(part);
        let result = read(self);
        self.path.pop();
        result
    }

    fn value(&mut self, ty: &TypeRef, value: &Value) -> Value {
        if value.is_null() {
            if ty.is_non_null() {
                self.problem("Expected value to not be null");
            }
            return Value::Null;
        }
        match ty {
            TypeRef::List { item, .. } => match value {
                Value::Array(items) => {
                    let items = items.iter().enumerate();
                    items
                        .map(|(index, value)| {
                            self.below(index.into(), |reader| reader.value(item, value))
                        })
                        .collect()
                }
                // The specification's list coercion: one value stands for a list of it.
                single => Value::Array(vec![self.value(item, single)]),
            },
            TypeRef::Named { name, .. } => match self.schema.get(name) {
                Some(definition) => self.named(definition, value),
                None => value.clone(),
            },
        }
    }

    fn named(&mut self, definition: &TypeDefinition, value: &Value) -> Value {
        match &definition.kind {
            TypeKind::Enum { values } => {
                let known = |text: &&str| values.iter().any(|value| value.name.as_str() == *text);
                if value.as_str().filter(known).is_none() {
                    let names: Vec<_> = values.iter().map(|value| value.name.as_str()).collect();
                    self.problem(format!(
                        "Expected {value} to be one of: {}",
                        names.join(", ")
                    ));
                }
                value.clone()
            }
            TypeKind::Input { fields, one_of } => {
                let Value::Object(given) = value else {
                    self.problem(format!(
                        "Expected {value} to be a key-value object responding to `to_h` or \
                         `to_unsafe_h`."
                    ));
                    return value.clone();
                };
                self.input(definition, fields, *one_of, given)
            }
            _ => {
                if scalar_fits(&definition.name, value) {
                    return value.clone();
                }
                self.problem(format!(
                    "Could not coerce value {value} to {}",
                    definition.name
                ));
                value.clone()
            }
        }
    }

    fn input(
        &mut self,
        definition: &TypeDefinition,
        fields: &[InputDefinition],
        one_of: bool,
        given: &Map<String, Value>,
    ) -> Value {
        let mut coerced = Map::new();
        for name in given.keys() {
            if !fields.iter().any(|field| field.name == *name) {
                let explanation = format!("Field is not defined on {}", definition.name);
                self.below(name.as_str().into(), |reader| reader.problem(explanation));
            }
        }
        for field in fields {
            if let Some(value) = given.get(&field.name) {
                let value = self.below(field.name.as_str().into(), |reader| {
                    reader.value(&field.ty, value)
                });
                coerced.insert(field.name.clone(), value);
            } else if let Some(default) = &field.default {
                coerced
                    .extend(literal(default, &Map::new()).map(|value| (field.name.clone(), value)));
            } else if field.ty.is_non_null() {
                self.below(field.name.as_str().into(), |reader| {
                    reader.problem("Expected value to not be null");
                });
            }
        }
        if one_of && (given.len() != 1 || given.values().any(Value::is_null)) {
            self.problem(format!(
                "'{}' requires exactly one argument, but {} were provided.",
                definition.name,
                given.len()
            ));
        }
        Value::Object(coerced)
    }
}

/// Whether a JSON value can stand for a scalar. Custom scalars are read as leniently as the server
/// reads them: decimals and big integers come as text or as numbers.
fn scalar_fits(scalar: &str, value: &Value) -> bool {
    match scalar {
        "Int" => value.as_i64().is_some_and(|int| i32::try_from(int).is_ok()),
        "Float" => value.is_number(),
        "Boolean" => value.is_boolean(),
        "String" => value.is_string(),
        "ID" | "UnsignedInt64" | "BigInt" => value.is_string() || value.is_u64() || value.is_i64(),
        "Decimal" | "Money" => match value {
            Value::String(text) => text.parse::<f64>().is_ok_and(f64::is_finite),
            value => value.is_number(),
        },
        "JSON" => true,
        "DateTime" | "Date" => value
            .as_str()
            .is_some_and(|text| text.starts_with(|c: char| c.is_ascii_digit())),
        "URL" | "HTML" | "FormattedString" | "Color" | "UtcOffset" | "ARN" | "StorefrontID" => {
            value.is_string()
        }
        _ => !value.is_array(),
    }
}

/// A value of the document as JSON; `None` when it is a variable that was not given.
pub(crate) fn literal(value: &document::Value, variables: &Map<String, Value>) -> Option<Value> {
    Some(match value {
        document::Value::Variable(name) => variables.get(name)?.clone(),
        document::Value::Int(digits) => digits
            .parse::<i64>()
            .map_or_else(|_| Value::String(digits.clone()), Value::from),
        document::Value::Float(float) => Value::from(*float),
        document::Value::String(text) | document::Value::Enum(text) => Value::from(text.as_str()),
        document::Value::Boolean(value) => Value::from(*value),
        document::Value::Null => Value::Null,
        document::Value::List(items) => items
            .iter()
            .map(|item| literal(item, variables).unwrap_or(Value::Null))
            .collect(),
        document::Value::Object(fields) => fields
            .iter()
            .filter_map(|(name, value)| Some((name.clone(), literal(value, variables)?)))
            .collect::<Map<_, _>>()
            .into(),
    })
}
