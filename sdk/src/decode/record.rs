use std::fmt::{self, Debug};

use serde_json::{Map, Value};

use super::{Decode, Failed, Object, Reader, Written};
use crate::scalar::Foreign;

/// A type that reads what a selection set gives: a [`Record`], or an enum over `__typename`.
///
/// Several may read the same object, since a fragment has a type of its own wherever it is spread.
pub trait Select: Sized {
    /// Reads from an object.
    ///
    /// # Errors
    /// When a field is missing or has another type.
    fn select(object: &mut Object<'_, '_>) -> Result<Self, Failed>;
}

/// A struct with a field for each field of a selection set: how it is taken apart and put together,
/// from which everything else follows.
pub trait Record: Sized {
    /// What the fields are read as, in a tuple; in groups of twelve where there are more.
    type Fields: Group;
    /// The name of each field, in the same order: the response key, after `?` when `@include` or
    /// `@skip` may leave it out; `...` before the name of a fragment. The fragment of a [`Perhaps`]
    /// is followed by the key that is there when the fragment is.
    const KEYS: &'static [&'static str];

    /// The struct with these fields.
    fn build(fields: Self::Fields) -> Self;

    /// The fields of the struct.
    fn fields(&self) -> Refs<'_, Self>;
}

/// References to the fields of a [`Record`].
pub type Refs<'a, T> = <<T as Record>::Fields as Group>::Refs<'a>;

impl<T: Record> Select for T {
    #[inline]
    fn select(object: &mut Object<'_, '_>) -> Result<Self, Failed> {
        let fields = take!(T::Fields::read(object, &mut Keys(T::KEYS)));
        Ok(T::build(fields))
    }
}

impl<T: Select> Decode for T {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Failed> {
        let mut object = Object::new(reader);
        let value = take!(T::select(&mut object));
        match object.close() {
            Ok(()) => Ok(value),
            Err(failed) => Err(failed),
        }
    }
}

/// `Clone` of a record.
#[inline]
pub fn record_clone<T: Record>(record: &T) -> T {
    T::build(T::Fields::duplicate(record.fields()))
}

/// `PartialEq` of a record.
#[inline]
pub fn record_eq<T: Record>(left: &T, right: &T) -> bool {
    T::Fields::equal(left.fields(), right.fields())
}

/// `Debug` of a record: its fields as the document calls them.
///
/// # Errors
/// Those of the formatter.
pub fn record_fmt<T: Record>(record: &T, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let name = std::any::type_name::<T>();
    let name = name.rsplit("::").next().unwrap_or(name);
    // What comes before is the operation.
    let name = name.rsplit_once("__").map_or(name, |(_, name)| name);
    let mut record_of = f.debug_struct(name);
    T::Fields::debug(record.fields(), &mut Keys(T::KEYS), &mut record_of);
    record_of.finish()
}

/// The keys that are still to come.
#[derive(Clone, Copy, Debug)]
pub struct Keys(pub(super) &'static [&'static str]);

impl Keys {
    /// The next key, and whether it may be left out.
    #[inline]
    pub(super) fn next(&mut self) -> (&'static str, bool) {
        let (key, rest) = self.0.split_first().unwrap_or((&"", &[]));
        self.0 = rest;
        match key.strip_prefix('?') {
            Some(key) => (key, true),
            None => (key, false),
        }
    }
}

/// One field of a [`Record`], or a group of them.
pub trait Group: Sized {
    /// The field where it is.
    type Refs<'a>
    where
        Self: 'a;

    /// Reads it.
    ///
    /// # Errors
    /// When it is missing or has another type.
    fn read(object: &mut Object<'_, '_>, keys: &mut Keys) -> Result<Self, Failed>;

    /// A second one.
    fn duplicate(refs: Self::Refs<'_>) -> Self;

    /// Whether two are equal.
    fn equal(left: Self::Refs<'_>, right: Self::Refs<'_>) -> bool;

    /// Shows it.
    fn debug(refs: Self::Refs<'_>, keys: &mut Keys, record: &mut fmt::DebugStruct<'_, '_>);
}

/// `Group` of one field, whose reference is `&$ty`.
macro_rules! one_field {
    ($ty:ty, $value:ident => $wrapped:expr) => {
        one_field!(@copied $ty, $value => $wrapped);

        fn debug(value: Self::Refs<'_>, keys: &mut Keys, record: &mut fmt::DebugStruct<'_, '_>) {
            record.field(keys.next().0, value);
        }
    };
    (@copied $ty:ty, $value:ident => $wrapped:expr) => {
        type Refs<'a>
            = &'a $ty
        where
            Self: 'a;

        #[inline]
        fn duplicate($value: Self::Refs<'_>) -> Self {
            let $value = $value.clone();
            $wrapped
        }

        #[inline]
        fn equal(left: Self::Refs<'_>, right: Self::Refs<'_>) -> bool {
            left == right
        }
    };
}

impl<T: Decode + Clone + Debug + PartialEq> Group for T {
    one_field!(T, value => value);

    #[inline]
    fn read(object: &mut Object<'_, '_>, keys: &mut Keys) -> Result<Self, Failed> {
        let (key, _) = keys.next();
        object.field(key)
    }
}

/// A field of a type that is not Tollgate's.
#[derive(Debug)]
pub struct Through<T>(pub T);

impl<T: Clone + Debug + PartialEq> Group for Through<T>
where
    Foreign<T>: Decode,
{
    one_field!(T, value => Self(value));

    fn read(object: &mut Object<'_, '_>, keys: &mut Keys) -> Result<Self, Failed> {
        let (key, _) = keys.next();
        object
            .field::<Foreign<T>>(key)
            .map(|foreign| Self(foreign.0))
    }
}

/// The type of a fragment that is spread beside other selections.
#[derive(Debug)]
pub struct Spread<T>(pub T);

impl<T: Select + Clone + Debug + PartialEq> Group for Spread<T> {
    one_field!(T, value => Self(value));

    #[inline]
    fn read(object: &mut Object<'_, '_>, keys: &mut Keys) -> Result<Self, Failed> {
        keys.next();
        Ok(Self(take!(T::select(object))))
    }
}

/// The type of a fragment that is spread under `@include` or `@skip`.
///
/// Its fields do not tell whether it is there, since others may ask for the same ones. So the
/// fragment is sent with an alias of `__typename` that nothing else has, which is its second key.
#[derive(Debug)]
pub struct Perhaps<T>(pub Option<T>);

impl<T: Select + Clone + Debug + PartialEq> Group for Perhaps<T> {
    one_field!(@copied Option<T>, value => Self(value));

    fn debug(value: Self::Refs<'_>, keys: &mut Keys, record: &mut fmt::DebugStruct<'_, '_>) {
        record.field(keys.next().0, value);
        keys.next();
    }

    fn read(object: &mut Object<'_, '_>, keys: &mut Keys) -> Result<Self, Failed> {
        keys.next();
        let (mark, _) = keys.next();
        let fragment = object.contains(mark)?.then(|| T::select(object));
        fragment.transpose().map(Self)
    }
}

macro_rules! groups {
    ($($field:ident $other:ident)*) => {
        #[allow(non_snake_case, unused_variables, clippy::unused_unit)]
        impl<$($field: Group),*> Group for ($($field,)*) {
            type Refs<'a> = ($($field::Refs<'a>,)*) where Self: 'a;

            #[inline]
            fn read(object: &mut Object<'_, '_>, keys: &mut Keys) -> Result<Self, Failed> {
                Ok(($(take!($field::read(object, keys)),)*))
            }

            #[inline]
            fn duplicate(($($field,)*): Self::Refs<'_>) -> Self {
                ($($field::duplicate($field),)*)
            }

            #[inline]
            fn equal(($($field,)*): Self::Refs<'_>, ($($other,)*): Self::Refs<'_>) -> bool {
                true $(&& $field::equal($field, $other))*
            }

            fn debug(
                ($($field,)*): Self::Refs<'_>,
                keys: &mut Keys,
                record: &mut fmt::DebugStruct<'_, '_>,
            ) {
                $($field::debug($field, keys, record);)*
            }
        }

        #[allow(non_snake_case, unused_variables, clippy::unused_unit)]
        impl<$($field: Written),*> Written for ($($field,)*) {
            fn write(
                ($($field,)*): Self::Refs<'_>,
                keys: &mut Keys,
                object: &mut Map<String, Value>,
            ) -> Result<(), serde_json::Error> {
                $($field::write($field, keys, object)?;)*
                Ok(())
            }
        }
    };
}

groups!();
groups!(A A2);
groups!(A A2 B B2);
groups!(A A2 B B2 C C2);
groups!(A A2 B B2 C C2 D D2);
groups!(A A2 B B2 C C2 D D2 E E2);
groups!(A A2 B B2 C C2 D D2 E E2 F F2);
groups!(A A2 B B2 C C2 D D2 E E2 F F2 G G2);
groups!(A A2 B B2 C C2 D D2 E E2 F F2 G G2 H H2);
groups!(A A2 B B2 C C2 D D2 E E2 F F2 G G2 H H2 I I2);
groups!(A A2 B B2 C C2 D D2 E E2 F F2 G G2 H H2 I I2 J J2);
groups!(A A2 B B2 C C2 D D2 E E2 F F2 G G2 H H2 I I2 J J2 K K2);
groups!(A A2 B B2 C C2 D D2 E E2 F F2 G G2 H H2 I I2 J J2 K K2 L L2);
