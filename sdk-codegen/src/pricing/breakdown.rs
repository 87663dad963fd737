use tollgate_cost::{CostError, Fields, MilliPoints, Node, Plan};

use super::fold;
use super::tree::{Charge, Entry, Priced, terms};

/// What a price is broken down for.
#[derive(Clone, Copy)]
pub enum Basis<'v> {
    /// The most that the document declares: see [`Plan::declared_bound`].
    Bound,
    /// A call with these variables.
    Call(&'v dyn Fields),
}

impl std::fmt::Debug for Basis<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Bound => "Bound",
            Self::Call(_) => "Call",
        })
    }
}

/// One place of a document with its price on a [`Basis`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// How it is written: `orders(first: $n)`.
    pub label: String,
    /// Its place in the answer: the response keys from the root.
    pub path: Vec<String>,
    /// What it costs each time it is charged, with everything below it.
    pub each: MilliPoints,
    /// How many times it is charged: the weights of the connections around it.
    pub times: u64,
    /// How `each` comes about, where it is more than a sum: `2 + 11 × 157`.
    pub arithmetic: Option<String>,
    /// What it is.
    pub kind: RowKind,
    /// What is below it and costs something; of an interface or union, the dearest type's.
    pub below: Vec<Row>,
}

/// What a [`Row`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// A connection.
    Connection,
    /// Another field.
    Object,
    /// What the input of a mutation adds.
    Input,
}

impl Row {
    /// What it adds to the whole document.
    #[must_use]
    pub const fn total(&self) -> MilliPoints {
        self.each.times(self.times)
    }

    /// What it adds itself, without what is below it.
    #[must_use]
    pub fn own(&self) -> MilliPoints {
        let below = self.below.iter().map(Self::total);
        let below = below.fold(MilliPoints::ZERO, MilliPoints::plus);
        MilliPoints(self.total().0.saturating_sub(below.0))
    }
}

/// A [`Row`] as people read it: see [`outline`].
#[derive(Clone, Debug)]
pub struct Line<'r> {
    /// How many lines are around it.
    pub depth: usize,
    /// What it is, with the objects that lead to it: `customer.orders(first: 10)`.
    pub label: String,
    /// Its price.
    pub row: &'r Row,
}

/// The rows as lines, in the order of the document. Objects that only lead to a connection become
/// part of its label, and `nodes` and `edges`, which say nothing by themselves, are left out.
#[must_use]
pub fn outline(rows: &[Row]) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    for row in rows {
        collect(row, None, 0, "", &mut lines);
    }
    lines
}

fn collect<'r>(
    row: &'r Row,
    within: Option<&Row>,
    depth: usize,
    prefix: &str,
    lines: &mut Vec<Line<'r>>,
) {
    let label = format!("{prefix}{}", row.label);
    let (depth, prefix) = if is_silent(row, within) {
        (depth, prefix.to_owned())
    } else if leads(row) {
        (depth, format!("{label}."))
    } else {
        lines.push(Line { depth, label, row });
        (depth + 1, String::new())
    };
    for below in &row.below {
        collect(below, Some(row), depth, &prefix, lines);
    }
}

/// Whether a row says nothing by itself: the nodes of a connection, not those of the query root.
fn is_silent(row: &Row, within: Option<&Row>) -> bool {
    within.is_some_and(|within| match &*row.label {
        "nodes" | "edges" => within.kind == RowKind::Connection,
        "node" => within.label.ends_with("edges"),
        _ => false,
    })
}

/// Whether an object costs little itself, and a connection is all that is below it.
fn leads(row: &Row) -> bool {
    let [only] = &row.below[..] else {
        return false;
    };
    row.kind == RowKind::Object
        && row.own().0 <= MilliPoints::from_points(1).times(row.times).0
        && (only.kind == RowKind::Connection || leads(only))
}

impl Priced {
    /// The price broken down by place, in the order of the document.
    ///
    /// # Errors
    /// As [`Plan::price`], for a call.
    pub fn breakdown(&self, basis: Basis<'_>) -> Result<Vec<Row>, CostError> {
        let evaluation = Evaluation {
            priced: self,
            basis,
        };
        evaluation.rows(&self.entries, 1)
    }
}

struct Evaluation<'p> {
    priced: &'p Priced,
    basis: Basis<'p>,
}

impl Evaluation<'_> {
    fn rows(&self, entries: &[Entry], times: u64) -> Result<Vec<Row>, CostError> {
        let mut rows = Vec::new();
        for entry in entries {
            let row = self.row(entry, times)?;
            if row.each > MilliPoints::ZERO {
                rows.push(row);
            }
        }
        Ok(rows)
    }

    fn row(&self, entry: &Entry, times: u64) -> Result<Row, CostError> {
        let mut row = Row {
            label: entry.label.clone(),
            path: entry.path.clone(),
            each: self.price(entry.node())?,
            times,
            arithmetic: None,
            kind: match entry.charge {
                Charge::Connection { .. } => RowKind::Connection,
                Charge::Input { .. } => RowKind::Input,
                Charge::Object { .. } | Charge::Abstract { .. } => RowKind::Object,
            },
            below: Vec::new(),
        };
        if row.each == MilliPoints::ZERO {
            return Ok(row);
        }
        match &entry.charge {
            Charge::Object { own, fields } => {
                row.below = self.rows(fields, times)?;
                row.arithmetic = sum(*own, row.each);
            }
            Charge::Abstract { own, types } => {
                let mut dearest = None;
                for possible in types {
                    let price = self.price(fold::sum(terms(&possible.fields)))?;
                    if dearest.is_none_or(|(most, _)| price > most) {
                        dearest = Some((price, possible));
                    }
                }
                if let Some((_, possible)) = dearest {
                    row.below = self.rows(&possible.fields, times)?;
                    let named = types.len() > 1 && !row.below.is_empty();
                    row.arithmetic = sum(*own, row.each).map(|sum| match possible.types.first() {
                        Some(name) if named => format!("{sum} on {name}"),
                        _ => sum,
                    });
                }
            }
            Charge::Connection { sizes, fields } => {
                let one = vec![Node::Const(MilliPoints::from_points(1))];
                let unit = self.price(fold::connection(sizes.clone(), one))?;
                let base = self.price(fold::connection(Vec::new(), Vec::new()))?;
                let weight = (unit.0 - base.0) / 1000;
                row.below = self.rows(fields, times.saturating_mul(weight))?;
                let child = self.price(fold::sum(terms(fields)))?;
                row.arithmetic = Some(format!("{base} + {weight} × {}", grouped(child)));
            }
            Charge::Input { each, .. } => {
                let count = row.each.0 / each.0.max(1);
                row.arithmetic = Some(format!(
                    "{} × {each}",
                    grouped(MilliPoints::from_points(count))
                ));
            }
        }
        Ok(row)
    }

    fn price(&self, node: Node) -> Result<MilliPoints, CostError> {
        let plan = Plan {
            root: node,
            parameters: self.priced.plan.parameters.clone(),
        };
        match self.basis {
            Basis::Bound => Ok(plan.exact_declared_bound()),
            Basis::Call(variables) => plan.exact_price(variables),
        }
    }
}

/// `1 + 25`, where both are something.
fn sum(own: MilliPoints, all: MilliPoints) -> Option<String> {
    let rest = MilliPoints(all.0.saturating_sub(own.0));
    let both = own > MilliPoints::ZERO && rest > MilliPoints::ZERO;
    both.then(|| format!("{} + {}", grouped(own), grouped(rest)))
}

/// A price for people: thousands apart, as `1 729`.
#[must_use]
pub fn grouped(price: MilliPoints) -> String {
    let text = price.to_string();
    let (whole, fraction) = text
        .split_once('.')
        .map_or((&*text, ""), |(whole, _)| (whole, &text[whole.len()..]));
    let mut grouped = String::with_capacity(text.len() + whole.len() / 3);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            grouped.push(' ');
        }
        grouped.push(digit);
    }
    grouped + fraction
}
