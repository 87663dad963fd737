//! The letters of JSON: strings, escapes, numbers.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// How many bytes from the start are neither a quote, nor a backslash, nor a control character.
/// Eight at a time: most of an answer is text.
#[inline]
pub(crate) fn plain(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    while let Some((chunk, tail)) = rest.split_first_chunk::<8>() {
        let word = u64::from_le_bytes(*chunk);
        let quote = word ^ (ONES * 0x22);
        let backslash = word ^ (ONES * 0x5C);
        // The lowest high bit marks the first hit; a borrow can only mark bytes after it.
        let hit = (quote.wrapping_sub(ONES) & !quote)
            | (backslash.wrapping_sub(ONES) & !backslash)
            | (word.wrapping_sub(ONES * 0x20) & !word);
        let hit = hit & HIGH;
        if hit != 0 {
            let before = bytes.len() - rest.len();
            return before + (hit.trailing_zeros() / 8) as usize;
        }
        rest = tail;
    }
    let special = |byte: &u8| matches!(byte, b'"' | b'\\' | ..0x20);
    let tail = rest.iter().position(special).unwrap_or(rest.len());
    bytes.len() - rest.len() + tail
}

/// How many bytes from the start are a number by JSON's grammar; 0 for none.
#[inline]
pub(super) fn number(bytes: &[u8]) -> usize {
    let digits = |from: usize| {
        let rest = bytes.get(from..).unwrap_or_default();
        rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let start = usize::from(bytes.first() == Some(&b'-'));
    let whole = digits(start);
    if whole == 0 || (whole > 1 && bytes[start] == b'0') {
        return 0;
    }
    let mut end = start + whole;
    if bytes.get(end) == Some(&b'.') {
        let fraction = digits(end + 1);
        if fraction == 0 {
            return 0;
        }
        end += 1 + fraction;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent == 0 {
            return 0;
        }
        end += 1 + sign + exponent;
    }
    end
}

/// The text that an escaped string stands for; else the offset of the escape at fault.
pub(super) fn unescape(raw: &str) -> Result<String, usize> {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let offset = raw.len() - rest.len() + at;
        let escape = rest.as_bytes().get(at + 1).ok_or(offset)?;
        let mut taken = at + 2;
        out.push(match escape {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let (letter, length) = unicode(&rest[taken..]).ok_or(offset)?;
                taken += length;
                letter
            }
            _ => return Err(offset),
        });
        rest = &rest[taken..];
    }
    out.push_str(rest);
    Ok(out)
}

/// The character after `\u`, with the other half of its surrogate pair, and the bytes it took.
fn unicode(text: &str) -> Option<(char, usize)> {
    let high = hex(text)?;
    if let Some(letter) = char::from_u32(high) {
        return Some((letter, 4));
    }
    let low = text.get(4..).and_then(|rest| rest.strip_prefix("\\u"));
    let low = low.and_then(hex);
    match (high, low) {
        (0xD800..=0xDBFF, Some(low @ 0xDC00..=0xDFFF)) => {
            let letter = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
            Some((char::from_u32(letter)?, 10))
        }
        _ => Some((char::REPLACEMENT_CHARACTER, 4)),
    }
}

fn hex(text: &str) -> Option<u32> {
    let digits = text.get(..4)?;
    let hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    hexadecimal.then(|| u32::from_str_radix(digits, 16).ok())?
}

/// What stands at `at`, for a person: `null`, `19.99`, `"abc…"`, `an object`.
pub(super) fn describe(text: &str, at: usize) -> String {
    const LONGEST: usize = 40;
    let rest = text.get(at..).unwrap_or("");
    match rest.as_bytes().first() {
        None => "the end of the text".to_owned(),
        Some(b'{') => "an object".to_owned(),
        Some(b'[') => "a list".to_owned(),
        Some(b'"') => {
            let content = &rest[1..];
            let end = content.find('"').unwrap_or(content.len());
            let mut letters = content[..end].chars();
            let shown: String = letters.by_ref().take(LONGEST).collect();
            let more = if letters.next().is_some() { "…" } else { "" };
            format!("\"{}{more}\"", shown.escape_debug())
        }
        Some(_) => {
            let end = rest.find([',', '}', ']', ' ', '\n']).unwrap_or(rest.len());
            let shown: String = rest[..end].chars().take(LONGEST).collect();
            if shown.is_empty() {
                let letter = rest.chars().next().unwrap_or(' ');
                return format!("`{}`", letter.escape_debug());
            }
            shown.escape_debug().to_string()
        }
    }
}
