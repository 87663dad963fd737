use std::fmt;

/// A value in a document or a default in a schema.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A variable, without `$`.
    Variable(String),
    /// An integer, as it is written.
    Int(String),
    /// A float.
    Float(f64),
    /// A string, unescaped.
    String(String),
    /// A boolean.
    Boolean(bool),
    /// A null.
    Null,
    /// An enum value.
    Enum(String),
    /// A list.
    List(Vec<Value>),
    /// An input object.
    Object(Vec<(String, Value)>),
}

impl Value {
    /// The integer, when it is one that fits.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Int(digits) => digits.parse().ok(),
            _ => None,
        }
    }

    /// The boolean, when it is one.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Boolean(value) => Some(*value),
            _ => None,
        }
    }
}

/// As GraphQL text, minified.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => write!(f, "${name}"),
            Self::Int(digits) => f.write_str(digits),
            Self::Float(value) => write!(f, "{value:?}"),
            Self::String(text) => write_string(text, f),
            Self::Boolean(value) => value.fmt(f),
            Self::Null => f.write_str("null"),
            Self::Enum(name) => f.write_str(name),
            Self::List(items) => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if index > 0 { "," } else { "" })?;
                }
                f.write_str("]")
            }
            Self::Object(fields) => {
                f.write_str("{")?;
                for (index, (name, value)) in fields.iter().enumerate() {
                    write!(f, "{}{name}:{value}", if index > 0 { "," } else { "" })?;
                }
                f.write_str("}")
            }
        }
    }
}

/// A string literal; everything outside printable ASCII and letters is escaped, so that nothing
/// in it can end the literal or hide in it.
fn write_string(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("\"")?;
    for letter in text.chars() {
        match letter {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            letter if letter.is_control() => write!(f, "\\u{:04X}", u32::from(letter))?,
            letter => fmt::Write::write_char(f, letter)?,
        }
    }
    f.write_str("\"")
}
