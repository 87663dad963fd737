use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};
use tollgate_cost::Points;

use super::drift::{Drift, Place};
use crate::error::Error;
use crate::look::{self, BAD, FAINT, GOOD, STRONG};

/// An operation beside what a shop asks for it.
pub(super) struct Compared {
    pub(super) operation: String,
    pub(super) outcome: Outcome,
}

pub(super) enum Outcome {
    /// Why not.
    NotSent(String),
    Answered {
        ours: Points,
        theirs: Points,
        drifts: Vec<Drift>,
    },
}

impl Compared {
    pub(super) fn drifts(&self) -> &[Drift] {
        match &self.outcome {
            Outcome::NotSent(_) => &[],
            Outcome::Answered { drifts, .. } => drifts,
        }
    }

    /// Whether the price differs, and the breakdown of the shop does not say where.
    pub(super) fn is_unexplained(&self) -> bool {
        let unclear = |drift: &Drift| drift.place == Place::Unclear;
        match &self.outcome {
            Outcome::NotSent(_) => false,
            Outcome::Answered {
                ours,
                theirs,
                drifts,
            } => (ours != theirs || !drifts.is_empty()) && drifts.iter().all(unclear),
        }
    }

    pub(super) fn print(&self, out: &mut dyn Write) -> Result<(), Error> {
        let name = &self.operation;
        let told = |points: &Points| look::whole(points.get());
        match &self.outcome {
            Outcome::NotSent(why) => {
                writeln!(out, "{FAINT}{name}  not sent: {why}{FAINT:#}")?;
            }
            Outcome::Answered {
                ours,
                theirs,
                drifts,
            } if ours == theirs && drifts.is_empty() => writeln!(
                out,
                "{STRONG}{name}{STRONG:#}  {GOOD}{}{GOOD:#} points, as priced",
                told(theirs)
            )?,
            Outcome::Answered {
                ours,
                theirs,
                drifts,
            } => {
                writeln!(
                    out,
                    "{STRONG}{name}{STRONG:#}  {BAD}{}{BAD:#} points, priced at {}",
                    told(theirs),
                    told(ours)
                )?;
                for drift in drifts {
                    writeln!(out, "  {drift}")?;
                }
                if self.is_unexplained() {
                    writeln!(out, "  the breakdown of the shop does not say where")?;
                }
            }
        }
        Ok(())
    }
}

/// All that was compared, and the file that was written.
pub(super) fn json(compared: &[Compared], written: Option<&Path>) -> Value {
    let operation = |one: &Compared| match &one.outcome {
        Outcome::NotSent(why) => json!({ "name": one.operation, "not_sent": why }),
        Outcome::Answered {
            ours,
            theirs,
            drifts,
        } => json!({
            "name": one.operation,
            "price": ours.get(),
            "requested": theirs.get(),
            "drifts": drifts.iter().map(Drift::json).collect::<Vec<_>>(),
            "unexplained": one.is_unexplained(),
        }),
    };
    json!({
        "operations": compared.iter().map(operation).collect::<Vec<_>>(),
        "written": written,
    })
}
