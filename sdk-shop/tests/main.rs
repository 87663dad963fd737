//! The shop as its users see it.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says when it is skipped"
)]

#[cfg(test)]
mod shop;
