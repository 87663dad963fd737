//! Values on the command line.

use std::str::FromStr;
use std::time::Duration;

use tollgate_shop::Size;

/// `orders=500`, `Order.lineItems=1..30`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) name: String,
    pub(super) size: Size,
}

/// `40`, `20..80`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Milliseconds {
    pub(super) least: Duration,
    pub(super) most: Duration,
}

/// A part of all requests, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Share(pub(super) f64);

/// `ProductPage=2`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Drift {
    pub(super) operation: String,
    pub(super) factor: f64,
}

/// A number, or two with `..` between, both included.
fn range(text: &str) -> Option<(u64, u64)> {
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    let (least, most) = (least.trim().parse().ok()?, most.trim().parse().ok()?);
    (least <= most).then_some((least, most))
}

impl FromStr for Place {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parsed = text.split_once('=').and_then(|(name, size)| {
            let (least, most) = range(size)?;
            let name = name.trim().to_owned();
            let size = Size::from(least..=most);
            (!name.is_empty()).then_some(Self { name, size })
        });
        parsed.ok_or("a place and a number, or two: `orders=500`, `Order.lineItems=1..30`")
    }
}

impl FromStr for Milliseconds {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (least, most) = range(text).ok_or("milliseconds: `40`, or `20..80`")?;
        Ok(Self {
            least: Duration::from_millis(least),
            most: Duration::from_millis(most),
        })
    }
}

impl FromStr for Share {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let share = text.parse().ok();
        let share = share.filter(|share| (0.0..=1.0).contains(share));
        share.map(Self).ok_or("a share from 0 to 1: `0.05`")
    }
}

impl FromStr for Drift {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parsed = text.split_once('=').and_then(|(operation, factor)| {
            let factor: f64 = factor.trim().parse().ok()?;
            let positive = factor.is_finite() && factor > 0.0;
            let operation = operation.trim().to_owned();
            positive.then_some(Self { operation, factor })
        });
        parsed.ok_or("an operation and a positive factor: `ProductPage=2`")
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tollgate_shop::Size;

    use super::{Drift, Milliseconds, Place, Share};

    #[test]
    fn places() {
        let place: Place = "Order.lineItems=1..30".parse().unwrap();
        assert_eq!(
            (place.name.as_str(), place.size),
            ("Order.lineItems", Size::Between(1, 30))
        );
        let place: Place = "orders=500".parse().unwrap();
        assert_eq!(place.size, Size::Between(500, 500));
        for wrong in ["orders", "=5", "orders=", "orders=3..1", "orders=-1"] {
            assert!(wrong.parse::<Place>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn shares() {
        for (text, share) in [("0", 0.0), ("0.25", 0.25), ("1", 1.0)] {
            assert_eq!(text.parse(), Ok(Share(share)));
        }
        for wrong in ["-0.1", "1.1", "NaN", "inf", "-inf", "", "half"] {
            assert!(wrong.parse::<Share>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn milliseconds_and_drift() {
        let latency: Milliseconds = "20..80".parse().unwrap();
        let both = [20, 80].map(Duration::from_millis);
        assert_eq!([latency.least, latency.most], both);
        assert!("fast".parse::<Milliseconds>().is_err());
        let drift: Drift = "ProductPage=2".parse().unwrap();
        assert_eq!(
            (drift.operation.as_str(), drift.factor),
            ("ProductPage", 2.0)
        );
        for wrong in ["ProductPage=0", "ProductPage=-1", "ProductPage=inf", "2"] {
            assert!(wrong.parse::<Drift>().is_err(), "{wrong}");
        }
    }
}
