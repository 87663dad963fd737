//! The runtime of the commands that wait for others.

use tokio::runtime::{Builder, Runtime};

use crate::error::Error;

/// How many files, sockets among them, a command must be able to open before it starts: those of
/// the runtime, a connection, the certificates and the output.
#[cfg(unix)]
const HANDLES: usize = 32;

/// A runtime with everything on.
pub(crate) fn start(mut builder: Builder) -> Result<Runtime, Error> {
    // Where handles lack, the runtime panics instead of telling.
    #[cfg(unix)]
    let _: Vec<_> = (0..HANDLES / 2)
        .map(|_| std::os::unix::net::UnixStream::pair())
        .collect::<Result<_, _>>()
        .map_err(Error::Handles)?;
    builder.enable_all().build().map_err(Error::Handles)
}

/// A runtime on this thread.
pub(crate) fn start_here() -> Result<Runtime, Error> {
    start(Builder::new_current_thread())
}
