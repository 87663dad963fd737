use std::ops::Range;

use super::cursor::Cursor;

/// What a definition defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    Schema,
    Scalar,
    Type,
    Interface,
    Union,
    Enum,
    Input,
    Directive,
}

impl Keyword {
    fn read(word: &str) -> Option<Self> {
        Some(match word {
            "schema" => Self::Schema,
            "scalar" => Self::Scalar,
            "type" => Self::Type,
            "interface" => Self::Interface,
            "union" => Self::Union,
            "enum" => Self::Enum,
            "input" => Self::Input,
            "directive" => Self::Directive,
            _ => return None,
        })
    }

    /// What a definition of the kind is called in a sentence.
    pub(super) fn article(self) -> &'static str {
        match self {
            Self::Schema => "a schema",
            Self::Scalar => "a scalar",
            Self::Type => "an object type",
            Self::Interface => "an interface",
            Self::Union => "a union",
            Self::Enum => "an enum",
            Self::Input => "an input object",
            Self::Directive => "a directive",
        }
    }
}

/// Where one definition lies. All ranges are bytes of the schema's text.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) keyword: Keyword,
    /// Whether it extends (`extend type …`).
    pub(super) extends: bool,
    /// The description with its quotes; empty when there is none.
    pub(super) description: Range<usize>,
    /// The name; empty for `schema`.
    pub(super) name: Range<usize>,
    /// From the keyword to the end.
    pub(super) range: Range<usize>,
    /// Between the braces; empty when there are none.
    pub(super) body: Range<usize>,
}

/// Where a field of a type or interface lies.
#[derive(Clone, Debug)]
pub(super) struct FieldEntry {
    pub(super) name: Range<usize>,
    /// From the description to the last directive.
    pub(super) range: Range<usize>,
}

/// A place that is not GraphQL, and what was expected there.
#[derive(Debug)]
pub(super) struct Unexpected {
    pub(super) at: usize,
    pub(super) wanted: &'static str,
}

/// Finds the definitions of a schema's text in one pass, without parsing them.
pub(super) fn definitions(text: &str, start: usize) -> Result<Vec<Entry>, Unexpected> {
    let mut cursor = Cursor::new(text, start);
    let mut entries = Vec::new();
    while cursor.next_byte().is_some() {
        entries.push(definition(text, &mut cursor)?);
    }
    Ok(entries)
}

fn definition<'a>(text: &'a str, cursor: &mut Cursor<'a>) -> Result<Entry, Unexpected> {
    let start = cursor.position();
    let description = match cursor.next_byte() {
        Some(b'"') if !cursor.string() => return unexpected(start, "the end of this string"),
        Some(b'"') => start..cursor.position(),
        _ => start..start,
    };
    let mut at = cursor.next_byte().map_or(text.len(), |_| cursor.position());
    let mut word = cursor.name();
    let extends = word.clone().is_some_and(|word| &text[word] == "extend");
    if extends {
        at = cursor.next_byte().map_or(text.len(), |_| cursor.position());
        word = cursor.name();
    }
    let Some(keyword) = word.and_then(|word| Keyword::read(&text[word])) else {
        return unexpected(
            at,
            "`type`, `interface`, `union`, `enum`, `input`, `scalar`, `directive` or `schema`",
        );
    };
    if keyword == Keyword::Directive && !cursor.take(b'@') {
        return unexpected(cursor.position(), "`@` and a name");
    }
    let name = match keyword {
        Keyword::Schema => at..at,
        _ => match cursor.name() {
            Some(name) => name,
            None => return unexpected(cursor.position(), "a name"),
        },
    };
    let body = rest(text, cursor)?;
    Ok(Entry {
        keyword,
        extends,
        description,
        name,
        range: at..cursor.position(),
        body,
    })
}

/// Crosses what follows the name of a definition; the range between its braces.
fn rest<'a>(text: &'a str, cursor: &mut Cursor<'a>) -> Result<Range<usize>, Unexpected> {
    // After one of these a name continues the definition, even if it reads like a keyword.
    let mut joined = false;
    let mut end = cursor.position();
    loop {
        let next = cursor.next_byte();
        let at = cursor.position();
        match next {
            Some(b'{') => {
                cursor.take(b'{');
                if !cursor.balanced() {
                    return unexpected(at, "the `}` that closes this");
                }
                return Ok(at + 1..cursor.position() - 1);
            }
            Some(b'(') => {
                cursor.take(b'(');
                if !cursor.balanced() {
                    return unexpected(at, "the `)` that closes this");
                }
                joined = false;
            }
            Some(byte @ (b'@' | b'=' | b'|' | b'&')) => {
                cursor.take(byte);
                joined = true;
            }
            Some(b'"') | None => break,
            Some(_) => match cursor.name() {
                Some(word) => {
                    let word = &text[word];
                    if !joined && (Keyword::read(word).is_some() || word == "extend") {
                        *cursor = Cursor::new(text, at);
                        break;
                    }
                    joined = matches!(word, "implements" | "on");
                }
                None => return unexpected(at, "a definition"),
            },
        }
        end = cursor.position();
    }
    *cursor = Cursor::new(text, end);
    Ok(end..end)
}

/// Finds the fields between the braces of a type or interface.
pub(super) fn fields(text: &str, body: Range<usize>) -> Result<Vec<FieldEntry>, Unexpected> {
    let text = &text[..body.end];
    let mut cursor = Cursor::new(text, body.start);
    let mut fields = Vec::new();
    while let Some(byte) = cursor.next_byte() {
        let start = cursor.position();
        if byte == b'"' && !cursor.string() {
            return unexpected(start, "the end of this string");
        }
        let Some(name) = cursor.name() else {
            return unexpected(cursor.position(), "the name of a field");
        };
        if cursor.take(b'(') && !cursor.balanced() {
            return unexpected(name.end, "the `)` that closes the arguments");
        }
        if !cursor.take(b':') {
            return unexpected(cursor.position(), "`:` and the type of the field");
        }
        while cursor.take(b'[') {}
        if cursor.name().is_none() {
            return unexpected(cursor.position(), "the type of the field");
        }
        while cursor.take(b']') || cursor.take(b'!') {}
        let mut end = cursor.position();
        while cursor.take(b'@') {
            cursor.name();
            end = cursor.position();
            if cursor.take(b'(') {
                if !cursor.balanced() {
                    return unexpected(end, "the `)` that closes this");
                }
                end = cursor.position();
            }
        }
        fields.push(FieldEntry {
            name,
            range: start..end,
        });
    }
    Ok(fields)
}

fn unexpected<T>(at: usize, wanted: &'static str) -> Result<T, Unexpected> {
    Err(Unexpected { at, wanted })
}
