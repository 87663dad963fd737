//! `tollgate check`: documents, prices and budgets, and prices against a saved baseline.

mod baseline;
mod table;

use std::io::Write;
use std::path::PathBuf;

use serde_json::{Value, json};
use tollgate_codegen::diagnostic::{Diagnostics, Severity};
use tollgate_codegen::emit;
use tollgate_codegen::generate::{self, Deprecated};
use tollgate_codegen::pricing;
use tollgate_codegen::source::Span;
use tollgate_cost::Points;

use crate::error::Error;
use crate::look::{self, BAD, GOOD};
use crate::project::{Project, ProjectArgs};
use baseline::{Baseline, MaxRise};

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    #[command(flatten)]
    project: ProjectArgs,
    /// Compares with the prices in this file
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Writes the prices to the baseline file, unless an operation fails the check
    #[arg(long, requires = "baseline")]
    save: bool,
    /// How much dearer than in the baseline an operation may be
    #[arg(
        long,
        value_name = "SHARE",
        default_value = "10%",
        requires = "baseline"
    )]
    max_rise: MaxRise,
    /// A table for a pull request
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// An operation as it was checked.
pub(crate) struct Checked {
    name: String,
    bound: Points,
    budget: Option<Points>,
    /// Its price in the baseline.
    before: Option<Points>,
    verdict: Verdict,
}

#[derive(Clone, Copy, PartialEq)]
enum Verdict {
    Fine,
    /// Its own price is wrong: the diagnostics say how.
    Wrong,
    /// Dearer than the baseline allows.
    Risen,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Error> {
    let project = args.project.load().inspect_err(|error| {
        if let (Error::Documents(problems), true) = (error, args.json) {
            // Whether it can be written or not, the error is what is told.
            let _ = writeln!(out, "{:#}", as_json(&[], problems));
        }
    })?;
    let before = match &args.baseline {
        Some(path) if path.exists() || !args.save => Some(Baseline::read(path)?),
        _ => None,
    };
    let (checked, problems) = check(&project, before.as_ref(), args.max_rise);
    if args.json {
        writeln!(out, "{:#}", as_json(&checked, &problems))?;
    } else {
        if !problems.list.is_empty() {
            writeln!(out, "{}\n", look::problems(&problems))?;
        }
        if args.markdown {
            table::write(&checked, before.is_some(), out)?;
        } else {
            summary(&checked, out)?;
        }
    }
    let wrong = checked
        .iter()
        .filter(|checked| checked.verdict != Verdict::Fine)
        .count();
    let failed = wrong > 0 || problems.has_errors();
    if let Some(path) = args.baseline.as_ref().filter(|_| args.save && !failed) {
        Baseline::of(&checked).write(path)?;
    }
    match wrong {
        0 if problems.has_errors() => Err(Error::Wrong("the documents fail the check".into())),
        0 => Ok(()),
        1 => Err(Error::Wrong("1 operation fails the check".into())),
        wrong => Err(Error::Wrong(format!("{wrong} operations fail the check"))),
    }
}

fn check(
    project: &Project,
    before: Option<&Baseline>,
    max_rise: MaxRise,
) -> (Vec<Checked>, Diagnostics) {
    let mut all = Vec::new();
    let (mut plans, mut told) = (Vec::new(), Vec::new());
    for operation in &project.document.operations {
        let priced = project.priced(operation);
        let own = pricing::check(&project.document, operation, &priced);
        let bound = Project::bound(operation, &priced);
        let before = before.and_then(|before| before.bound(&operation.name));
        let verdict = if own
            .iter()
            .any(|problem| problem.severity == Severity::Error)
        {
            Verdict::Wrong
        } else if before.is_some_and(|before| !max_rise.allows(before, bound)) {
            Verdict::Risen
        } else {
            Verdict::Fine
        };
        all.push(Checked {
            name: operation.name.clone(),
            bound,
            budget: operation.budget(),
            before,
            verdict,
        });
        told.extend(own);
        plans.push(priced.plan);
    }
    // What the macros say, word for word.
    let (_, problems) = generate::emitted(
        &project.schema,
        &project.document,
        &plans,
        told,
        &emit::Settings::default(),
        Deprecated::Warn,
    );
    (all, problems)
}

fn summary(checked: &[Checked], out: &mut dyn Write) -> Result<(), Error> {
    for risen in checked
        .iter()
        .filter(|checked| checked.verdict == Verdict::Risen)
    {
        let before = look::whole(risen.before.unwrap_or_default().get());
        let bound = look::whole(risen.bound.get());
        writeln!(
            out,
            "{BAD}{}{BAD:#} rose from {before} to {bound} points",
            risen.name
        )?;
    }
    let fine = checked
        .iter()
        .filter(|checked| checked.verdict == Verdict::Fine)
        .count();
    let style = if fine == checked.len() { GOOD } else { BAD };
    let all = look::count(checked.len(), "operation");
    writeln!(out, "{style}{fine}{style:#} of {all} fine")?;
    Ok(())
}

fn as_json(checked: &[Checked], problems: &Diagnostics) -> Value {
    let operations = checked.iter().map(|checked| {
        json!({
            "name": checked.name,
            "bound": checked.bound.0,
            "budget": checked.budget.map(Points::get),
            "before": checked.before.map(Points::get),
            "verdict": match checked.verdict {
                Verdict::Fine => "fine",
                Verdict::Wrong => "wrong",
                Verdict::Risen => "risen",
            },
        })
    });
    let place = |span: &Span| span.place(&problems.sources);
    let problems = problems.list.iter().map(|problem| {
        json!({
            "severity": match problem.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            "message": problem.message,
            "place": problem.span.as_ref().and_then(place),
            "help": problem.help,
        })
    });
    json!({
        "operations": operations.collect::<Vec<_>>(),
        "problems": problems.collect::<Vec<_>>(),
    })
}
