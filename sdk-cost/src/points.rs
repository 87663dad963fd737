use std::fmt;

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
