use std::{
    collections::HashSet,
    fmt,
    hash::{Hash as _, Hasher},
    mem,
    sync::{Mutex, OnceLock, PoisonError},
};

use super::{Failed, Reader};

/// An enum of the schema. Its last variant is for values that the schema did not have when the code
/// was generated.
pub trait Enum: Copy + 'static {
    /// The texts of the values, sorted.
    const TEXTS: &'static [&'static str];
    /// The values in the same order, which is that of the variants.
    const VALUES: &'static [Self];

    /// The last variant.
    fn unknown(value: UnknownValue) -> Self;
}

/// The text of a value that the schema did not have when the code was generated; it is sent as it
/// came.
///
/// Each text is kept once and for ever, so that enums are `Copy`. What a server can make a program
/// keep is bounded: decoding takes texts of up to 256 bytes, and 4 096 of them in a process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnknownValue(&'static str);

const LONGEST: usize = 256;
const MOST: usize = 4096;

impl UnknownValue {
    /// A value of that text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self::within(text, usize::MAX).unwrap_or(Self(""))
    }

    /// A value of that text, unless more than `most` are known already and it is not one of them.
    fn within(text: &str, most: usize) -> Option<Self> {
        static KNOWN: OnceLock<Mutex<HashSet<&'static str>>> = OnceLock::new();
        let known = KNOWN.get_or_init(Mutex::default).lock();
        let mut known = known.unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = known.get(text) {
            return Some(Self(text));
        }
        if known.len() >= most {
            return None;
        }
        let text: &'static str = Box::leak(text.into());
        known.insert(text);
        Some(Self(text))
    }

    /// The text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Debug for UnknownValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A value of the schema as the schema writes it.
pub fn enum_str<T: Enum>(value: T) -> &'static str {
    // Variants are in the order of the texts, so the position is known in practice; should the
    // standard library hash a discriminant some other way one day, it is searched.
    let is = |index: usize| mem::discriminant(&T::VALUES[index]) == mem::discriminant(&value);
    let mut index = position(&value);
    if index >= T::VALUES.len() || !is(index) {
        index = 0;
        while index < T::VALUES.len() && !is(index) {
            index += 1;
        }
    }
    text_at(T::TEXTS, index)
}

fn text_at(texts: &[&'static str], index: usize) -> &'static str {
    texts.get(index).copied().unwrap_or_default()
}

/// Which variant it is.
fn position<T>(value: &T) -> usize {
    struct Position(usize);

    impl Hasher for Position {
        fn write(&mut self, _: &[u8]) {}

        fn write_isize(&mut self, index: isize) {
            self.0 = index.unsigned_abs();
        }

        fn finish(&self) -> u64 {
            0
        }
    }

    let mut position = Position(usize::MAX);
    mem::discriminant(value).hash(&mut position);
    position.0
}

/// The value of that text.
pub fn enum_from<T: Enum>(text: &str) -> T {
    match T::TEXTS.binary_search(&text) {
        Ok(index) => T::VALUES[index],
        Err(_) => T::unknown(UnknownValue::new(text)),
    }
}

/// Reads a value.
///
/// # Errors
/// When something other than a string is next, or there were too many unknown values.
pub fn enum_decode<T: Enum>(reader: &mut Reader<'_>) -> Result<T, Failed> {
    match take!(read(reader, T::TEXTS)) {
        Ok(index) => Ok(T::VALUES[index]),
        Err(unknown) => Ok(T::unknown(unknown)),
    }
}

/// The position of a text among those that are known, or a new one.
fn read(
    reader: &mut Reader<'_>,
    texts: &[&'static str],
) -> Result<Result<usize, UnknownValue>, Failed> {
    let start = reader.at();
    let text = reader.string()?;
    if let Ok(index) = texts.binary_search(&&*text) {
        return Ok(Ok(index));
    }
    let short = text.len() <= LONGEST;
    let unknown = short.then(|| UnknownValue::within(&text, MOST)).flatten();
    let error = || reader.fail_at(start, "a value of an enum");
    unknown.map(Err).ok_or_else(error)
}
