use std::fmt;

/// The two limits of a bucket.
///
/// What a plan gives is not built in: such tables go stale. The client starts from a guess and
/// takes the limits of the first answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    maximum: f64,
    restore_rate: f64,
}

impl Limits {
    /// `maximum` in points, `restore_rate` in points per second; `None` unless both are finite and
    /// above zero.
    #[must_use]
    pub fn new(maximum: f64, restore_rate: f64) -> Option<Self> {
        (is_sane(maximum) && is_sane(restore_rate)).then_some(Self {
            maximum,
            restore_rate,
        })
    }

    /// `maximumAvailable`, in points.
    #[must_use]
    pub const fn maximum(&self) -> f64 {
        self.maximum
    }

    /// `restoreRate`, in points per second.
    #[must_use]
    pub const fn restore_rate(&self) -> f64 {
        self.restore_rate
    }

    /// Takes over the limits of an answer, each on its own and only if it makes sense.
    pub(super) fn learn(&mut self, status: &ThrottleStatus, anomalies: &mut Vec<Anomaly>) {
        match status.maximum {
            Some(maximum) if is_sane(maximum) && !status.is_more_than(maximum, *self) => {
                self.maximum = maximum;
            }
            Some(value) => anomalies.push(Anomaly::Maximum(value)),
            None => {}
        }
        match status.restore_rate {
            Some(rate) if is_sane(rate) => {
                self.restore_rate = rate;
                if stands_still(self.maximum, rate) {
                    anomalies.push(Anomaly::RestoreRate(rate));
                }
            }
            Some(value) => anomalies.push(Anomaly::RestoreRate(value)),
            None => {}
        }
    }
}

impl Default for Limits {
    /// A guess to start from: 2 000 points, 100 points per second, the smallest bucket of the
    /// service's present plans.
    fn default() -> Self {
        Self {
            maximum: 2000.0,
            restore_rate: 100.0,
        }
    }
}

/// Whether a bucket takes so long to fill that it stops every call: such a rate is not waited for,
/// if it is true at all.
pub(crate) fn stands_still(maximum: f64, restore_rate: f64) -> bool {
    /// In seconds, a hundred times what it takes on every plan of today.
    const SLOWEST: f64 = 2000.0;
    maximum / restore_rate > SLOWEST
}

fn is_sane(value: f64) -> bool {
    value.is_finite() && value > 0.0
}

/// `extensions.cost.throttleStatus` as an answer carries it: every member may be missing, and none
/// is to be trusted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ThrottleStatus {
    /// `maximumAvailable`: the size of the bucket, in points.
    pub maximum: Option<f64>,
    /// `currentlyAvailable`: what is left, in points (not what is used).
    pub available: Option<f64>,
    /// `restoreRate`, in points per second.
    pub restore_rate: Option<f64>,
}

impl ThrottleStatus {
    /// A status with all three figures.
    #[must_use]
    pub const fn new(maximum: f64, available: f64, restore_rate: f64) -> Self {
        Self {
            maximum: Some(maximum),
            available: Some(available),
            restore_rate: Some(restore_rate),
        }
    }

    /// Whether the balance shows that the bucket holds more than `maximum`, the new figure beside
    /// it: a smaller bucket than before cannot be fuller.
    fn is_more_than(&self, maximum: f64, before: Limits) -> bool {
        maximum < before.maximum && self.available.is_some_and(|there| there > maximum)
    }

    /// The balance, kept within what a bucket of these limits can hold or owe.
    pub(super) fn available_within(
        &self,
        limits: Limits,
        anomalies: &mut Vec<Anomaly>,
    ) -> Option<f64> {
        let available = self.available?;
        if !available.is_finite() {
            anomalies.push(Anomaly::Available(available));
            return None;
        }
        let sane = available.clamp(-limits.maximum, limits.maximum);
        if available < 0.0 || available > limits.maximum {
            anomalies.push(Anomaly::Available(available));
        }
        Some(sane)
    }
}

/// A figure of an answer that makes no sense. The call is not affected.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Anomaly {
    /// `maximumAvailable` that is not a positive number, or below the balance beside it: the last
    /// known one stays.
    Maximum(f64),
    /// `currentlyAvailable` that is not a number (ignored), below zero (taken as debt) or above
    /// the maximum (taken as the maximum).
    Available(f64),
    /// `restoreRate` that is not a positive number: the last known one stays. Or by which the bucket
    /// takes longer than 2 000 seconds to fill: nothing waits for that, one call a minute asks.
    RestoreRate(f64),
    /// A member of `extensions.cost` that is not a number at all.
    NotANumber(&'static str),
}

impl fmt::Display for Anomaly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Maximum(value) => write!(f, "maximumAvailable is {value}"),
            Self::Available(value) => write!(f, "currentlyAvailable is {value}"),
            Self::RestoreRate(value) => write!(f, "restoreRate is {value}"),
            Self::NotANumber(member) => write!(f, "{member} is not a number"),
        }
    }
}
