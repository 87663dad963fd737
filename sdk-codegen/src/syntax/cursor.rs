use std::ops::Range;

/// Walks over GraphQL text without building tokens: over names, strings, and bracketed parts.
///
/// The real schema is 3.7 MB, most of it descriptions, and a proc-macro runs unoptimised: so
/// strings are crossed by searching for quotes, and only what is left is looked at byte by byte.
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str, at: usize) -> Self {
        Self { text, at }
    }

    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Crosses white space, commas and comments; the next byte, if any.
    pub(super) fn next_byte(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at)? {
                b' ' | b'\t' | b'\n' | b'\r' | b',' => self.at += 1,
                // The byte order mark.
                0xEF if self.text[self.at..].starts_with('\u{FEFF}') => self.at += 3,
                b'#' => self.find_or_end('\n'),
                byte => return Some(*byte),
            }
        }
    }

    /// Crosses `byte` if it is next.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let found = self.next_byte() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Crosses one letter.
    pub(super) fn skip(&mut self) {
        self.at += 1;
        while !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
    }

    /// Crosses a name.
    pub(super) fn name(&mut self) -> Option<Range<usize>> {
        let first = self.next_byte()?;
        if !(first.is_ascii_alphabetic() || first == b'_') {
            return None;
        }
        let start = self.at;
        let bytes = self.text.as_bytes();
        while self.at < bytes.len()
            && (bytes[self.at].is_ascii_alphanumeric() || bytes[self.at] == b'_')
        {
            self.at += 1;
        }
        Some(start..self.at)
    }

    /// Crosses a string, the opening quote being next. `false` when it does not end.
    pub(super) fn string(&mut self) -> bool {
        if self.text[self.at..].starts_with("\"\"\"") {
            self.at += 3;
            while self.find('"') {
                if self.text[self.at..].starts_with("\"\"\"")
                    && !self.text[..self.at].ends_with('\\')
                {
                    self.at += 3;
                    return true;
                }
                self.at += 1;
            }
            return false;
        }
        self.at += 1;
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b'"' => {
                    self.at += 1;
                    return true;
                }
                b'\n' | b'\r' => return false,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at = bytes.len();
        false
    }

    /// Crosses everything up to the bracket that closes the one just crossed. `false` when there
    /// is none, the cursor then being at the string that does not end, or at the end.
    pub(super) fn balanced(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        let mut open = 1_usize;
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b'"' => {
                    let start = self.at;
                    if !self.string() {
                        self.at = start;
                        return false;
                    }
                    continue;
                }
                b'#' => {
                    self.find_or_end('\n');
                    continue;
                }
                b'{' | b'(' | b'[' => open += 1,
                b'}' | b')' | b']' => open -= 1,
                _ => {}
            }
            self.at += 1;
            if open == 0 {
                return true;
            }
        }
        false
    }

    fn find(&mut self, letter: char) -> bool {
        match self.text[self.at..].find(letter) {
            Some(offset) => {
                self.at += offset;
                true
            }
            None => false,
        }
    }

    fn find_or_end(&mut self, letter: char) {
        if !self.find(letter) {
            self.at = self.text.len();
        }
    }
}
