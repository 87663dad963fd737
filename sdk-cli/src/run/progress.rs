use indicatif::{ProgressBar, ProgressStyle};
use tollgate::Points;

/// How far a run is, on standard error where that is a terminal.
pub(super) struct Bar {
    bar: ProgressBar,
    points: std::cell::Cell<u64>,
}

impl Bar {
    pub(super) fn new(what: &str) -> Self {
        let bar = ProgressBar::new_spinner();
        let template =
            format!("{{spinner}} {{human_pos}} {what}, {{per_sec}}, {{elapsed}} {{msg}}");
        // The template is ours: one that cannot be read would be seen at once.
        bar.set_style(
            ProgressStyle::with_template(&template).unwrap_or(ProgressStyle::default_spinner()),
        );
        Self {
            bar,
            points: std::cell::Cell::new(0),
        }
    }

    pub(super) fn add(&self, count: usize, points: Points) {
        self.bar.inc(u64::try_from(count).unwrap_or(u64::MAX));
        self.points.set(self.points.get() + points.get());
        if self.points.get() > 0 {
            self.bar
                .set_message(format!("{} points", self.points.get()));
        }
    }

    /// Shows what the service says meanwhile.
    pub(super) fn say(&self, message: String) {
        self.bar.set_message(message);
        self.bar.tick();
    }

    pub(super) fn done(self) {
        self.bar.finish();
    }
}
