use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::job::Settings;
use super::{BulkError, Snapshot, service};
use crate::{Client, ErrorKind};

/// An operation, query or mutation, that is followed.
pub(super) struct Run {
    pub(super) client: Client,
    pub(super) state: watch::Sender<Snapshot>,
    settings: Settings,
    begun: Instant,
    moved: Instant,
}

/// A count that does not move for so long is worth a warning.
const STALLED: Duration = Duration::from_secs(15 * 60);

impl Run {
    pub(super) fn new(client: Client, snapshot: Snapshot, settings: Settings) -> Self {
        let now = Instant::now();
        Self {
            client,
            state: watch::Sender::new(snapshot),
            settings,
            begun: now,
            moved: now,
        }
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        self.state.borrow().clone()
    }

    pub(super) async fn wait(&mut self) -> Result<Snapshot, BulkError> {
        let id = self.snapshot().id;
        let until = self.settings.until();
        let late = BulkError::Deadline {
            id: id.clone(),
            after: self.settings.deadline,
        };
        // Small jobs, and documents that fail at once, are over within a second.
        let mut pause = Pause::new(Duration::from_millis(500), Duration::from_secs(30));
        loop {
            let snapshot = self.snapshot();
            if snapshot.status.is_terminal() {
                return Ok(snapshot);
            }
            let next = Instant::now() + pause.next();
            if next > until {
                return Err(late);
            }
            tokio::time::sleep_until(next).await;
            match timeout_at(until, service::look(&self.client, &id)).await {
                Err(_) => return Err(late),
                Ok(Ok(snapshot)) => self.saw(snapshot),
                Ok(Err(error)) if passes(&error) => {
                    tracing::debug!(target: "tollgate", id, %error, "a look at a bulk operation failed");
                }
                Ok(Err(error)) => return Err(error),
            }
        }
    }

    fn saw(&mut self, mut snapshot: Snapshot) {
        let now = Instant::now();
        let before = self.snapshot();
        if snapshot.objects != before.objects || snapshot.status != before.status {
            self.moved = now;
        }
        snapshot.age = now - self.begun;
        snapshot.still = now - self.moved;
        if snapshot.still >= STALLED && before.still < STALLED {
            tracing::warn!(target: "tollgate", id = snapshot.id, "a bulk operation does not move");
        }
        self.state.send_replace(snapshot);
    }

    pub(super) async fn cancel(&mut self) -> Result<Snapshot, BulkError> {
        let id = self.snapshot().id;
        service::cancel(&self.client, &id).await?;
        let snapshot = service::look(&self.client, &id).await?;
        self.saw(snapshot);
        self.wait().await
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let snapshot = self.snapshot();
        if !self.settings.cancel_on_drop || snapshot.status.is_terminal() {
            return;
        }
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let client = self.client.clone();
            runtime.spawn(async move {
                if let Err(error) = service::cancel(&client, &snapshot.id).await {
                    tracing::warn!(target: "tollgate", id = snapshot.id, %error, "a dropped bulk operation was not canceled");
                }
            });
        }
    }
}

/// Whether a failed look at an operation says nothing about it.
fn passes(error: &BulkError) -> bool {
    let BulkError::Call(error) = error else {
        return false;
    };
    matches!(
        error.kind(),
        ErrorKind::Throttled { .. }
            | ErrorKind::OtherThrottle { .. }
            | ErrorKind::TooManyRequests { .. }
            | ErrorKind::Server { .. }
            | ErrorKind::Internal { .. }
            | ErrorKind::Transport(_)
            | ErrorKind::Body(_)
            | ErrorKind::Deadline { .. }
    )
}

/// Pauses that grow by half up to a limit.
pub(super) struct Pause {
    next: Duration,
    limit: Duration,
}

impl Pause {
    pub(super) fn new(first: Duration, limit: Duration) -> Self {
        Self { next: first, limit }
    }

    pub(super) fn next(&mut self) -> Duration {
        let pause = self.next;
        self.next = (pause + pause / 2).min(self.limit);
        pause
    }
}
