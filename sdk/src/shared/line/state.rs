//! Who waits in a line, without tasks and stores.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use tokio::sync::mpsc;

use super::{Bid, Lease, Turned};
use crate::{
    gate::{self, Ask},
    ledger::float,
};

#[derive(Default)]
pub(super) struct State {
    pub(super) waiting: BTreeMap<Place, Waiter>,
    pub(super) last_number: u64,
    /// Whether a task asks the store for those who wait.
    pub(super) served: bool,
    /// When the first of the line can go, as the store told.
    pub(super) outlook: Option<Outlook>,
    pub(super) paused_until: Option<Instant>,
    /// Calls have gone past the store since it was last told of an answer.
    pub(super) passed_by: bool,
}

#[derive(Clone, Copy)]
pub(super) struct Outlook {
    pub(super) ready: Instant,
    pub(super) restore_rate: f64,
}

/// Position in the line: smaller goes first.
pub(super) type Place = (Instant, u64);

pub(super) struct Waiter {
    pub(super) ask: Ask,
    pub(super) lease: Duration,
    pub(super) deadline: Option<Instant>,
    pub(super) told: bool,
    pub(super) verdicts: mpsc::UnboundedSender<Verdict>,
}

pub(super) enum Verdict {
    /// It has to wait about that long.
    Wait(Duration),
    Granted(Lease),
    Turned(Turned),
}

impl State {
    pub(super) fn bid(&self, ask: &Ask, now: Instant) -> Bid {
        let not_before = ask.not_before.max(self.paused_until);
        Bid {
            cost: ask.cost,
            spare: ask.spare,
            waited: now.saturating_duration_since(ask.since),
            gives_way: ask.priority.gives_way_for(),
            not_before: not_before.map_or(Duration::ZERO, |at| at.saturating_duration_since(now)),
            in_flight: ask.in_flight,
        }
    }

    pub(super) fn points_before(&self, place: Place) -> f64 {
        let before = self.waiting.range(..place);
        before.map(|(_, waiter)| float(waiter.ask.cost)).sum()
    }
}

impl Waiter {
    /// Says how long the wait is with `points` before it in the line.
    pub(super) fn tell(&mut self, outlook: Outlook, points: f64) {
        if std::mem::replace(&mut self.told, true) {
            return;
        }
        let behind = Duration::try_from_secs_f64(points / outlook.restore_rate);
        let length = outlook.ready.saturating_duration_since(gate::now());
        let length = length.saturating_add(behind.unwrap_or(Duration::MAX));
        let _ = self.verdicts.send(Verdict::Wait(length));
    }
}
