use std::borrow::Cow;

use super::{Decode, Failed, Reader, Select, text};
use crate::scalar::Foreign;

/// An object while it is read, field by field in the order that the type asks for.
///
/// A server answers in the order of the document, which is the order of the generated type, so the
/// field asked for is nearly always the next one. Any other order works too: what was passed is
/// remembered by its offset and read again from there, beginning after what was read again last:
/// when a field is absent all others are passed in search of it, and then asked for in their order.
///
/// No server writes a key twice. Where one is, the next counts, else the first; a fragment that asks
/// for it again may read another one.
#[derive(Debug)]
pub struct Object<'r, 'a> {
    reader: &'r mut Reader<'a>,
    /// Where the keys of this object begin in `Reader::passed`.
    base: usize,
    next: Next<'a>,
    /// Which of the passed keys is likely to be asked for again, as an index.
    cursor: usize,
    /// Where to go on from, when the field that was read last had been passed.
    back: Option<usize>,
}

/// What the reader stands at.
#[derive(Clone, Copy, Debug)]
enum Next<'a> {
    /// At the object, before `{`.
    Open,
    /// After `{`.
    First,
    /// After a value.
    Comma,
    /// At the value of this key, which nobody has asked for yet.
    Value(&'a str),
    /// After `}`.
    End,
}

/// Where a field was found: the reader is at its value.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// Next, or further on.
    Here,
    /// Among the passed ones.
    Before,
    Nowhere,
}

impl<'r, 'a> Object<'r, 'a> {
    /// The object that is next, if one is.
    pub(super) fn new(reader: &'r mut Reader<'a>) -> Self {
        Self {
            base: reader.passed.len(),
            cursor: reader.passed.len(),
            next: Next::Open,
            back: None,
            reader,
        }
    }

    /// Goes to where reading goes on: into the object at first, back after a passed field.
    #[inline]
    fn resume(&mut self) -> Result<(), Failed> {
        if let Some(back) = self.back.take() {
            self.reader.go(back);
        }
        if matches!(self.next, Next::Open) {
            self.reader.expect(b'{', "an object")?;
            self.next = Next::First;
        }
        Ok(())
    }

    /// Goes out of it. That this failed, the reader remembers.
    ///
    /// It is `extern "C"` to be known not to unwind: no code to drop what was read is made for each
    /// type, a tenth of what a debug build of generated types would compile.
    pub(super) extern "C" fn close(&mut self) {
        if let Ok(()) = self.skip_rest() {
            self.reader.passed.truncate(self.base);
        }
    }

    /// Skips what was not asked for.
    fn skip_rest(&mut self) -> Result<(), Failed> {
        self.resume()?;
        while !matches!(self.peek()?, Next::End) {
            self.pass()?;
        }
        Ok(())
    }

    /// Goes to the value of the next key, unless it is there already.
    #[inline]
    fn peek(&mut self) -> Result<Next<'a>, Failed> {
        let first = match self.next {
            Next::Open | Next::First => true,
            Next::Comma => false,
            Next::Value(_) | Next::End => return Ok(self.next),
        };
        self.next = if self.reader.eat(b'}') {
            Next::End
        } else {
            if !first {
                self.reader.expect(b',', "`,` or `}`")?;
                self.reader.peek();
            }
            self.reader.passed.push(self.reader.at());
            let (key, _) = self.reader.raw_string("a key")?;
            self.reader.expect(b':', "`:`")?;
            Next::Value(key)
        };
        Ok(self.next)
    }

    /// Skips the value that the reader stands at.
    fn pass(&mut self) -> Result<(), Failed> {
        self.next = Next::Comma;
        self.reader.skip().map(|_| ())
    }

    /// The field `key`, wherever it is.
    ///
    /// # Errors
    /// When it is missing or has another type.
    #[inline]
    pub fn field<T: Decode>(&mut self, key: &'static str) -> Result<T, Failed> {
        self.go_to(key);
        T::decode(self.reader)
    }

    /// A field of a type that is not Tollgate's.
    ///
    /// # Errors
    /// When it is missing, or the type cannot be read from what is there.
    pub fn foreign<T>(&mut self, key: &'static str) -> Result<T, Failed>
    where
        Foreign<T>: Decode,
    {
        self.field::<Foreign<T>>(key).map(|foreign| foreign.0)
    }

    /// What another selection reads of the same object: a fragment, a variant.
    ///
    /// # Errors
    /// Those of the selection.
    #[inline]
    pub fn select<T: Select>(&mut self) -> Result<T, Failed> {
        T::select(self)
    }

    /// What a fragment under `@include` or `@skip` reads of the same object, if it is there.
    ///
    /// Its fields do not tell whether it is, since others may ask for the same ones. So the fragment
    /// is sent with `mark`, an alias of `__typename` that nothing else has.
    ///
    /// # Errors
    /// Those of the fragment.
    pub fn select_if<T: Select>(&mut self, mark: &str) -> Result<Option<T>, Failed> {
        if take!(self.contains(mark)) {
            return T::select(self).map(Some);
        }
        Ok(None)
    }

    /// Goes to the value of `key`, or to where the reader knows that there is none. When the text is
    /// at fault, it is at its end, where no value can be read.
    fn go_to(&mut self, key: &'static str) {
        if let Ok(Place::Nowhere) = self.seek(key) {
            self.reader.lack(key);
        }
    }

    /// Goes to the value of `key`: here, else back among the passed ones, else forward.
    #[inline]
    fn seek(&mut self, key: &str) -> Result<Place, Failed> {
        self.resume()?;
        let next = match self.next {
            Next::First => self.reader.take_key(key, false),
            Next::Comma => self.reader.take_key(key, true),
            Next::Open | Next::Value(_) | Next::End => false,
        };
        if next {
            self.next = Next::Comma;
            return Ok(Place::Here);
        }
        self.search(key)
    }

    #[inline(never)]
    fn search(&mut self, key: &str) -> Result<Place, Failed> {
        if matches!(self.peek()?, Next::Value(next) if is(next, key)) {
            self.next = Next::Comma;
            return Ok(Place::Here);
        }
        let unasked = usize::from(matches!(self.next, Next::Value(_)));
        let back = self.reader.at();
        let end = self.reader.passed.len() - unasked;
        for index in (self.cursor..end).chain(self.base..self.cursor) {
            self.reader.go(self.reader.passed[index]);
            let (passed, _) = self.reader.raw_string("a key")?;
            if is(passed, key) {
                self.reader.expect(b':', "`:`")?;
                self.back = Some(back);
                self.cursor = index + 1;
                return Ok(Place::Before);
            }
        }
        self.reader.go(back);
        // If it is absent, what comes after it begins here.
        self.cursor = end;
        loop {
            match self.peek()? {
                Next::Value(next) if is(next, key) => {
                    self.next = Next::Comma;
                    return Ok(Place::Here);
                }
                Next::Value(_) => self.pass()?,
                _ => return Ok(Place::Nowhere),
            }
        }
    }

    /// Whether the field is there at all.
    fn contains(&mut self, key: &str) -> Result<bool, Failed> {
        let place = self.seek(key)?;
        if matches!(place, Place::Here) {
            self.pass()?;
        }
        Ok(!matches!(place, Place::Nowhere))
    }

    /// The `__typename` of the object.
    ///
    /// # Errors
    /// When there is none.
    pub fn typename(&mut self) -> Result<Cow<'a, str>, Failed> {
        self.go_to("__typename");
        self.reader.string()
    }
}

/// Whether a key as written stands for `name`.
#[inline]
fn is(raw: &str, name: &str) -> bool {
    raw == name || (raw.contains('\\') && text::unescape(raw).is_ok_and(|key| key == name))
}
