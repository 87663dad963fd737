use std::io::Write;

use tollgate_codegen::pricing::{grouped, outline};
use tollgate_cost::{MAX_QUERY, MilliPoints, Node, Points};

use super::Costing;
use crate::error::Error;
use crate::look::{BAD, BAR, FAINT, GOOD, STRONG, bar};

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
    let constant = matches!(costing.priced.plan.root, Node::Const(_));
    let up_to = if costing.exact || constant {
        ""
    } else {
        "up to "
    };
    let limit = costing.operation.budget().unwrap_or(MAX_QUERY);
    let style = if costing.points > limit && !costing.operation.is_bulk() {
        BAD
    } else {
        GOOD
    };
    let points = whole(costing.points);
    let of = match costing.operation.budget() {
        Some(budget) => format!("its budget is {}", whole(budget)),
        None if costing.operation.is_bulk() => "in bulk".to_owned(),
        None => format!("of {}", whole(MAX_QUERY)),
    };
    let plural = if costing.points == Points(1) { "" } else { "s" };
    let place = &costing.place;
    writeln!(
        out,
        "{STRONG}{name}{STRONG:#}  {up_to}{style}{points}{style:#} point{plural}, {of}  {FAINT}{place}{FAINT:#}"
    )?;
    Ok(())
}

fn whole(points: Points) -> String {
    grouped(MilliPoints::from_points(points.0))
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
