use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::{Map, Value};

/// The document of a bulk query, with places for the values of variables: the service takes it as
/// one text, without variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    /// Its pieces in order.
    pub pieces: Cow<'static, [Piece]>,
    /// The variables of the operation.
    pub variables: Cow<'static, [Variable]>,
    /// The input objects that hold enums, with the fields that do.
    pub inputs: Cow<'static, [(Cow<'static, str>, Members)]>,
}

/// The fields of an input object that hold enums.
pub type Members = Cow<'static, [(Cow<'static, str>, Form)]>;

/// A piece of a [`Template`].
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// Text as it is.
    Text(Cow<'static, str>),
    /// The value of a variable; `null` without one.
    Value(Cow<'static, str>),
    /// `name:value`, or nothing when the variable has no value.
    Member {
        /// The argument, or the field of an input object.
        name: Cow<'static, str>,
        /// The variable.
        variable: Cow<'static, str>,
    },
    /// Pieces in parentheses, or nothing when they come to nothing.
    Arguments(Cow<'static, [Piece]>),
}

/// A variable of a [`Template`].
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name, without `$`.
    pub name: Cow<'static, str>,
    /// The text of its default.
    pub default: Option<Cow<'static, str>>,
    /// What its text depends on.
    pub form: Form,
}

/// What GraphQL text needs to know of a JSON value: which texts are the names of enum values.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// It holds no enum.
    Plain,
    /// It is an enum, or a list of it.
    Enum,
    /// It is an input object of this name, or a list of it.
    Input(Cow<'static, str>),
}

impl Template {
    /// The document with the variables in place; a variable that is left out has its default.
    pub(super) fn fill(&self, variables: &Map<String, Value>) -> String {
        let mut out = String::new();
        self.pieces(&self.pieces, variables, &mut out);
        out
    }

    fn pieces(&self, pieces: &[Piece], variables: &Map<String, Value>, out: &mut String) {
        for piece in pieces {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Value(variable) => {
                    if !self.variable(variable, variables, out) {
                        out.push_str("null");
                    }
                }
                Piece::Member { name, variable } => {
                    let before = out.len();
                    out.push(' ');
                    out.push_str(name);
                    out.push(':');
                    if !self.variable(variable, variables, out) {
                        out.truncate(before);
                    }
                }
                Piece::Arguments(inner) => {
                    out.push('(');
                    let open = out.len();
                    self.pieces(inner, variables, out);
                    if out.len() == open {
                        out.truncate(open - 1);
                    } else {
                        out.push(')');
                    }
                }
            }
        }
    }

    /// Writes the value of a variable; `false` when it has none.
    fn variable(&self, name: &str, variables: &Map<String, Value>, out: &mut String) -> bool {
        let variable = self.variables.iter().find(|variable| variable.name == name);
        let form = variable.map_or(&Form::Plain, |variable| &variable.form);
        match (
            variables.get(name),
            variable.and_then(|v| v.default.as_ref()),
        ) {
            (Some(value), _) => self.value(value, form, out),
            (None, Some(default)) => out.push_str(default),
            (None, None) => return false,
        }
        true
    }

    fn value(&self, value: &Value, form: &Form, out: &mut String) {
        match value {
            Value::String(text) if *form == Form::Enum => self::name(text, out),
            Value::Array(items) => {
                out.push('[');
                for item in items {
                    self.value(item, form, out);
                    out.push(' ');
                }
                out.push(']');
            }
            Value::Object(members) => {
                let known = match form {
                    Form::Input(name) => self.inputs.iter().find(|(input, _)| input == name),
                    Form::Plain | Form::Enum => None,
                };
                out.push('{');
                for (name, value) in members {
                    let form = known.and_then(|(_, members)| {
                        let member = members.iter().find(|(member, _)| member == name);
                        member.map(|(_, form)| form)
                    });
                    self::name(name, out);
                    out.push(':');
                    self.value(value, form.unwrap_or(&Form::Plain), out);
                    out.push(' ');
                }
                out.push('}');
            }
            // Numbers, booleans, null and the escapes of texts are those of JSON.
            constant => {
                // Writing to a `String` cannot fail.
                let _ = write!(out, "{constant}");
            }
        }
    }
}

/// Writes the name of an enum value or of a field. What is none, which an unknown enum value may
/// hold, is quoted: the service refuses it, and it cannot end what it stands in.
fn name(name: &str, out: &mut String) {
    let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    let is_name = name.bytes().next().is_some_and(is_letter)
        && name
            .bytes()
            .all(|byte| is_letter(byte) || byte.is_ascii_digit());
    if is_name {
        out.push_str(name);
    } else {
        // Writing to a `String` cannot fail.
        let _ = write!(out, "{}", Value::from(name));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn template() -> Template {
        let text = |text: &'static str| Piece::Text(text.into());
        let member = |name: &'static str, variable: &'static str| Piece::Member {
            name: name.into(),
            variable: variable.into(),
        };
        let variable = |name: &'static str, default: Option<&'static str>, form| Variable {
            name: name.into(),
            default: default.map(Into::into),
            form,
        };
        let inputs = vec![(
            "Range".into(),
            vec![
                ("sort".into(), Form::Enum),
                ("or".into(), Form::Input("Range".into())),
            ]
            .into(),
        )];
        Template {
            pieces: vec![
                text("{products"),
                Piece::Arguments(vec![member("query", "q"), member("sortKey", "s")].into()),
                text("{tags(in:["),
                Piece::Value("q".into()),
                text("])"),
                Piece::Arguments(vec![member("range", "r")].into()),
                text("}}"),
            ]
            .into(),
            variables: vec![
                variable("q", None, Form::Plain),
                variable("s", Some("TITLE"), Form::Enum),
                variable("r", None, Form::Input("Range".into())),
            ]
            .into(),
            inputs: inputs.into(),
        }
    }

    fn fill(variables: Value) -> String {
        template().fill(variables.as_object().unwrap())
    }

    #[test]
    fn what_is_left_out_leaves_nothing_behind() {
        assert_eq!(
            fill(json!({})),
            "{products( sortKey:TITLE){tags(in:[null])}}"
        );
        let mut template = template();
        template.variables = Cow::Borrowed(&[]);
        assert_eq!(template.fill(&Map::new()), "{products{tags(in:[null])}}");
    }

    #[test]
    fn enums_are_names_and_texts_cannot_end_early() {
        let nasty = "a\"}){x\\\n\u{2028}é";
        let filled = fill(json!({
            "q": nasty,
            "s": "ID",
            "r": {"min": 1.5, "name": "ID", "or": [{"sort": null}, {"sort": "TITLE"}], "sort": "ID"},
        }));
        let quoted = json!(nasty).to_string();
        let at = filled.find(&quoted).unwrap();
        let rest = filled.replace(&quoted, "Q");
        assert!(at > 0);
        assert_eq!(
            rest,
            "{products( query:Q sortKey:ID){tags(in:[Q])( range:{min:1.5 name:\"ID\" \
             or:[{sort:null } {sort:TITLE } ] sort:ID })}}"
        );
    }

    #[test]
    fn what_is_no_name_cannot_end_the_argument() {
        let nasty = "TITLE){x}#";
        let filled = fill(json!({ "s": nasty, "r": { "": 3, "a:1 b": 2, "sort": nasty } }));
        assert_eq!(
            filled,
            "{products( sortKey:\"TITLE){x}#\"){tags(in:[null])( range:{\"\":3 \"a:1 b\":2 \
             sort:\"TITLE){x}#\" })}}"
        );
    }

    #[test]
    fn an_explicit_null_is_sent() {
        assert_eq!(
            fill(json!({"q": null})),
            "{products( query:null sortKey:TITLE){tags(in:[null])}}"
        );
    }
}
