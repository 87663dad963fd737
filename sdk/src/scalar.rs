//! Scalars of the Admin API.
//!
//! Those that arrive as text keep it exactly as it was sent: `"0.10"` stays `0.10`, a date keeps its
//! offset. They are compared as text, too: `"10"` comes before `"9"`, and `"0.10"` is not `"0.1"`;
//! to compare what they mean, convert them. The features `rust_decimal`, `jiff` and `chrono` add
//! conversions to the types of those crates; they change no type, so turning one on breaks nobody. A
//! project can also name a type of its own for a scalar (`scalars: { Money: my::Money }`), see
//! [`Foreign`].

mod convert;
mod foreign;
mod id;
mod integer;
#[cfg(test)]
mod tests;
mod text;

pub use foreign::Foreign;
pub use id::{Id, IdError};
pub use text::{Text, read as read_text};

/// Any JSON: the scalar `JSON`.
pub type Json = serde_json::Value;

crate::text_scalar! {
    /// A decimal number as text (`Decimal`), exact to the last digit.
    Decimal;
    /// An amount of money as text (`Money`), exact to the last digit.
    Money;
    /// A point in time with its offset (`DateTime`), as `2026-10-01T09:30:00Z`.
    DateTime;
    /// A day (`Date`), as `2026-10-01`.
    Date;
    /// A URL (`URL`).
    Url;
    /// Formatted text (`HTML`).
    Html;
    /// Text with markup that the server allows (`FormattedString`).
    FormattedString;
    /// A colour (`Color`), as `#1a2b3c`.
    Color;
    /// The name of a resource at Amazon (`ARN`).
    Arn;
    /// An offset from UTC (`UtcOffset`), as `+02:00`.
    UtcOffset;
}
