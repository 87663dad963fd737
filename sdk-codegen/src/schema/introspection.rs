//! Introspection JSON, as servers answer it, turned into SDL.

use std::fmt::Write as _;

use serde::Deserialize;

use crate::document::Value;

/// Why JSON is not a schema.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IntrospectionError {
    /// It is not JSON, or not in the shape of an introspection answer.
    #[error("it is not an introspection answer: {0}")]
    Json(#[from] serde_json::Error),
    /// It has neither `__schema` nor `data.__schema`.
    #[error("it has no `__schema`, neither at the top nor under `data`")]
    NoSchema,
    /// A type reference without a name in it.
    #[error("`{parent}` has a type without a name")]
    Unnamed {
        /// Where it stands.
        parent: String,
    },
    /// A kind that the specification does not know.
    #[error("`{name}` has the unknown kind `{kind}`")]
    UnknownKind {
        /// The type.
        name: String,
        /// Its kind.
        kind: String,
    },
}

/// Turns an introspection answer, bare or under `data`, into SDL with everything that it says:
/// descriptions, deprecations, defaults, `@oneOf`, directives. Unknown keys are ignored.
///
/// # Errors
/// See [`IntrospectionError`].
pub fn to_sdl(json: &[u8]) -> Result<String, IntrospectionError> {
    let answer: Answer = serde_json::from_slice(json)?;
    let schema = answer
        .schema
        .or_else(|| answer.data.and_then(|data| data.schema))
        .ok_or(IntrospectionError::NoSchema)?;
    let mut printer = Printer {
        out: String::with_capacity(json.len() / 2),
    };
    printer.schema(&schema)?;
    Ok(printer.out)
}

#[derive(Deserialize)]
struct Answer {
    #[serde(rename = "__schema")]
    schema: Option<SchemaJson>,
    data: Option<Data>,
}

#[derive(Deserialize)]
struct Data {
    #[serde(rename = "__schema")]
    schema: Option<SchemaJson>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SchemaJson {
    query_type: Named,
    mutation_type: Option<Named>,
    subscription_type: Option<Named>,
    types: Vec<TypeJson>,
    #[serde(default)]
    directives: Vec<DirectiveJson>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TypeJson {
    kind: String,
    name: String,
    description: Option<String>,
    fields: Option<Vec<FieldJson>>,
    input_fields: Option<Vec<InputJson>>,
    interfaces: Option<Vec<Named>>,
    enum_values: Option<Vec<EnumValueJson>>,
    possible_types: Option<Vec<Named>>,
    #[serde(rename = "specifiedByURL")]
    specified_by: Option<String>,
    #[serde(default)]
    is_one_of: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FieldJson {
    name: String,
    description: Option<String>,
    #[serde(default)]
    args: Vec<InputJson>,
    #[serde(rename = "type")]
    ty: Reference,
    #[serde(default)]
    is_deprecated: bool,
    deprecation_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct InputJson {
    name: String,
    description: Option<String>,
    #[serde(rename = "type")]
    ty: Reference,
    default_value: Option<String>,
    #[serde(default)]
    is_deprecated: bool,
    deprecation_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EnumValueJson {
    name: String,
    description: Option<String>,
    #[serde(default)]
    is_deprecated: bool,
    deprecation_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DirectiveJson {
    name: String,
    description: Option<String>,
    #[serde(default)]
    locations: Vec<String>,
    #[serde(default)]
    args: Vec<InputJson>,
    #[serde(default)]
    is_repeatable: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reference {
    kind: String,
    name: Option<String>,
    of_type: Option<Box<Reference>>,
}

struct Printer {
    out: String,
}

type Printed = Result<(), IntrospectionError>;

impl Printer {
    fn schema(&mut self, schema: &SchemaJson) -> Printed {
        self.push(&format!("schema {{\n  query: {}\n", schema.query_type.name));
        for (operation, root) in [
            ("mutation", &schema.mutation_type),
            ("subscription", &schema.subscription_type),
        ] {
            if let Some(root) = root {
                self.push(&format!("  {operation}: {}\n", root.name));
            }
        }
        self.push("}\n");
        for directive in &schema.directives {
            self.directive(directive)?;
        }
        let built_in = |name: &str| {
            name.starts_with("__") || matches!(name, "String" | "Int" | "Float" | "Boolean" | "ID")
        };
        for ty in schema.types.iter().filter(|ty| !built_in(&ty.name)) {
            self.definition(ty)?;
        }
        Ok(())
    }

    fn directive(&mut self, directive: &DirectiveJson) -> Printed {
        let name = directive.name.as_str();
        if matches!(
            name,
            "include" | "skip" | "deprecated" | "specifiedBy" | "oneOf"
        ) {
            return Ok(());
        }
        self.push("\n");
        self.description(directive.description.as_deref(), "");
        self.push(&format!("directive @{name}"));
        self.arguments(&directive.args, name)?;
        let repeatable = if directive.is_repeatable {
            " repeatable"
        } else {
            ""
        };
        self.push(&format!(
            "{repeatable} on {}\n",
            directive.locations.join(" | ")
        ));
        Ok(())
    }

    fn definition(&mut self, ty: &TypeJson) -> Printed {
        self.push("\n");
        self.description(ty.description.as_deref(), "");
        let name = ty.name.as_str();
        match ty.kind.as_str() {
            "SCALAR" => {
                self.push(&format!("scalar {name}"));
                if let Some(url) = &ty.specified_by {
                    self.push(&format!(" @specifiedBy(url: {})", quoted(url)));
                }
                self.push("\n");
            }
            "OBJECT" | "INTERFACE" => {
                let keyword = if ty.kind == "OBJECT" {
                    "type"
                } else {
                    "interface"
                };
                self.push(&format!("{keyword} {name}"));
                let interfaces = names(ty.interfaces.as_deref());
                if !interfaces.is_empty() {
                    self.push(&format!(" implements {}", interfaces.join(" & ")));
                }
                self.push(" {\n");
                for field in ty.fields.iter().flatten() {
                    self.description(field.description.as_deref(), "  ");
                    self.push(&format!("  {}", field.name));
                    self.arguments(&field.args, name)?;
                    self.push(&format!(": {}", reference(&field.ty, name)?));
                    self.deprecation(field.is_deprecated, field.deprecation_reason.as_deref());
                    self.push("\n");
                }
                self.push("}\n");
            }
            "UNION" => {
                let members = names(ty.possible_types.as_deref()).join(" | ");
                self.push(&format!("union {name} = {members}\n"));
            }
            "ENUM" => {
                self.push(&format!("enum {name} {{\n"));
                for value in ty.enum_values.iter().flatten() {
                    self.description(value.description.as_deref(), "  ");
                    self.push(&format!("  {}", value.name));
                    self.deprecation(value.is_deprecated, value.deprecation_reason.as_deref());
                    self.push("\n");
                }
                self.push("}\n");
            }
            "INPUT_OBJECT" => {
                let one_of = if ty.is_one_of == Some(true) {
                    " @oneOf"
                } else {
                    ""
                };
                self.push(&format!("input {name}{one_of} {{\n"));
                for field in ty.input_fields.iter().flatten() {
                    self.description(field.description.as_deref(), "  ");
                    self.push("  ");
                    self.input(field, name)?;
                    self.push("\n");
                }
                self.push("}\n");
            }
            kind => {
                return Err(IntrospectionError::UnknownKind {
                    name: name.to_owned(),
                    kind: kind.to_owned(),
                });
            }
        }
        Ok(())
    }

    fn arguments(&mut self, arguments: &[InputJson], parent: &str) -> Printed {
        if arguments.is_empty() {
            return Ok(());
        }
        self.push("(");
        for (index, argument) in arguments.iter().enumerate() {
            self.push(if index == 0 { "" } else { ", " });
            if let Some(description) = &argument.description {
                self.push(&format!("{} ", quoted(description)));
            }
            self.input(argument, parent)?;
        }
        self.push(")");
        Ok(())
    }

    fn input(&mut self, input: &InputJson, parent: &str) -> Printed {
        self.push(&format!(
            "{}: {}",
            input.name,
            reference(&input.ty, parent)?
        ));
        if let Some(default) = &input.default_value {
            self.push(&format!(" = {default}"));
        }
        self.deprecation(input.is_deprecated, input.deprecation_reason.as_deref());
        Ok(())
    }

    fn deprecation(&mut self, is_deprecated: bool, reason: Option<&str>) {
        if !is_deprecated {
            return;
        }
        self.push(" @deprecated");
        if let Some(reason) = reason {
            self.push(&format!("(reason: {})", quoted(reason)));
        }
    }

    fn description(&mut self, description: Option<&str>, indent: &str) {
        let Some(text) = description.filter(|text| !text.is_empty()) else {
            return;
        };
        if !is_block(text) {
            return self.push(&format!("{indent}{}\n", quoted(text)));
        }
        self.push(&format!("{indent}\"\"\"\n"));
        for line in text.split('\n') {
            self.push(if line.is_empty() { "" } else { indent });
            self.push(line);
            self.push("\n");
        }
        self.push(&format!("{indent}\"\"\"\n"));
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }
}

fn quoted(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}

/// Whether a text reads back the same from a block string, indented or not.
fn is_block(text: &str) -> bool {
    let blank = |line: &str| line.trim_matches([' ', '\t']).is_empty();
    let lines: Vec<_> = text.split('\n').collect();
    let (Some(first), Some(last)) = (lines.first(), lines.last()) else {
        return false;
    };
    lines.len() > 1
        && !blank(first)
        && !blank(last)
        && lines.iter().all(|line| line.is_empty() || !blank(line))
        && lines
            .iter()
            .any(|line| !line.is_empty() && !line.starts_with([' ', '\t']))
        && !text.contains("\"\"\"")
        && !text.ends_with(['"', '\\'])
        && !text
            .chars()
            .any(|letter| letter.is_control() && letter != '\n')
}

fn names(list: Option<&[Named]>) -> Vec<&str> {
    list.into_iter()
        .flatten()
        .map(|named| named.name.as_str())
        .collect()
}

fn reference(ty: &Reference, parent: &str) -> Result<String, IntrospectionError> {
    // Walked, not recursed: a file may nest as deeply as its parser lets it.
    let mut out = String::new();
    let mut close = Vec::new();
    let mut at = ty;
    loop {
        match (at.kind.as_str(), &at.of_type, &at.name) {
            ("NON_NULL", Some(inner), _) => {
                close.push('!');
                at = inner;
            }
            ("LIST", Some(inner), _) => {
                out.push('[');
                close.push(']');
                at = inner;
            }
            (_, _, Some(name)) => {
                out.push_str(name);
                break;
            }
            _ => {
                return Err(IntrospectionError::Unnamed {
                    parent: parent.to_owned(),
                });
            }
        }
    }
    let _ = write!(out, "{}", close.into_iter().rev().collect::<String>());
    Ok(out)
}
