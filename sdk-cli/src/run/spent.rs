use tollgate::Cost;

use crate::look::{self, FAINT, STRONG, whole};

/// What the calls of a run cost, in points, as the server said.
#[derive(Default)]
pub(super) struct Spent {
    calls: usize,
    priced: u64,
    requested: u64,
    actual: u64,
    /// What the bucket holds now, and when it is full.
    bucket: [f64; 2],
}

impl Spent {
    pub(super) fn add(&mut self, cost: &Cost) {
        self.calls += 1;
        self.priced += cost.estimated.get();
        self.requested += cost.requested.get();
        self.actual += cost.actual.get();
        self.bucket = [cost.available, cost.maximum];
    }

    pub(super) fn calls(&self) -> usize {
        self.calls
    }

    /// Says it beside the output, which is data.
    pub(super) fn tell(&self, of: &str) {
        // A server that is not metered says nothing of cost.
        if self.requested > 0 {
            look::tell(format_args!("{FAINT}{of}{FAINT:#}{}", self.sentence()));
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive, and a cast from a float saturates"
    )]
    fn sentence(&self) -> String {
        let [actual, requested] = [self.actual, self.requested].map(whole);
        let priced = match self.priced == self.requested {
            true => String::new(),
            false => format!(" where {} were expected", whole(self.priced)),
        };
        let [left, full] = self.bucket.map(|points| whole(points as u64));
        format!(
            "{STRONG}{actual}{STRONG:#} points{FAINT} of {requested} requested{priced}; \
             {left} of {full} left{FAINT:#}"
        )
    }
}
