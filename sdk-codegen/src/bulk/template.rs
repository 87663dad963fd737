use std::fmt::Write as _;

use crate::document;

/// A document with places for the values of variables, which the service cannot be given apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Template {
    /// Its pieces in order.
    pub pieces: Vec<Piece>,
    /// The variables of the operation.
    pub variables: Vec<Variable>,
    /// The input objects that they reach, with the fields that are enums or inputs.
    pub inputs: Vec<(String, Vec<(String, Value)>)>,
}

/// A piece of a [`Template`].
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// Text as it is.
    Text(String),
    /// The value of a variable; `null` without one.
    Value(String),
    /// `name:value`, or nothing when the variable has no value.
    Member {
        /// The argument, or the field of an input object.
        name: String,
        /// The variable.
        variable: String,
    },
    /// Pieces in parentheses, or nothing when they come to nothing.
    Arguments(Vec<Piece>),
}

/// A variable of a [`Template`].
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name, without `$`.
    pub name: String,
    /// The text of its default.
    pub default: Option<String>,
    /// How its JSON is written as GraphQL.
    pub value: Value,
}

/// What GraphQL text needs to know of a JSON value: which texts are the names of enum values.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing: it holds no enum.
    Plain,
    /// It is an enum, or a list of it.
    Enum,
    /// An input object, or a list of it, by its name in the schema.
    Input(String),
}

impl Template {
    pub(super) fn text(&mut self, text: &str) {
        push_text(&mut self.pieces, text);
    }

    /// Arguments in parentheses.
    pub(super) fn arguments(&mut self, arguments: &[(String, document::Value)]) {
        if arguments.is_empty() {
            return;
        }
        let mut inner = Vec::new();
        members(&mut inner, arguments);
        // With something constant inside, the parentheses are never empty.
        if inner
            .iter()
            .any(|piece| !matches!(piece, Piece::Member { .. }))
        {
            self.text("(");
            for piece in inner {
                match piece {
                    Piece::Text(text) => self.text(&text),
                    piece => self.pieces.push(piece),
                }
            }
            self.text(")");
        } else {
            self.pieces.push(Piece::Arguments(inner));
        }
    }

    /// The length of the text without the values of variables, in bytes.
    pub(super) fn length(&self) -> usize {
        length(&self.pieces)
    }
}

fn length(pieces: &[Piece]) -> usize {
    let each = pieces.iter().map(|piece| match piece {
        Piece::Text(text) => text.len(),
        Piece::Arguments(inner) => length(inner),
        Piece::Value(_) | Piece::Member { .. } => 0,
    });
    each.sum()
}

fn push_text(pieces: &mut Vec<Piece>, text: &str) {
    match pieces.last_mut() {
        Some(Piece::Text(last)) => last.push_str(text),
        _ => pieces.push(Piece::Text(text.to_owned())),
    }
}

/// Members of arguments or of an input object. A blank between them stands for the comma, which
/// GraphQL does not look at and an absent member would leave behind.
fn members(pieces: &mut Vec<Piece>, members: &[(String, document::Value)]) {
    for (index, (name, value)) in members.iter().enumerate() {
        if let document::Value::Variable(variable) = value {
            pieces.push(Piece::Member {
                name: name.clone(),
                variable: variable.clone(),
            });
            continue;
        }
        if index > 0 {
            push_text(pieces, " ");
        }
        push_text(pieces, &format!("{name}:"));
        self::value(pieces, value);
    }
}

fn value(pieces: &mut Vec<Piece>, value: &document::Value) {
    match value {
        document::Value::Variable(variable) => pieces.push(Piece::Value(variable.clone())),
        document::Value::List(items) => {
            push_text(pieces, "[");
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    push_text(pieces, ",");
                }
                self::value(pieces, item);
            }
            push_text(pieces, "]");
        }
        document::Value::Object(fields) => {
            push_text(pieces, "{");
            members(pieces, fields);
            push_text(pieces, "}");
        }
        constant => {
            let mut text = String::new();
            // Writing to a `String` cannot fail.
            let _ = write!(text, "{constant}");
            push_text(pieces, &text);
        }
    }
}

impl Template {
    /// The template as readable text, variables as `$name`: for diagnostics and tests.
    #[must_use]
    pub fn outline(&self) -> String {
        outline(&self.pieces)
    }
}

fn outline(pieces: &[Piece]) -> String {
    let each = pieces.iter().map(|piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Value(variable) => format!("${variable}"),
        Piece::Member { name, variable } => format!(" {name}:${variable}"),
        Piece::Arguments(inner) => format!("({})", outline(inner).trim_start()),
    });
    each.collect()
}
