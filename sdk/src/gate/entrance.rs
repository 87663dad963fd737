use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tollgate_cost::Points;

use super::{Ask, Gate, Refusal, Reservation};
use crate::{
    error::Unavailable,
    ledger::{Level, Readiness},
    shared::{Lease, Line, StoreError, Turned},
};

/// Time that a call may take besides its one attempt: to get a token, to be scheduled.
const BESIDES: Duration = Duration::from_secs(30);

/// The longest lease: an attempt may take for ever, and what its worker took when it crashed may not
/// be gone for as long.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// The way into one bucket: through the store that other processes use too, if there is one and it
/// is there; else through the process's own gate.
#[derive(Clone)]
pub(crate) struct Entrance {
    gate: Arc<Gate>,
    line: Option<Arc<Line>>,
    lease: Duration,
}

impl Entrance {
    pub(crate) fn new(gate: Arc<Gate>, line: Option<Arc<Line>>, longest: Duration) -> Self {
        Self {
            gate,
            line,
            lease: longest.saturating_add(BESIDES).min(LONGEST),
        }
    }

    /// Waits until `ask` is admitted. `announce` is called once, if there is a wait, with its
    /// length as far as can be told.
    ///
    /// Dropping the future leaves the queue and gives back what was granted meanwhile.
    pub(crate) async fn admit(
        &self,
        ask: Ask,
        deadline: Option<Instant>,
        announce: impl FnOnce(Duration),
    ) -> Result<Reservation, Refusal> {
        let Some(line) = &self.line else {
            return self.gate.admit(ask, deadline, announce).await;
        };
        let mut announce = Some(announce);
        let mut once = |length| {
            if let Some(announce) = announce.take() {
                announce(length);
            }
        };
        match line.admit(ask, self.lease, deadline, &mut once).await {
            Ok(lease) => Ok(self.book(ask.cost, lease)),
            Err(Turned::Refused(refusal)) => Err(refusal),
            Err(Turned::Away) => {
                line.passed_by();
                let admitted = self.gate.admit(ask, deadline, once).await?;
                Ok(admitted.with_lease(Lease::none(Arc::clone(line))))
            }
        }
    }

    /// Admits at once or says when.
    pub(crate) async fn try_admit(&self, ask: &Ask) -> Result<Reservation, Readiness> {
        let Some(line) = &self.line else {
            return self.gate.try_admit(ask, super::now());
        };
        match line.try_admit(ask, self.lease).await {
            Some(lease) => Ok(self.book(ask.cost, lease?)),
            None => {
                let admitted = self.gate.try_admit(ask, super::now())?;
                Ok(admitted.with_lease(Lease::none(Arc::clone(line))))
            }
        }
    }

    fn book(&self, cost: Points, lease: Lease) -> Reservation {
        self.gate.book(cost, super::now()).with_lease(lease)
    }

    /// Why the store is away, if it is.
    pub(crate) fn store_away(&self) -> Option<Arc<StoreError>> {
        self.line.as_ref()?.away()
    }

    pub(crate) fn read(&self, now: Instant) -> Level {
        self.gate.read(now)
    }

    /// Calls that wait.
    pub(crate) fn waiting(&self) -> usize {
        let in_line = self.line.as_ref().map_or(0, |line| line.waiting());
        in_line + self.gate.waiting()
    }

    /// How long a call that enters now is going to wait, if nothing is refunded.
    pub(crate) fn outlook(&self, cost: Points, now: Instant) -> Option<Instant> {
        self.gate.outlook(cost, now)
    }

    /// Lets nobody go before `until`: the server asked for it.
    pub(crate) fn pause(&self, until: Instant) {
        self.gate.pause(until);
        if let Some(line) = &self.line {
            line.pause(until);
        }
    }

    /// Turns away all who wait.
    pub(crate) fn turn_away(&self, reason: Unavailable) {
        self.gate.turn_away(reason);
        if let Some(line) = &self.line {
            line.turn_away(reason);
        }
    }

    #[cfg(test)]
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.gate, &other.gate)
    }
}
