//! Deterministic variety: the same seed and place give the same data on every machine.

/// A point in the tree of generated data. Deriving from it never changes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seed(u64);

impl Seed {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(mix(seed))
    }

    /// The seed below a name.
    pub(crate) fn name(self, name: &str) -> Self {
        // FNV-1a: names are short, and its result is the same everywhere.
        let hash = name
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325 ^ self.0, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
        Self(mix(hash))
    }

    /// The seed below a number.
    pub(crate) const fn number(self, number: u64) -> Self {
        Self(mix(
            self.0 ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
        ))
    }

    pub(crate) const fn value(self) -> u64 {
        self.0
    }

    /// A number below `limit`; 0 when the limit is 0.
    pub(crate) const fn below(self, limit: u64) -> u64 {
        if limit == 0 { 0 } else { self.0 % limit }
    }

    /// Whether an event of this probability (0 to 1) happens here.
    #[expect(
        clippy::cast_precision_loss,
        reason = "the upper 53 bits fit a float exactly"
    )]
    pub(crate) fn happens(self, probability: f64) -> bool {
        ((self.0 >> 11) as f64) < probability * (1_u64 << 53) as f64
    }
}

/// The finaliser of splitmix64.
const fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::Seed;

    #[test]
    fn events_happen_as_often_as_asked() {
        let hits = (0..10_000)
            .filter(|n| Seed::new(1).number(*n).happens(0.3))
            .count();
        assert!((2_850..3_150).contains(&hits), "{hits}");
        assert!(!Seed::new(1).happens(0.0));
        assert!(Seed::new(1).happens(1.0));
    }

    #[test]
    fn names_and_numbers_give_different_seeds() {
        let seed = Seed::new(7);
        assert_ne!(seed.name("title"), seed.name("handle"));
        assert_ne!(seed.number(1), seed.number(2));
        assert_eq!(seed.name("title").number(3), seed.name("title").number(3));
    }
}
