//! Builds as a user has them: what fails and how it is said, what rebuilds, what ends up in the
//! binary. All in scratch packages beside the target folder, so nothing is compiled twice.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says when it is skipped"
)]

mod derives;
mod real;
mod rebuilt;
mod refused;
mod scratch;
