//! What the messages of errors say of figures and lists.

use std::{fmt, time::Duration};

use tollgate_cost::Points;

use crate::{UserError, answer::GraphQlError};

pub(super) struct Needs(pub(super) Option<Points>, pub(super) Option<f64>);

impl fmt::Display for Needs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0, self.1) {
            (Some(requested), Some(available)) => {
                write!(
                    f,
                    ": it needs {requested} points and {available} were there"
                )
            }
            _ => Ok(()),
        }
    }
}

pub(super) struct Asks(pub(super) Option<Duration>);

impl fmt::Display for Asks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(time) => write!(
                f,
                ", the server asks to wait {} s",
                time.as_secs_f64().ceil()
            ),
            None => Ok(()),
        }
    }
}

/// The most errors that a message spells out.
const SPELLED_OUT: usize = 3;

pub(super) struct Errors<'a>(pub(super) &'a [GraphQlError]);

impl fmt::Display for Errors<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        list(f, self.0)
    }
}

pub(super) struct UserErrors<'a>(pub(super) &'a [UserError]);

impl fmt::Display for UserErrors<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("refused by the shop: ")?;
        list(f, self.0)
    }
}

pub(super) struct Beside<'a>(pub(super) &'a [GraphQlError]);

impl fmt::Display for Beside<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        f.write_str(", beside these errors: ")?;
        list(f, self.0)
    }
}

fn list(f: &mut fmt::Formatter<'_>, entries: &[impl fmt::Display]) -> fmt::Result {
    for (index, entry) in entries.iter().take(SPELLED_OUT).enumerate() {
        if index > 0 {
            f.write_str("; ")?;
        }
        write!(f, "{entry}")?;
    }
    match entries.len().saturating_sub(SPELLED_OUT) {
        0 => Ok(()),
        more => write!(f, "; and {more} more"),
    }
}
