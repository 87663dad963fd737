use tollgate_cost::Points;

use crate::{Error, ErrorKind, TransportErrorKind};

/// How large pages are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PageSize {
    /// As large as the size that the caller gave, the declared bound, the bucket and the time of an
    /// answer allow: smaller after an answer that was too dear, too large or too late, and larger
    /// again after a while.
    #[default]
    Adaptive,
    /// Always this size. An answer that is too dear, too large or too late fails the walk.
    Fixed(u32),
}

/// Good pages until a smaller size is doubled again.
const PATIENCE: u32 = 8;

/// The size of the next page, as answers teach it. For walks of one's own; [`Pages`] has one.
///
/// [`Pages`]: super::Pages
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizer {
    size: u32,
    largest: u32,
    good: u32,
    adaptive: bool,
}

impl Sizer {
    /// Always this size.
    #[must_use]
    pub fn fixed(size: u32) -> Self {
        Self {
            size,
            largest: size,
            good: 0,
            adaptive: false,
        }
    }

    /// Starts with the largest size up to `largest` that `cost` prices within `limit`; prices grow
    /// with sizes. Where no size does, the smallest: the client then says why not.
    #[must_use]
    pub fn adaptive(largest: u32, limit: Points, cost: impl Fn(u32) -> Option<Points>) -> Self {
        let fits = |size: u32| cost(size).is_some_and(|points| points <= limit);
        let (mut fitting, mut above) = (1, largest.max(1) + 1);
        while above - fitting > 1 {
            let middle = u32::midpoint(fitting, above);
            if fits(middle) {
                fitting = middle;
            } else {
                above = middle;
            }
        }
        Self {
            size: fitting,
            largest: fitting,
            good: 0,
            adaptive: true,
        }
    }

    /// The size to ask for.
    #[must_use]
    pub fn get(&self) -> u32 {
        self.size
    }

    /// A page of the size came.
    pub fn good(&mut self) {
        self.good += 1;
        if self.good >= PATIENCE && self.size < self.largest {
            self.size = (self.size * 2).min(self.largest);
            self.good = 0;
        }
    }

    /// Makes pages smaller after an error that a smaller one may not have; `false` when that does
    /// not help or cannot be.
    pub fn shrink(&mut self, error: &Error) -> bool {
        too_much(error) && self.halve()
    }

    fn halve(&mut self) -> bool {
        self.good = 0;
        if !self.adaptive || self.size <= 1 {
            return false;
        }
        self.size /= 2;
        true
    }
}

/// Whether a smaller page may succeed where this one did not.
fn too_much(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::TooDear { .. } | ErrorKind::Internal { .. } => true,
        ErrorKind::Transport(error) => matches!(
            error.kind(),
            TransportErrorKind::Timeout | TransportErrorKind::TooLarge { .. }
        ),
        ErrorKind::Server { status, .. } => matches!(status, 502..=504),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_with_the_largest_size_that_fits() {
        let cost = |size: u32| Some(Points(2 + u64::from(size)));
        assert_eq!(Sizer::adaptive(250, Points(1000), cost).get(), 250);
        assert_eq!(Sizer::adaptive(250, Points(102), cost).get(), 100);
        assert_eq!(Sizer::adaptive(250, Points(1), cost).get(), 1);
        assert_eq!(Sizer::adaptive(0, Points(1000), cost).get(), 1);
        assert_eq!(Sizer::adaptive(250, Points(1000), |_| None).get(), 1);
    }

    #[test]
    fn halves_after_a_failure_and_grows_after_patience() {
        let mut sizer = Sizer::adaptive(100, Points(1000), |_| Some(Points(1)));
        assert!(sizer.halve() && sizer.halve());
        assert_eq!(sizer.get(), 25);
        for _ in 0..PATIENCE {
            assert_eq!(sizer.get(), 25);
            sizer.good();
        }
        assert_eq!(sizer.get(), 50);
        for _ in 0..2 * PATIENCE {
            sizer.good();
        }
        assert_eq!(sizer.get(), 100);
    }

    #[test]
    fn ends_at_one_and_a_fixed_size_never_moves() {
        let mut sizer = Sizer::adaptive(3, Points(9), |_| Some(Points(1)));
        assert!(sizer.halve());
        assert!(!sizer.halve());
        let mut fixed = Sizer::fixed(50);
        assert!(!fixed.halve());
        fixed.good();
        assert_eq!(fixed.get(), 50);
    }
}
