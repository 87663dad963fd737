use std::{fmt, sync::Arc, time::Instant};

use tokio::runtime::Handle;

use super::{Ending, Line};
use crate::{
    gate,
    ledger::{Charge, ThrottleStatus},
};

/// Points that the store granted to one call; or, for a call that went while the store was away,
/// only the duty to tell the store of its answer.
pub(crate) struct Lease {
    line: Arc<Line>,
    /// Where the store is told of the end, which may come in a destructor.
    runtime: Handle,
    granted: Option<Granted>,
}

struct Granted {
    number: u64,
    ends: Instant,
}

impl Lease {
    pub(super) fn granted(line: Arc<Line>, number: u64, ends: Instant) -> Self {
        Self {
            line,
            runtime: Handle::current(),
            granted: Some(Granted { number, ends }),
        }
    }

    /// Of a call that the store did not admit.
    pub(crate) fn none(line: Arc<Line>) -> Self {
        Self {
            line,
            runtime: Handle::current(),
            granted: None,
        }
    }

    /// Whether the store has admitted the call.
    pub(crate) const fn is_granted(&self) -> bool {
        self.granted.is_some()
    }

    /// Whether the store still keeps the points for the call.
    pub(crate) fn is_running(&self) -> bool {
        self.granted
            .as_ref()
            .is_none_or(|granted| gate::now() < granted.ends)
    }

    /// Books the end of a call that was sent.
    pub(crate) fn settle(mut self, charge: Charge, status: &ThrottleStatus) {
        let status = sane(status);
        let number = self.granted.take().map(|granted| granted.number);
        let ending = Ending::Sent { charge, status };
        self.line.settle(&self.runtime, number, ending);
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(Granted { number, .. }) = self.granted.take() {
            self.line
                .settle(&self.runtime, Some(number), Ending::Released);
        }
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.granted.as_ref().map(|granted| granted.number);
        f.debug_tuple("Lease").field(&number).finish()
    }
}

/// Without the figures that make no sense; the process's own ledger reports them.
fn sane(status: &ThrottleStatus) -> ThrottleStatus {
    let positive = |value: &f64| value.is_finite() && *value > 0.0;
    ThrottleStatus {
        maximum: status.maximum.filter(positive),
        available: status.available.filter(|value| value.is_finite()),
        restore_rate: status.restore_rate.filter(positive),
    }
}
