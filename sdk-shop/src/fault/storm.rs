use super::Fault;
use crate::seed::Seed;

/// Faults at random, from a seed: the n-th request of a shop meets the same fault in every run.
#[derive(Clone, Debug, PartialEq)]
pub struct Storm {
    seed: Seed,
    faults: Vec<(f64, Vec<Fault>)>,
}

impl Storm {
    /// No faults yet.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            seed: Seed::new(seed),
            faults: Vec::new(),
        }
    }

    /// So large a share of the requests (0 to 1) meets one of these faults, each as likely as the
    /// others. Several groups are drawn one after the other; the first that strikes counts.
    #[must_use]
    pub fn with(mut self, probability: f64, faults: Vec<Fault>) -> Self {
        self.faults.push((probability, faults));
        self
    }

    /// So large a share of the requests (0 to 1) meets a fault of [`Fault::every_kind`].
    #[must_use]
    pub fn of_every_kind(seed: u64, probability: f64) -> Self {
        Self::new(seed).with(probability, Fault::every_kind())
    }

    /// What the n-th request meets.
    pub(crate) fn strike(&self, request: u64) -> Option<&Fault> {
        let seed = self.seed.number(request);
        self.faults
            .iter()
            .zip(0..)
            .find_map(|((p, faults), group)| {
                let seed = seed.number(group);
                let count = u64::try_from(faults.len()).ok()?;
                let choice = usize::try_from(seed.number(1).below(count)).ok()?;
                seed.happens(*p).then(|| faults.get(choice))?
            })
    }
}
