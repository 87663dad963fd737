use std::cell::Cell;

use indicatif::{ProgressBar, ProgressStyle};
use tollgate::{Forecast, Points};

use crate::look;

/// How far a run is, on standard error where that is a terminal.
pub(super) struct Bar {
    bar: ProgressBar,
    what: &'static str,
    points: Cell<u64>,
}

impl Bar {
    pub(super) fn new(what: &'static str, total: Option<u64>) -> Self {
        let bar = Self {
            bar: ProgressBar::new_spinner(),
            what,
            points: Cell::new(0),
        };
        bar.expect(total);
        bar
    }

    /// Takes in how many there are going to be, and shows the time left from then on.
    pub(super) fn expect(&self, total: Option<u64>) {
        let what = self.what;
        let template = match total {
            Some(_) => format!(
                "{{spinner}} {{human_pos}} of {{human_len}} {what}, {{per_sec}}, {{eta}} left {{msg}}"
            ),
            None => format!("{{spinner}} {{human_pos}} {what}, {{per_sec}}, {{elapsed}} {{msg}}"),
        };
        if let Some(total) = total {
            self.bar.set_length(total);
        }
        // The template is ours: one that cannot be read would be seen at once.
        self.bar.set_style(
            ProgressStyle::with_template(&template).unwrap_or(ProgressStyle::default_spinner()),
        );
    }

    /// Says what is ahead, on a terminal or not.
    pub(super) fn forecast(&self, forecast: &Forecast) {
        let bulk = match forecast.is_for_bulk() {
            true => "; `--bulk` costs less",
            false => "",
        };
        look::tell(format_args!(
            "{} calls, {:.0} points, at least {} s{bulk}",
            forecast.calls,
            forecast.points,
            forecast.time.as_secs(),
        ));
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
