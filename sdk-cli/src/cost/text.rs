use std::io::Write;

use tollgate_codegen::pricing::{grouped, outline};
use tollgate_cost::{MilliPoints, Node, Points};

use super::Costing;
use crate::error::Error;
use crate::look::{self, BAD, BAR, FAINT, GOOD, STRONG, bar};
use crate::project::Project;

/// Each operation with its price, and below it a tree of what costs something.
pub(super) fn write(costings: &[Costing<'_>], out: &mut dyn Write) -> Result<(), Error> {
    for (index, costing) in costings.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        head(costing, out)?;
        tree(costing, out)?;
    }
    Ok(())
}

fn head(costing: &Costing<'_>, out: &mut dyn Write) -> Result<(), Error> {
    let name = match &*costing.operation.name {
        "" => "(unnamed)",
        name => name,
    };
    let Costing {
        operation,
        points,
        place,
        ..
    } = costing;
    let limit = Project::limit(operation).unwrap_or(Points(u64::MAX));
    let over = points.0.saturating_sub(limit.0);
    let style = if over > 0 { BAD } else { GOOD };
    let price = look::whole(points.0);
    if operation.is_bulk() {
        writeln!(
            out,
            "{STRONG}{name}{STRONG:#}  {style}{price}{style:#} points to start it in bulk, however \
             much it reads  {FAINT}{place}{FAINT:#}"
        )?;
        return Ok(());
    }
    let constant = matches!(costing.priced.plan.root, Node::Const(_));
    let up_to = if costing.exact || constant {
        ""
    } else {
        "up to "
    };
    let plural = if *points == Points(1) { "" } else { "s" };
    let of = match operation.budget() {
        Some(budget) if budget == limit => format!("its budget is {}", look::whole(budget.0)),
        _ => format!("of {}", look::whole(limit.0)),
    };
    write!(
        out,
        "{STRONG}{name}{STRONG:#}  {up_to}{style}{price}{style:#} point{plural}, {of}"
    )?;
    if over > 0 {
        write!(out, ": {BAD}{} too many{BAD:#}", look::whole(over))?;
    }
    writeln!(out, "  {FAINT}{place}{FAINT:#}")?;
    Ok(())
}

fn tree(costing: &Costing<'_>, out: &mut dyn Write) -> Result<(), Error> {
    let lines = outline(&costing.rows);
    let longest = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or(0);
    let text = |depth: usize, label: &str| format!("{}{label}", "  ".repeat(depth));
    let sum = |arithmetic: Option<&String>| {
        arithmetic
            .map(|arithmetic| format!("= {arithmetic}"))
            .unwrap_or_default()
    };
    let letters = |text: String| text.chars().count();
    let labels = longest(
        &mut lines
            .iter()
            .map(|line| letters(text(line.depth, &line.label))),
    );
    let prices = longest(&mut lines.iter().map(|line| letters(grouped(line.row.each))));
    let sums = longest(
        &mut lines
            .iter()
            .map(|line| letters(sum(line.row.arithmetic.as_ref()))),
    );
    let all = MilliPoints::from_points(costing.points.0).0;
    for line in &lines {
        let bar = bar(line.row.total().0, all);
        let label = text(line.depth, &line.label);
        let price = grouped(line.row.each);
        let sum = sum(line.row.arithmetic.as_ref());
        writeln!(
            out,
            "  {label:labels$}  {price:>prices$}  {FAINT}{sum:sums$}{FAINT:#}  {BAR}{bar}{BAR:#}"
        )?;
    }
    Ok(())
}
