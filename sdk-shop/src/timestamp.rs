//! Moments of the year 2026, as the server writes them.

use std::fmt;

/// A second of a day, in UTC. Days stop at 28, so that every month has them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timestamp {
    /// 1 to 12.
    pub(crate) month: u64,
    /// 1 to 28.
    pub(crate) day: u64,
    /// Since midnight.
    pub(crate) second: u64,
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { month, day, second } = self;
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(
            f,
            "2026-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"
        )
    }
}
