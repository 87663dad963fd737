use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};
use tollgate_cost::MilliPoints;

/// A price in a file: a number of points, with up to three decimals.
#[derive(Clone, Copy, Debug)]
pub(super) struct Price(pub(super) MilliPoints);

impl<'de> Deserialize<'de> for Price {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Number)
    }
}

struct Number;

impl Visitor<'_> for Number {
    type Value = Price;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of points, 0 or more")
    }

    fn visit_i64<E: Error>(self, points: i64) -> Result<Price, E> {
        points.to_string().parse().map(Price).map_err(E::custom)
    }

    fn visit_u64<E: Error>(self, points: u64) -> Result<Price, E> {
        points.to_string().parse().map(Price).map_err(E::custom)
    }

    fn visit_f64<E: Error>(self, points: f64) -> Result<Price, E> {
        points.to_string().parse().map(Price).map_err(E::custom)
    }
}
