use std::{
    fmt,
    sync::{Arc, Mutex},
};

use tollgate_cost::Points;

use super::{Gate, Lock, Queue};
use crate::{
    ledger::{Charge, Lesson, ThrottleStatus, Ticket},
    shared::Lease,
};

/// Points held for one attempt. Dropped before the request was sent it gives them back; dropped
/// afterwards it books them as spent, since the server may have run the call.
#[must_use = "dropping a reservation gives the points back"]
pub(crate) struct Reservation<L: Lock = Mutex<Queue>> {
    gate: Arc<Gate<L>>,
    ticket: Option<Ticket>,
    /// The same points in a store, where the ledger is shared.
    lease: Option<Lease>,
    sent: bool,
}

impl<L: Lock> Reservation<L> {
    pub(super) fn new(gate: Arc<Gate<L>>, ticket: Ticket) -> Self {
        Self {
            gate,
            ticket: Some(ticket),
            lease: None,
            sent: false,
        }
    }

    pub(super) fn with_lease(mut self, lease: Lease) -> Self {
        self.lease = Some(lease);
        self
    }

    /// Whether a store has admitted the call: then the gate's own ledger takes other processes for
    /// strangers.
    pub(crate) fn is_shared(&self) -> bool {
        self.lease.as_ref().is_some_and(Lease::is_granted)
    }

    /// Whether the points are still kept for the call.
    pub(crate) fn is_valid(&self) -> bool {
        self.lease.as_ref().is_none_or(Lease::is_running)
    }

    pub(crate) fn cost(&self) -> Points {
        self.ticket.as_ref().map_or(Points::ZERO, Ticket::cost)
    }

    /// From here on the server may charge the call.
    pub(crate) fn mark_sent(&mut self) {
        self.sent = true;
    }

    /// It turned out that nothing had left.
    pub(crate) fn mark_unsent(&mut self) {
        self.sent = false;
    }

    pub(crate) fn settle(mut self, charge: Charge, status: &ThrottleStatus) -> Lesson {
        if let Some(lease) = self.lease.take() {
            lease.settle(charge, status);
        }
        self.ticket.take().map_or_else(Lesson::default, |ticket| {
            self.gate.settle(ticket, charge, status)
        })
    }
}

impl<L: Lock> Drop for Reservation<L> {
    fn drop(&mut self) {
        let Some(ticket) = self.ticket.take() else {
            return;
        };
        if self.sent {
            let nothing = ThrottleStatus::default();
            if let Some(lease) = self.lease.take() {
                lease.settle(Charge::Unknown, &nothing);
            }
            self.gate.settle(ticket, Charge::Unknown, &nothing);
        } else {
            self.gate.release(ticket);
        }
    }
}

impl<L: Lock> fmt::Debug for Reservation<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reservation")
            .field("ticket", &self.ticket)
            .field("sent", &self.sent)
            .finish_non_exhaustive()
    }
}
