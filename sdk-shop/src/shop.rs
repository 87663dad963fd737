mod builder;
mod call;
mod control;
mod file;
mod history;
mod limit;
mod route;
mod state;

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

pub use self::builder::{BuildError, Builder, SCHEMA, StartError};
pub(crate) use self::file::FilePart;
use self::state::State;
use crate::bulk::Jobs;
use crate::execution::Effects;
use crate::fault::Wire;
use crate::prepared::Documents;
use crate::server::Server;
use crate::sync::lock;
use crate::world::World;

/// An emulated shop: answers any operation against its schema, and keeps a real bucket.
///
/// A handle: clones are the same shop. It answers in process through [`handle`](Self::handle) or
/// as the transport of a client, and over HTTP when it was [started](Builder::start). Time is
/// tokio's, so that it can be paused.
#[derive(Clone)]
pub struct Shop(Arc<Inner>);

struct Inner {
    world: World,
    documents: Documents,
    token: Option<String>,
    api_version: Option<String>,
    opened: Instant,
    state: Mutex<State>,
    effects: Mutex<Effects>,
    jobs: Mutex<Jobs>,
    /// How many bulk operations of a kind run at a time; by the API version where it is not set.
    bulk_slots: Option<usize>,
}

impl fmt::Debug for Shop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shop")
            .field("level", &self.level())
            .finish_non_exhaustive()
    }
}

/// The connection failed, by a fault that a test asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Disconnected {
    /// It closed before the answer, or in the middle of it.
    #[error("the shop closed the connection before the answer was complete")]
    Closed,
    /// It was reset before the answer.
    #[error("the shop reset the connection")]
    Reset,
    /// The body does not end.
    #[error("the body of the answer does not end")]
    Endless,
}

impl Shop {
    /// A shop to configure.
    #[must_use]
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// A shop with the embedded schema and the default catalogue, over HTTP on a free port of the
    /// loopback address.
    ///
    /// # Errors
    /// [`StartError`] when no port is free.
    pub async fn start() -> Result<Server, StartError> {
        Self::builder().start().await
    }

    /// Answers a request in process.
    ///
    /// # Errors
    /// [`Disconnected`] when a fault strikes the connection. A fault that never answers is a
    /// future that never ends.
    pub async fn handle(
        &self,
        request: http::Request<Bytes>,
    ) -> Result<http::Response<Bytes>, Disconnected> {
        let reply = self.reply(&request).await;
        let mut response = reply.response;
        if let Some(mut file) = reply.file {
            *response.body_mut() = file.read(usize::MAX);
        }
        match reply.wire {
            None => Ok(response),
            Some(Wire::Closed | Wire::CutOff(_)) => Err(Disconnected::Closed),
            Some(Wire::Reset) => Err(Disconnected::Reset),
            Some(Wire::Endless) => Err(Disconnected::Endless),
            Some(Wire::Silent | Wire::Stalled) => std::future::pending().await,
            Some(Wire::Drip(pause)) => {
                tokio::time::sleep(pause.saturating_mul(Wire::PIECES)).await;
                Ok(response)
            }
        }
    }

    /// Time since the shop opened.
    fn now(&self) -> Duration {
        self.0.opened.elapsed()
    }

    fn state<T>(&self, read: impl FnOnce(&mut State, Duration) -> T) -> T {
        let now = self.now();
        read(&mut lock(&self.0.state), now)
    }
}
