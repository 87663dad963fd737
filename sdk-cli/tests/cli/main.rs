//! The command, run as a user runs it.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

#[cfg(unix)]
mod calls;
mod completions;
mod generate;
#[cfg(unix)]
mod hostile;
mod init;
#[cfg(unix)]
mod killed;
mod report;
#[cfg(unix)]
mod run;
mod schema;
mod shop;
mod tollgate;
#[cfg(unix)]
mod work;
