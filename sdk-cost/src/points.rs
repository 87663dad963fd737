use std::fmt;
use std::str::FromStr;

/// A price in points, the unit of the server's bucket: `requestedQueryCost` and its kin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Points(pub u64);

impl Points {
    /// No points at all.
    pub const ZERO: Self = Self(0);

    /// The number of points.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<u64> for Points {
    fn from(points: u64) -> Self {
        Self(points)
    }
}

/// Thousandths of a point: what a price is summed in, since surcharges come in tenths
/// ("Complexity cost: 0.2 per variant.") and the whole document is rounded once. Saturates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MilliPoints(pub u64);

impl MilliPoints {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// Whole points.
    #[must_use]
    pub const fn from_points(points: u64) -> Self {
        Self(points.saturating_mul(1000))
    }

    /// The sum, saturating.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// The product, saturating.
    #[must_use]
    pub const fn times(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(factor))
    }

    /// Whole points, a half rounded up: how the server rounds a document, once.
    #[must_use]
    pub const fn round(self) -> Points {
        Points(self.0.saturating_add(500) / 1000)
    }
}

/// A price that is no decimal number of points.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no price: a number of points, 0 or more, with up to three decimals")]
pub struct ParsePointsError(String);

/// Reads `10`, `0.2` or `1.875`.
impl FromStr for MilliPoints {
    type Err = ParsePointsError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let parsed = (digits(whole) && digits(fraction) && (1..=3).contains(&fraction.len()))
            .then(|| format!("{whole}{fraction:0<3}").parse().ok())
            .flatten();
        match parsed {
            Some(thousandths) if !whole.is_empty() => Ok(Self(thousandths)),
            _ => Err(ParsePointsError(text.to_owned())),
        }
    }
}

/// As it is read: `10`, `0.2`.
impl fmt::Display for MilliPoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, thousandths) = (self.0 / 1000, self.0 % 1000);
        if thousandths == 0 {
            return write!(f, "{whole}");
        }
        let fraction = format!("{thousandths:03}");
        write!(f, "{whole}.{}", fraction.trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::MilliPoints;

    #[test]
    fn prices_are_read_and_written_as_decimals() {
        for (text, thousandths) in [("10", 10_000), ("0.2", 200), ("1.9", 1900), ("0.005", 5)] {
            assert_eq!(text.parse(), Ok(MilliPoints(thousandths)));
            assert_eq!(MilliPoints(thousandths).to_string(), text);
        }
        for text in [
            "",
            ".5",
            "1.",
            "-1",
            "0.0005",
            "1e3",
            "99999999999999999999",
        ] {
            assert!(text.parse::<MilliPoints>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_half_is_rounded_up() {
        assert_eq!(MilliPoints(10_499).round().0, 10);
        assert_eq!(MilliPoints(10_500).round().0, 11);
    }
}
