//! The command, run as a user runs it.
#![allow(missing_docs)]

mod completions;
mod generate;
mod init;
mod report;
mod schema;
mod shop;
mod tollgate;
