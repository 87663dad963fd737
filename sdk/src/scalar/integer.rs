//! `UnsignedInt64` and `BigInt`: integers that arrive as text, since many read JSON's numbers as
//! floats. Plain numbers are taken too.

use crate::decode::{self, Decode, Failed, Reader};

impl Decode for u64 {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Failed> {
        integer(reader, "UnsignedInt64")
    }
}

impl Decode for i64 {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Failed> {
        integer(reader, "BigInt")
    }
}

fn integer<T: std::str::FromStr>(
    reader: &mut Reader<'_>,
    scalar: &'static str,
) -> Result<T, Failed> {
    if reader.peek() != b'"' {
        return decode::parse(reader, scalar);
    }
    let start = reader.at();
    let number = reader.string()?.parse();
    number.map_err(|_| reader.fail_at(start, scalar))
}
