use super::{Decode, DecodeError, Object, Reader};

/// A type that reads what a selection set gives: a [`Record`], or an enum over `__typename`.
///
/// Several may read the same object, since a fragment has a type of its own wherever it is spread.
pub trait Select: Sized {
    /// Reads from an object.
    ///
    /// # Errors
    /// [`DecodeError`], when a field is missing or has another type.
    fn select(object: &mut Object<'_, '_>) -> Result<Self, DecodeError>;

    /// Whether the object holds what the type needs: `false` for a fragment that was skipped.
    ///
    /// # Errors
    /// When the text is not JSON.
    fn present(object: &mut Object<'_, '_>) -> Result<bool, DecodeError> {
        object.contains("__typename")
    }
}

/// A struct with a field for each field of a selection set.
pub trait Record: Sized {
    /// The types of the fields as a tuple, in groups of twelve where there are more.
    type Fields: Fields;
    /// The response keys of the fields, each followed by a space; `?` marks one that `@include` or
    /// `@skip` may leave out. Spreads have none.
    const KEYS: &'static str;

    /// The struct with these fields.
    fn build(fields: Self::Fields) -> Self;
}

impl<T: Record> Select for T {
    #[inline]
    fn select(object: &mut Object<'_, '_>) -> Result<Self, DecodeError> {
        T::Fields::read(object, &mut Keys(T::KEYS)).map(T::build)
    }

    fn present(object: &mut Object<'_, '_>) -> Result<bool, DecodeError> {
        T::Fields::present(object, &mut Keys(T::KEYS))
    }
}

impl<T: Select> Decode for T {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Object::read(reader, T::select)
    }
}

/// The keys that are still to be read.
#[derive(Clone, Copy, Debug)]
pub struct Keys(&'static str);

impl Keys {
    /// The next key, and whether it may be left out.
    #[inline]
    fn next(&mut self) -> (&'static str, bool) {
        let (key, rest) = self.0.split_once(' ').unwrap_or((self.0, ""));
        self.0 = rest;
        match key.strip_prefix('?') {
            Some(key) => (key, true),
            None => (key, false),
        }
    }
}

/// One field of a [`Record`], or a group of them.
pub trait Fields: Sized {
    /// Reads them.
    ///
    /// # Errors
    /// [`DecodeError`], when a field is missing or has another type.
    fn read(object: &mut Object<'_, '_>, keys: &mut Keys) -> Result<Self, DecodeError>;

    /// Whether they are there.
    ///
    /// # Errors
    /// When the text is not JSON.
    fn present(object: &mut Object<'_, '_>, keys: &mut Keys) -> Result<bool, DecodeError>;
}

impl<T: Decode> Fields for T {
    #[inline]
    fn read(object: &mut Object<'_, '_>, keys: &mut Keys) -> Result<Self, DecodeError> {
        let (key, _) = keys.next();
        object.field(key)
    }

    fn present(object: &mut Object<'_, '_>, keys: &mut Keys) -> Result<bool, DecodeError> {
        let (key, optional) = keys.next();
        Ok(optional || object.contains(key)?)
    }
}

/// The type of a fragment that is spread beside other selections.
#[derive(Debug)]
pub struct Spread<T>(pub T);

impl<T: Select> Fields for Spread<T> {
    #[inline]
    fn read(object: &mut Object<'_, '_>, _: &mut Keys) -> Result<Self, DecodeError> {
        T::select(object).map(Self)
    }

    fn present(object: &mut Object<'_, '_>, _: &mut Keys) -> Result<bool, DecodeError> {
        T::present(object)
    }
}

/// The type of a fragment that is spread under `@include` or `@skip`.
#[derive(Debug)]
pub struct Perhaps<T>(pub Option<T>);

impl<T: Select> Fields for Perhaps<T> {
    fn read(object: &mut Object<'_, '_>, _: &mut Keys) -> Result<Self, DecodeError> {
        let fragment = T::present(object)?.then(|| T::select(object));
        fragment.transpose().map(Self)
    }

    fn present(_: &mut Object<'_, '_>, _: &mut Keys) -> Result<bool, DecodeError> {
        Ok(true)
    }
}

macro_rules! groups {
    ($($field:ident)*) => {
        impl<$($field: Fields),*> Fields for ($($field,)*) {
            #[inline]
            fn read(_object: &mut Object<'_, '_>, _keys: &mut Keys) -> Result<Self, DecodeError> {
                Ok(($($field::read(_object, _keys)?,)*))
            }

            fn present(_object: &mut Object<'_, '_>, _keys: &mut Keys) -> Result<bool, DecodeError> {
                Ok(true $(&& $field::present(_object, _keys)?)*)
            }
        }
    };
}

groups!();
groups!(A);
groups!(A B);
groups!(A B C);
groups!(A B C D);
groups!(A B C D E);
groups!(A B C D E F);
groups!(A B C D E F G);
groups!(A B C D E F G H);
groups!(A B C D E F G H I);
groups!(A B C D E F G H I J);
groups!(A B C D E F G H I J K);
groups!(A B C D E F G H I J K L);
