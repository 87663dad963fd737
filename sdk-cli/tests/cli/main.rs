//! The command, run as a user runs it.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

mod completions;
mod generate;
mod init;
mod report;
#[cfg(unix)]
mod run;
mod schema;
mod shop;
mod tollgate;
