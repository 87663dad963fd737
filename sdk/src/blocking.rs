//! The client for programs without an async runtime.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let builder = tollgate::Client::builder("my-shop.myshopify.com", "shpat_…");
//! let shop = tollgate::blocking::Client::new(builder)?;
//! let name = shop.wait(shop.client().raw("{ shop { name } }", &serde_json::Value::Null))?;
//! # Ok(())
//! # }
//! ```

use std::{borrow::Borrow, fmt, future::IntoFuture, io, sync::Arc};

use tokio::runtime::{Builder, Runtime};

use crate::{BuildError, ClientBuilder, Error, Operation, Response};

/// A [`Client`](crate::Client) that blocks the thread until it has its answer.
///
/// Cheap to clone and shared between threads like the other; all of them wait in one gate. It has
/// one thread for what goes on between calls: connections that the server closes, points to give
/// back to a shared ledger. Do not use it from async code: it panics there rather than block the
/// runtime.
#[derive(Clone)]
pub struct Client {
    client: crate::Client,
    runtime: Arc<Runtime>,
}

/// Why a blocking client cannot be built.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum BlockingError {
    /// The client itself.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The operating system gives no thread, no timer or no sockets.
    #[error("no runtime for the blocking client")]
    Runtime(#[source] io::Error),
}

impl Client {
    /// Builds a client that blocks.
    ///
    /// # Errors
    /// [`BlockingError`].
    pub fn new(builder: ClientBuilder) -> Result<Self, BlockingError> {
        // At first: a runtime that is not of use cannot be dropped in async code.
        let client = builder.build()?;
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("tollgate-blocking")
            .enable_all()
            .build()
            .map_err(BlockingError::Runtime)?;
        Ok(Self {
            client,
            runtime: Arc::new(runtime),
        })
    }

    /// Calls an operation with the client's settings.
    ///
    /// # Errors
    /// As [`Client::run`](crate::Client::run).
    pub fn run<O: Operation>(
        &self,
        variables: impl Borrow<O::Variables>,
    ) -> Result<Response<O::Data>, Error> {
        self.wait(self.client.call::<O>(variables))
    }

    /// The async client: begin a call there, and [`wait`](Self::wait) for it here.
    #[must_use]
    pub fn client(&self) -> &crate::Client {
        &self.client
    }

    /// Blocks until a call has its outcome.
    pub fn wait<F: IntoFuture>(&self, call: F) -> F::Output {
        // The future is made within the runtime: it may arm a timer at once.
        self.runtime.block_on(async { call.into_future().await })
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("blocking::Client")
            .field(&self.client)
            .finish()
    }
}
