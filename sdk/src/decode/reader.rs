use std::borrow::Cow;

use super::{DecodeError, Failed, text};

/// Reads JSON text value by value.
///
/// Not generic and never recursive, so that generated types cost little to build and a deep answer
/// cannot exhaust the stack. It checks what it hands out; a value that is skipped is only checked
/// to be balanced.
#[derive(Debug)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// Offsets of the keys that the open objects have passed, outermost object first.
    pub(super) passed: Vec<usize>,
    /// The field that is next and is not there, and where to go on after it.
    lacking: Option<(&'static str, usize)>,
    /// Why reading failed, where it failed first.
    error: Option<DecodeError>,
}

impl<'a> Reader<'a> {
    /// Reads from the start of `text`.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            passed: Vec::new(),
            lacking: None,
            error: None,
        }
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn go(&mut self, at: usize) {
        self.at = at;
    }

    /// The next byte that is not white space; 0 at the end.
    #[inline]
    pub(crate) fn peek(&mut self) -> u8 {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return byte;
            }
            self.at += 1;
        }
        0
    }

    /// Takes `byte` if it is next.
    #[inline]
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let next = self.peek() == byte;
        self.at += usize::from(next);
        next
    }

    pub(super) fn expect(&mut self, byte: u8, name: &'static str) -> Result<(), Failed> {
        if self.eat(byte) {
            Ok(())
        } else {
            Err(self.fail(name))
        }
    }

    /// Goes into a list; whether there is an item. There is none where the text is at fault.
    pub(super) fn list(&mut self) -> bool {
        self.expect(b'[', "a list").is_ok() && !self.eat(b']')
    }

    /// After an item; whether there is another one. There is none where the text is at fault.
    pub(super) fn more(&mut self) -> bool {
        self.eat(b',') || {
            // Without `]` reading has failed, as the reader knows.
            let _ = self.expect(b']', "`,` or `]`");
            false
        }
    }

    /// Takes `null` if it is next, or a field that is not there.
    #[inline]
    pub fn null(&mut self) -> bool {
        match self.peek() {
            b'n' => self.word("null", "null").is_ok(),
            0 => self.nothing(),
            _ => false,
        }
    }

    /// What is next is the field `key`, which is not there. It is read as if the text were at its
    /// end, where every way of reading fails but [`Self::null`].
    #[cold]
    pub(super) fn lack(&mut self, key: &'static str) {
        self.lacking = Some((key, self.at));
        self.at = self.text.len();
    }

    /// Whether the field that is next is not there.
    pub(crate) fn lacks(&self) -> bool {
        self.lacking.is_some()
    }

    /// Takes a field that is not there.
    #[cold]
    fn nothing(&mut self) -> bool {
        let Some((_, at)) = self.lacking.take() else {
            return false;
        };
        self.at = at;
        true
    }

    /// Takes a boolean.
    ///
    /// # Errors
    /// When something else is next.
    pub fn boolean(&mut self) -> Result<bool, Failed> {
        if self.peek() == b't' {
            return self.word("true", "Boolean").map(|()| true);
        }
        self.word("false", "Boolean").map(|()| false)
    }

    fn word(&mut self, word: &str, expected: &'static str) -> Result<(), Failed> {
        let bytes = self.text.as_bytes();
        let end = self.at + word.len();
        let whole = bytes.get(self.at..end) == Some(word.as_bytes())
            && !bytes.get(end).is_some_and(u8::is_ascii_alphanumeric);
        if !whole {
            return Err(self.fail(expected));
        }
        self.at = end;
        Ok(())
    }

    /// Takes a string. Half a surrogate pair becomes U+FFFD, so that one odd character does not
    /// cost the whole answer.
    ///
    /// # Errors
    /// When something else is next, or the string is malformed.
    #[inline]
    pub fn string(&mut self) -> Result<Cow<'a, str>, Failed> {
        let (raw, escaped) = self.raw_string("String")?;
        if escaped {
            return self.unescaped(raw).map(Cow::Owned);
        }
        Ok(Cow::Borrowed(raw))
    }

    /// What the string that was just taken stands for.
    fn unescaped(&mut self, raw: &str) -> Result<String, Failed> {
        let start = self.at - raw.len() - 1;
        text::unescape(raw).map_err(|at| self.fail_at(start + at, "an escape of JSON"))
    }

    /// Takes a string and gives what is between the quotes, escapes as they are, and whether there
    /// are any.
    #[inline]
    pub(super) fn raw_string(&mut self, expected: &'static str) -> Result<(&'a str, bool), Failed> {
        if self.peek() != b'"' {
            return Err(self.fail(expected));
        }
        let bytes = self.text.as_bytes();
        let start = self.at + 1;
        let mut end = start;
        let mut escaped = false;
        loop {
            end += text::plain(&bytes[end..]);
            match bytes.get(end) {
                Some(b'"') => break,
                Some(b'\\') if end + 1 < bytes.len() => {
                    escaped = true;
                    end += 2;
                }
                _ => return Err(self.fail_at(end.min(bytes.len()), "the end of the string")),
            }
        }
        self.at = end + 1;
        match self.text.get(start..end) {
            Some(raw) => Ok((raw, escaped)),
            // A backslash before a character of several bytes lands inside it, and is no escape.
            None => Err(self.fail_at(start, "an escape of JSON")),
        }
    }

    /// Takes `,` where `comma` says so, and the key `key` with its colon, if exactly that is next,
    /// without white space and escapes: the way a server writes. Otherwise nothing is taken.
    #[inline]
    pub(super) fn take_key(&mut self, key: &str, comma: bool) -> bool {
        let start = self.at + usize::from(comma);
        let end = start + 1 + key.len();
        let bytes = self.text.as_bytes();
        let is_next = bytes.get(end..end + 2) == Some(b"\":")
            && bytes.get(start) == Some(&b'"')
            && bytes.get(start + 1..end) == Some(key.as_bytes())
            && (!comma || bytes[self.at] == b',');
        if is_next {
            self.passed.push(start);
            self.at = end + 2;
        }
        is_next
    }

    /// Takes a number and gives its text.
    ///
    /// # Errors
    /// When something else is next.
    pub fn number(&mut self, expected: &'static str) -> Result<&'a str, Failed> {
        self.peek();
        let rest = &self.text[self.at..];
        let length = text::number(rest.as_bytes());
        if length == 0 {
            return Err(self.fail(expected));
        }
        self.at += length;
        Ok(&rest[..length])
    }

    /// Takes any value and gives its text.
    ///
    /// # Errors
    /// When the text ends before the value does.
    pub fn skip(&mut self) -> Result<&'a str, Failed> {
        self.peek();
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            match self.peek() {
                b'"' => {
                    self.raw_string("a value")?;
                }
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                    continue;
                }
                b'}' | b']' if depth > 0 => {
                    depth -= 1;
                    self.at += 1;
                }
                b',' | b':' if depth > 0 => {
                    self.at += 1;
                    continue;
                }
                b'-' | b'0'..=b'9' => {
                    self.number("a value")?;
                }
                b't' => self.word("true", "a value")?,
                b'f' => self.word("false", "a value")?,
                b'n' => self.word("null", "a value")?,
                _ => return Err(self.fail("a value")),
            }
            if depth == 0 {
                return Ok(&self.text[start..self.at]);
            }
        }
    }

    /// What is next is not what was expected.
    #[cold]
    pub fn fail(&mut self, expected: impl Into<Cow<'static, str>>) -> Failed {
        self.peek();
        self.fail_at(self.at, expected)
    }

    /// Remembers the first error, and goes to where nothing can be read: whoever does not look at
    /// what failed fails in turn.
    #[cold]
    pub(crate) fn fail_at(&mut self, at: usize, expected: impl Into<Cow<'static, str>>) -> Failed {
        let (text, lacking) = (self.text, self.lacking.take());
        self.error.get_or_insert_with(|| match lacking {
            Some((key, at)) => DecodeError::missing(key, text, at),
            None => DecodeError::new(expected, text::describe(text, at), text, at),
        });
        self.at = text.len();
        Failed
    }

    /// Nothing but white space may follow, and nothing may have failed.
    pub(super) fn end(&mut self) -> Result<(), Failed> {
        if self.peek() != 0 || self.at < self.text.len() {
            return Err(self.fail("nothing more"));
        }
        self.error.as_ref().map_or(Ok(()), |_| Err(Failed))
    }

    /// Why reading failed.
    pub(super) fn into_error(mut self) -> DecodeError {
        self.error.take().unwrap_or_else(|| {
            let found = text::describe(self.text, self.at);
            DecodeError::new("JSON", found, self.text, self.at)
        })
    }
}
