use memchr::{memchr, memchr_iter, memrchr};

use super::JsonlError;

/// Where a line is in the result file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The line, counted from 1, blank lines included.
    pub line: u64,
    /// The byte offset of its first letter.
    pub offset: u64,
}

/// One line of a result file, without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Where it is.
    pub place: Place,
    /// Its text.
    pub text: &'a str,
    /// Whether the file ended before a line break did, as it does where a download was cut.
    pub open_ended: bool,
}

/// Cuts a stream of bytes into lines of at most [`Lines::LONGEST`] bytes.
///
/// Bytes become text once a line is whole, so a letter that two chunks share is never torn. Blank
/// lines are counted and skipped.
#[derive(Debug)]
pub struct Lines {
    next: Place,
    /// The beginning of a line that the chunks so far did not finish.
    partial: Vec<u8>,
}

impl Default for Lines {
    fn default() -> Self {
        Self::new()
    }
}

impl Lines {
    /// The most bytes of a line. It is in memory as a whole, so a file that never ends a line must
    /// not fill it; the objects of the service are some kilobytes, few of them megabytes.
    pub const LONGEST: usize = 128 << 20;

    /// At the start of a file.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            next: Place { line: 1, offset: 0 },
            partial: Vec::new(),
        }
    }

    /// Takes the next chunk and calls `each` for every line that it finishes.
    ///
    /// # Errors
    /// [`JsonlError::NotUtf8`], [`JsonlError::TooLong`], or what `each` returns; the cutter is not
    /// usable after either.
    pub fn push<E: From<JsonlError>>(
        &mut self,
        mut chunk: &[u8],
        mut each: impl FnMut(Line<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if !self.partial.is_empty() {
            let Some(end) = memchr(b'\n', chunk) else {
                return Ok(self.keep(chunk)?);
            };
            let mut whole = std::mem::take(&mut self.partial);
            whole.extend_from_slice(&chunk[..end]);
            self.bytes(&whole, false, &mut each)?;
            whole.clear();
            self.partial = whole;
            chunk = &chunk[end + 1..];
        }
        let whole = memrchr(b'\n', chunk).map_or(0, |last| last + 1);
        let (whole, rest) = chunk.split_at(whole);
        // Text is looked at for all lines at once; line by line only to find the one at fault.
        let text = std::str::from_utf8(whole).ok();
        let mut start = 0;
        for end in memchr_iter(b'\n', whole) {
            match text {
                Some(text) => self.line(&text[start..end], false, &mut each)?,
                None => self.bytes(&whole[start..end], false, &mut each)?,
            }
            start = end + 1;
        }
        Ok(self.keep(rest)?)
    }

    /// Keeps more of a line that has not ended.
    fn keep(&mut self, part: &[u8]) -> Result<(), JsonlError> {
        if self.partial.len().saturating_add(part.len()) > Self::LONGEST {
            return Err(JsonlError::TooLong { place: self.next });
        }
        self.partial.extend_from_slice(part);
        Ok(())
    }

    /// Ends the file: a last line need not end in a line break.
    ///
    /// # Errors
    /// As [`Self::push`].
    pub fn finish<E: From<JsonlError>>(
        mut self,
        mut each: impl FnMut(Line<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let last = std::mem::take(&mut self.partial);
        self.bytes(&last, true, &mut each)
    }

    fn bytes<E: From<JsonlError>>(
        &mut self,
        bytes: &[u8],
        open_ended: bool,
        each: &mut impl FnMut(Line<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let text = std::str::from_utf8(bytes).map_err(|cut| JsonlError::NotUtf8 {
            place: self.next,
            at: self.next.offset + length(&bytes[..cut.valid_up_to()]),
        })?;
        self.line(text, open_ended, each)
    }

    fn line<E>(
        &mut self,
        text: &str,
        open_ended: bool,
        each: &mut impl FnMut(Line<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let place = self.next;
        self.next.line += 1;
        self.next.offset += length(text.as_bytes()) + 1;
        match text.trim_ascii() {
            "" => Ok(()),
            text => each(Line {
                place,
                text,
                open_ended,
            }),
        }
    }
}

fn length(bytes: &[u8]) -> u64 {
    bytes.len() as u64
}
