//! To the types of other crates and back.

use super::Url;
#[cfg(any(feature = "chrono", feature = "jiff"))]
use super::{Date, DateTime};
#[cfg(feature = "rust_decimal")]
use super::{Decimal, Money};

impl Url {
    /// The URL, parsed.
    ///
    /// # Errors
    /// When it is not an absolute URL.
    pub fn to_url(&self) -> Result<url::Url, url::ParseError> {
        self.as_str().parse()
    }
}

impl From<url::Url> for Url {
    fn from(url: url::Url) -> Self {
        Self::new(url)
    }
}

#[cfg(feature = "rust_decimal")]
macro_rules! decimals {
    ($($name:ident)*) => {$(
        impl $name {
            /// The number. Exact, or an error: nothing is rounded.
            ///
            /// # Errors
            /// When it is not a number, or has more than 28 digits.
            pub fn to_decimal(&self) -> Result<rust_decimal::Decimal, rust_decimal::Error> {
                rust_decimal::Decimal::from_str_exact(self.as_str())
            }
        }

        impl From<rust_decimal::Decimal> for $name {
            fn from(number: rust_decimal::Decimal) -> Self {
                Self::new(number.to_string())
            }
        }
    )*};
}

#[cfg(feature = "rust_decimal")]
decimals!(Decimal Money);

#[cfg(feature = "jiff")]
impl DateTime {
    /// The point in time; the offset is kept in the text only.
    ///
    /// # Errors
    /// When it is not a date and time with an offset.
    pub fn to_timestamp(&self) -> Result<jiff::Timestamp, jiff::Error> {
        self.as_str().parse()
    }
}

#[cfg(feature = "jiff")]
impl From<jiff::Timestamp> for DateTime {
    fn from(time: jiff::Timestamp) -> Self {
        Self::new(time.to_string())
    }
}

#[cfg(feature = "jiff")]
impl Date {
    /// The day.
    ///
    /// # Errors
    /// When it is not a date.
    pub fn to_civil(&self) -> Result<jiff::civil::Date, jiff::Error> {
        self.as_str().parse()
    }
}

#[cfg(feature = "jiff")]
impl From<jiff::civil::Date> for Date {
    fn from(day: jiff::civil::Date) -> Self {
        Self::new(day.to_string())
    }
}

#[cfg(feature = "chrono")]
impl DateTime {
    /// The date and time with its offset.
    ///
    /// # Errors
    /// When it is not a date and time with an offset.
    pub fn to_chrono(&self) -> Result<chrono::DateTime<chrono::FixedOffset>, chrono::ParseError> {
        chrono::DateTime::parse_from_rfc3339(self.as_str())
    }
}

#[cfg(feature = "chrono")]
impl<Z: chrono::TimeZone> From<chrono::DateTime<Z>> for DateTime {
    fn from(time: chrono::DateTime<Z>) -> Self {
        Self::new(time.fixed_offset().to_rfc3339())
    }
}

#[cfg(feature = "chrono")]
impl Date {
    /// The day.
    ///
    /// # Errors
    /// When it is not a date.
    pub fn to_naive_date(&self) -> Result<chrono::NaiveDate, chrono::ParseError> {
        self.as_str().parse()
    }
}

#[cfg(feature = "chrono")]
impl From<chrono::NaiveDate> for Date {
    fn from(day: chrono::NaiveDate) -> Self {
        Self::new(day.to_string())
    }
}
