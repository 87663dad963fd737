//! One answer of the shop, as a line.

use std::io::Write;

use serde_json::json;
use tollgate_cost::Points;
use tollgate_shop::{Outcome, Record};

use crate::error::Error;
use crate::look::{self, styled};

pub(super) fn print(record: &Record, as_json: bool, out: &mut dyn Write) -> Result<(), Error> {
    if as_json {
        let line = json!({
            "at_ms": u64::try_from(record.at.as_millis()).unwrap_or(u64::MAX),
            "operation": record.operation,
            "variables": record.variables,
            "requested": record.requested.map(Points::get),
            "actual": record.actual.map(Points::get),
            "outcome": word(record.outcome),
            "ran": record.ran,
            "faulty": record.faulty,
        });
        return Ok(writeln!(out, "{line}")?);
    }
    let style = match record.outcome {
        Outcome::Answered => look::GOOD,
        Outcome::Partial | Outcome::Throttled => look::WARN,
        _ => look::BAD,
    };
    let name = look::shown(record.operation.as_deref().unwrap_or("(unnamed)"));
    let told = |points: Option<Points>| points.map(|points| look::whole(points.get()));
    let points = match (told(record.requested), told(record.actual)) {
        (Some(requested), Some(actual)) => format!("{requested} → {actual} points"),
        (Some(requested), None) => format!("{requested} points asked"),
        (None, _) => String::new(),
    };
    let seconds = record.at.as_secs_f64();
    let word = format!("{:<12}", word(record.outcome));
    let fault = if record.faulty { "  (a fault)" } else { "" };
    let line = format!(
        "{seconds:>9.3} s  {}  {name:<28} {points}{fault}",
        styled(style, word)
    );
    writeln!(out, "{}", line.trim_end())?;
    Ok(())
}

/// An outcome as it is printed.
pub(super) fn word(outcome: Outcome) -> String {
    match outcome {
        Outcome::Answered => "answered".into(),
        Outcome::Partial => "partial".into(),
        Outcome::Throttled => "throttled".into(),
        Outcome::TooDear => "too dear".into(),
        Outcome::Refused => "refused".into(),
        Outcome::Status(status) => format!("status {status}"),
        Outcome::Lost => "lost".into(),
        _ => "other".into(),
    }
}
