//! Where in a JSON text an offset is.

use super::text;

/// A step of a path.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Step {
    Key(String),
    Index(usize),
}

/// An object or list that has begun.
struct Open {
    /// The key or index that was last.
    step: Step,
    /// Whether its value has begun and is not over.
    within: bool,
}

/// The way to the value that is or should be at `offset`, from the outermost object inward. Before
/// `offset` the text is JSON.
pub(super) fn to(text: &str, offset: usize) -> Vec<Step> {
    let bytes = text.as_bytes();
    let mut open: Vec<Open> = Vec::new();
    let mut at = 0;
    while at < offset.min(bytes.len()) {
        let length = match bytes[at] {
            b'"' => string(&bytes[at..]),
            b'-' | b'+' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => word(&bytes[at..]),
            _ => 1,
        };
        if at + length > offset {
            break;
        }
        match bytes[at] {
            b'{' => open.push(Open {
                step: Step::Key(String::new()),
                within: false,
            }),
            b'[' => open.push(Open {
                step: Step::Index(0),
                within: true,
            }),
            b'}' | b']' => {
                open.pop();
            }
            _ => {}
        }
        let ended = !matches!(
            bytes[at],
            b'{' | b'[' | b',' | b':' | b' ' | b'\n' | b'\r' | b'\t'
        );
        if let Some(open) = open.last_mut() {
            match (bytes[at], &mut open.step) {
                (b':', _) => open.within = true,
                (b',', Step::Index(index)) => {
                    *index += 1;
                    open.within = true;
                }
                (b'"', Step::Key(key)) if !open.within => {
                    let raw = text.get(at + 1..at + length - 1).unwrap_or_default();
                    *key = text::unescape(raw).unwrap_or_else(|_| raw.to_owned());
                }
                _ if ended => open.within = false,
                _ => {}
            }
        }
        at += length;
    }
    let within = open.into_iter().filter(|open| open.within);
    within.map(|open| open.step).collect()
}

/// The length of the string that begins here, with its quotes.
fn string(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    // Without an end it is where the text is at fault.
    usize::MAX / 2
}

/// The length of the number or the literal that begins here.
fn word(bytes: &[u8]) -> usize {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.');
    bytes.iter().take_while(|byte| is_part(byte)).count()
}
