use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::job::Settings;
use super::run::Pause;
use super::{BulkError, Snapshot, service};
use crate::Client;

/// What to do when the service runs as many operations as it allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhenBusy {
    /// Wait for a slot, within the deadline. The one that holds it is never canceled.
    #[default]
    Wait,
    /// Follow the operation that runs, when it runs the same document; else fail.
    Attach,
    /// Fail with [`BulkError::Busy`].
    Fail,
}

/// Starts whose answers may be lost.
const STARTS: u32 = 3;

/// Starts, and waits for a slot if there is none.
pub(super) async fn slot<F>(
    settings: Settings,
    client: &Client,
    start: impl Fn() -> F,
    query: Option<&str>,
) -> Result<Snapshot, BulkError>
where
    F: Future<Output = Result<Snapshot, BulkError>>,
{
    let until = settings.until();
    let mut pause = Pause::new(Duration::from_secs(2), Duration::from_secs(60));
    let mut lost = 0;
    loop {
        let error = match start().await {
            Ok(snapshot) => return Ok(snapshot),
            Err(error) => error,
        };
        let waits = match &error {
            BulkError::Busy { id, .. } => {
                // What runs may be what was asked for, or what a lost call started.
                if (settings.busy == WhenBusy::Attach || lost > 0)
                    && let (Some(running), Some(query)) = (id, query)
                    && service::query_of(client, running).await?.as_deref() == Some(query)
                {
                    return service::look(client, running).await;
                }
                settings.busy == WhenBusy::Wait
            }
            // A query may be started again when the answer was lost: twice is as good as once.
            BulkError::Call(error) if query.is_some() && error.outcome_is_unknown() => {
                lost += 1;
                lost < STARTS
            }
            _ => false,
        };
        let length = pause.next();
        if !waits || Instant::now() + length > until {
            return Err(error);
        }
        tracing::debug!(target: "tollgate", shop = client.shop(), %error, "a bulk operation is not started yet");
        sleep(length).await;
    }
}
