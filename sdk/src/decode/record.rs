use std::fmt::{self, Debug};
use std::marker::PhantomData;

use serde_json::{Map, Value};

use super::{Decode, Failed, Object, Reader, Written};

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

/// A struct with a field for each field of a selection set: how it is read and taken apart, from
/// which everything else follows.
pub trait Record: Sized {
    /// What the fields are, in a tuple; in groups of twelve where there are more.
    type Fields: Group;
    /// The name of each field, in the same order: the response key, after `?` when `@include` or
    /// `@skip` may leave it out; `...` before the name of a fragment. The fragment of a [`Perhaps`]
    /// is followed by the key that is there when the fragment is.
    const KEYS: &'static [&'static str];

    /// Reads the fields from an object that has these keys, one by one in their order.
    ///
    /// # Errors
    /// When a field is missing or has another type.
    fn read(object: &mut Object<'_, '_>) -> Result<Self, Failed>;

    /// The fields of the struct.
    fn fields(&self) -> Refs<'_, Self>;
}

/// References to the fields of a [`Record`].
pub type Refs<'a, T> = <<T as Record>::Fields as Group>::Refs<'a>;

impl<T: Record> Select for T {
    fn select(object: &mut Object<'_, '_>) -> Result<Self, Failed> {
        let outer = object.enter(T::KEYS);
        let record = T::read(object);
        object.leave(outer);
        record
    }
}

impl<T: Record> Decode for T {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Failed> {
        let mut object = Object::new(reader, T::KEYS);
        let record = T::read(&mut object);
        object.close();
        record
    }
}

/// [`Decode`] of an enum over `__typename`.
///
/// # Errors
/// Those of its variants.
pub fn variant_decode<T: Select>(reader: &mut Reader<'_>) -> Result<T, Failed> {
    let mut object = Object::new(reader, &[]);
    let variant = T::select(&mut object);
    object.close();
    variant
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

/// One field of a [`Record`], or a group of them. Of a field that is not read as what it is, this is
/// a type that says how it is.
pub trait Group: Sized {
    /// The field where it is.
    type Refs<'a>
    where
        Self: 'a;

    /// Whether two are equal.
    fn equal(left: Self::Refs<'_>, right: Self::Refs<'_>) -> bool;

    /// Shows it.
    fn debug(refs: Self::Refs<'_>, keys: &mut Keys, record: &mut fmt::DebugStruct<'_, '_>);
}

/// `Group` of one field, whose reference is `&$ty`.
macro_rules! one_field {
    ($ty:ty) => {
        type Refs<'a>
            = &'a $ty
        where
            Self: 'a;

        #[inline]
        fn equal(left: Self::Refs<'_>, right: Self::Refs<'_>) -> bool {
            left == right
        }

        fn debug(value: Self::Refs<'_>, keys: &mut Keys, record: &mut fmt::DebugStruct<'_, '_>) {
            record.field(keys.next().0, value);
        }
    };
}

impl<T: Decode + Debug + PartialEq> Group for T {
    one_field!(T);
}

/// A field of a type that is not Tollgate's; see [`Object::through`].
#[derive(Debug)]
pub struct Through<T>(PhantomData<T>);

impl<T: Debug + PartialEq> Group for Through<T> {
    one_field!(T);
}

/// The type of a fragment that is spread beside other selections; see [`Object::spread`].
#[derive(Debug)]
pub struct Spread<T>(PhantomData<T>);

impl<T: Debug + PartialEq> Group for Spread<T> {
    one_field!(T);
}

/// The type of a fragment that is spread under `@include` or `@skip`; see [`Object::perhaps`].
#[derive(Debug)]
pub struct Perhaps<T>(PhantomData<T>);

impl<T: Debug + PartialEq> Group for Perhaps<T> {
    type Refs<'a>
        = &'a Option<T>
    where
        Self: 'a;

    #[inline]
    fn equal(left: Self::Refs<'_>, right: Self::Refs<'_>) -> bool {
        left == right
    }

    fn debug(value: Self::Refs<'_>, keys: &mut Keys, record: &mut fmt::DebugStruct<'_, '_>) {
        record.field(keys.next().0, value);
        keys.next();
    }
}

macro_rules! groups {
    ($($field:ident $other:ident)*) => {
        #[allow(non_snake_case, unused_variables, clippy::unused_unit)]
        impl<$($field: Group),*> Group for ($($field,)*) {
            type Refs<'a> = ($($field::Refs<'a>,)*) where Self: 'a;

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
