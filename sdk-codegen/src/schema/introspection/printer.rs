use super::answer::{DirectiveJson, InputJson, Kind, Name, Named, SchemaJson, TypeJson};
use crate::document::Value;
use crate::schema::is_built_in_scalar;

/// Writes an answer as SDL.
pub(super) struct Printer {
    out: String,
}

impl Printer {
    /// The SDL, of about so many bytes.
    pub(super) fn print(schema: &SchemaJson, expected: usize) -> String {
        let mut printer = Self {
            out: String::with_capacity(expected),
        };
        printer.schema(schema);
        printer.out
    }

    fn schema(&mut self, schema: &SchemaJson) {
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
            self.directive(directive);
        }
        let built_in = |ty: &TypeJson| {
            let scalar = ty.kind == Kind::Scalar && is_built_in_scalar(&ty.name);
            ty.name.starts_with("__") || scalar
        };
        for ty in schema.types.iter().filter(|ty| !built_in(ty)) {
            self.definition(ty);
        }
    }

    fn directive(&mut self, directive: &DirectiveJson) {
        let name = &*directive.name;
        if matches!(
            name,
            "include" | "skip" | "deprecated" | "specifiedBy" | "oneOf"
        ) {
            return;
        }
        self.push("\n");
        self.description(directive.description.as_deref(), "");
        self.push(&format!("directive @{name}"));
        self.arguments(&directive.args);
        let repeatable = if directive.is_repeatable {
            " repeatable"
        } else {
            ""
        };
        self.push(&format!(
            "{repeatable} on {}\n",
            names(&directive.locations).join(" | ")
        ));
    }

    fn definition(&mut self, ty: &TypeJson) {
        self.push("\n");
        self.description(ty.description.as_deref(), "");
        let name = &*ty.name;
        match ty.kind {
            Kind::Scalar => {
                self.push(&format!("scalar {name}"));
                if let Some(url) = &ty.specified_by {
                    self.push(&format!(" @specifiedBy(url: {})", quoted(url)));
                }
                self.push("\n");
            }
            Kind::Object | Kind::Interface => {
                let keyword = if ty.kind == Kind::Object {
                    "type"
                } else {
                    "interface"
                };
                self.push(&format!("{keyword} {name}"));
                let interfaces = names(of(ty.interfaces.as_deref()));
                if !interfaces.is_empty() {
                    self.push(&format!(" implements {}", interfaces.join(" & ")));
                }
                self.push(" {\n");
                for field in ty.fields.iter().flatten() {
                    self.description(field.description.as_deref(), "  ");
                    self.push(&format!("  {}", field.name));
                    self.arguments(&field.args);
                    self.push(&format!(": {}", field.ty));
                    self.deprecation(field.is_deprecated, field.deprecation_reason.as_deref());
                    self.push("\n");
                }
                self.push("}\n");
            }
            Kind::Union => {
                let members = names(of(ty.possible_types.as_deref())).join(" | ");
                self.push(&format!("union {name} = {members}\n"));
            }
            Kind::Enum => {
                self.push(&format!("enum {name} {{\n"));
                for value in ty.enum_values.iter().flatten() {
                    self.description(value.description.as_deref(), "  ");
                    self.push(&format!("  {}", value.name));
                    self.deprecation(value.is_deprecated, value.deprecation_reason.as_deref());
                    self.push("\n");
                }
                self.push("}\n");
            }
            Kind::InputObject => {
                let one_of = if ty.is_one_of == Some(true) {
                    " @oneOf"
                } else {
                    ""
                };
                self.push(&format!("input {name}{one_of} {{\n"));
                for field in ty.input_fields.iter().flatten() {
                    self.description(field.description.as_deref(), "  ");
                    self.push("  ");
                    self.input(field);
                    self.push("\n");
                }
                self.push("}\n");
            }
        }
    }

    fn arguments(&mut self, arguments: &[InputJson]) {
        if arguments.is_empty() {
            return;
        }
        self.push("(");
        for (index, argument) in arguments.iter().enumerate() {
            self.push(if index == 0 { "" } else { ", " });
            if let Some(description) = &argument.description {
                self.push(&format!("{} ", quoted(description)));
            }
            self.input(argument);
        }
        self.push(")");
    }

    fn input(&mut self, input: &InputJson) {
        self.push(&format!("{}: {}", input.name, input.ty));
        if let Some(default) = &input.default_value {
            self.push(&format!(" = {default}"));
        }
        self.deprecation(input.is_deprecated, input.deprecation_reason.as_deref());
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

fn names<'n>(list: impl IntoIterator<Item = &'n Name>) -> Vec<&'n str> {
    list.into_iter().map(|name| &**name).collect()
}

fn of(list: Option<&[Named]>) -> impl Iterator<Item = &Name> {
    list.into_iter().flatten().map(|named| &named.name)
}
