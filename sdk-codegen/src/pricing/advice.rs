//! What to change so that an operation fits, with numbers that were evaluated, not guessed.

use std::collections::BTreeSet;

use tollgate_cost::{MAX_PAGE, MilliPoints, Node, Parameter, Plan, Points, Size};

use super::breakdown::grouped;
use super::fold;
use super::tree::{Charge, Entry, Priced, terms};
use crate::bulk::{MAX_CONNECTIONS, MAX_NESTING};
use crate::document::{Operation, OperationKind, Selection};

pub(super) fn advice(operation: &Operation, priced: &Priced, limit: Points) -> Vec<String> {
    let mut help = variables(operation, priced, limit);
    if help.is_empty() {
        help.extend(literal(operation, priced, limit));
    }
    help.extend(lists(priced, limit));
    help.extend(cut(priced, limit));
    if bulk_fits(operation, priced) {
        let or = if help.is_empty() { "" } else { "or " };
        help.push(format!("{or}fetch it as a bulk operation: add `@bulk`"));
    }
    help
}

/// The largest page size that fits, for each size variable alone, or for all together.
fn variables(operation: &Operation, priced: &Priced, limit: Points) -> Vec<String> {
    let mut used = BTreeSet::new();
    visit(&priced.entries, &mut |entry| {
        if let Charge::Connection { sizes, .. } = &entry.charge {
            used.extend(sizes.iter().filter_map(|size| match size {
                Size::Parameter(index) => Some(*index),
                Size::Fixed(_) => None,
            }));
        }
    });
    let used: Vec<_> = used.into_iter().collect();
    let alone: Vec<_> = used
        .iter()
        .filter_map(|index| fitting(priced, std::slice::from_ref(index), limit))
        .collect();
    let fits = if alone.is_empty() && used.len() > 1 {
        fitting(priced, &used, limit).into_iter().collect()
    } else {
        alone
    };
    fits.into_iter()
        .map(|fit| fit.sentence(operation, &priced.plan))
        .collect()
}

/// A page size with which the operation fits.
struct Fit<'i> {
    parameters: &'i [usize],
    size: u64,
    price: Points,
}

fn fitting<'i>(priced: &Priced, parameters: &'i [usize], limit: Points) -> Option<Fit<'i>> {
    let assumed = |index: &usize| {
        priced
            .plan
            .parameters
            .get(*index)
            .map(|known| known.assumed)
    };
    let largest = parameters.iter().filter_map(assumed).max()?;
    let size = largest_fitting(largest, |size| {
        with_sizes(&priced.plan, parameters, size) <= limit
    })?;
    Some(Fit {
        parameters,
        size,
        price: with_sizes(&priced.plan, parameters, size),
    })
}

/// The largest size from 1 to `largest` that fits; prices never fall when sizes grow.
fn largest_fitting(largest: u64, fits: impl Fn(u64) -> bool) -> Option<u64> {
    let (mut fitting, mut beyond) = (0, largest.saturating_add(1));
    while beyond - fitting > 1 {
        let middle = fitting + (beyond - fitting) / 2;
        if fits(middle) {
            fitting = middle;
        } else {
            beyond = middle;
        }
    }
    (fitting > 0).then_some(fitting)
}

fn with_sizes(plan: &Plan, parameters: &[usize], size: u64) -> Points {
    let mut plan = plan.clone();
    for index in parameters {
        if let Some(parameter) = plan.parameters.to_mut().get_mut(*index) {
            parameter.assumed = parameter.assumed.min(size);
        }
    }
    plan.declared_bound()
}

impl Fit<'_> {
    fn sentence(&self, operation: &Operation, plan: &Plan) -> String {
        let known: Vec<_> = self
            .parameters
            .iter()
            .filter_map(|index| plan.parameters.get(*index))
            .collect();
        let price = grouped(MilliPoints::from_points(self.price.0));
        let max = self.size;
        let [parameter] = known[..] else {
            let names: Vec<_> = known
                .iter()
                .map(|known| format!("`${}`", known.name))
                .collect();
            return format!(
                "with `@max(value: {max})` on each of {} {} costs {price}",
                names.join(", "),
                called(operation)
            );
        };
        let why = origin(operation, parameter);
        let name = &parameter.name;
        let it = called(operation);
        format!("`${name}` {why}; with `@max(value: {max})` {it} costs {price}")
    }
}

fn called(operation: &Operation) -> &'static str {
    match operation.kind {
        OperationKind::Query => "the query",
        OperationKind::Mutation => "the mutation",
    }
}

/// Why a size was taken as what it was.
fn origin(operation: &Operation, parameter: &Parameter) -> String {
    let assumed = parameter.assumed;
    let variable = operation.variable(&parameter.name);
    let default = variable.is_some_and(|variable| variable.default.is_some());
    match parameter.max {
        Some(_) => format!("may be up to {assumed}"),
        None if default => format!("was taken as its default, {assumed}"),
        None if assumed == MAX_PAGE => format!("is unbounded and was taken as {assumed}"),
        None => format!("was taken as {assumed}, the project's page size"),
    }
}

/// The largest page size that fits, for the connection with a size in the document that can keep
/// the largest page.
fn literal(operation: &Operation, priced: &Priced, limit: Points) -> Option<String> {
    let mut best: Option<(u64, String)> = None;
    for path in connections(&priced.entries) {
        let Some((label, current)) = fixed_size(&priced.entries, &path) else {
            continue;
        };
        let price = |size| edited(priced, &path, &Edit::Resize(size));
        let Some(size) = largest_fitting(current, |size| price(size) <= limit) else {
            continue;
        };
        if best.as_ref().is_none_or(|(largest, _)| size > *largest) {
            let smaller = label.replace(&format!(": {current}"), &format!(": {size}"));
            let price = grouped(MilliPoints::from_points(price(size).0));
            let it = called(operation);
            best = Some((size, format!("with `{smaller}` {it} costs {price}")));
        }
    }
    best.map(|(_, help)| help)
}

/// The longest input lists that fit, for each list with a declared length.
fn lists(priced: &Priced, limit: Points) -> Vec<String> {
    let mut help = Vec::new();
    for (index, parameter) in priced.plan.parameters.iter().enumerate() {
        let mut declared = None;
        visit(&priced.entries, &mut |entry| {
            if let Charge::Input { terms, .. } = &entry.charge {
                declared = declared.or_else(|| terms.iter().find_map(|term| length(term, index)));
            }
        });
        let Some(declared) = declared else { continue };
        let price = |length| edited(priced, &[], &Edit::Shorten(index, length));
        if let Some(length) = largest_fitting(declared, |length| price(length) <= limit) {
            let price = grouped(MilliPoints::from_points(price(length).0));
            help.push(format!(
                "`${}` may hold {declared} items; with `@max(value: {length})` it costs {price}",
                parameter.name
            ));
        }
    }
    help
}

/// The declared length of the list that a term counts, when it is that of the parameter.
fn length(term: &Node, of: usize) -> Option<u64> {
    match term {
        Node::PerItem {
            parameter,
            at_most,
            declared: true,
            ..
        } if *parameter == of => Some(*at_most),
        _ => None,
    }
}

/// The nested connection without which the operation fits, if one is enough.
fn cut(priced: &Priced, limit: Points) -> Option<String> {
    let nested = connections(&priced.entries)
        .into_iter()
        .filter(|path| path.len() > 1);
    let without = nested.map(|path| (edited(priced, &path, &Edit::Remove), path));
    let (price, path) = without
        .filter(|(price, _)| *price <= limit)
        // The least that has to go.
        .max_by_key(|(price, path)| (*price, path.len()))?;
    let price = grouped(MilliPoints::from_points(price.0));
    Some(format!("without `{}` it costs {price}", readable(&path)))
}

/// A path as people say it, without `nodes` and `edges`.
fn readable(path: &[String]) -> String {
    let edge = |at: usize| {
        at.checked_sub(1)
            .is_some_and(|before| path[before] == "edges")
    };
    let steps = path
        .iter()
        .enumerate()
        .filter(|(at, step)| match step.as_str() {
            "nodes" | "edges" => false,
            "node" => !edge(*at),
            _ => true,
        });
    let steps = steps.map(|(_, step)| step.as_str());
    steps.collect::<Vec<_>>().join(".")
}

fn connections(entries: &[Entry]) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    visit(entries, &mut |entry| {
        if matches!(entry.charge, Charge::Connection { .. }) && !paths.contains(&entry.path) {
            paths.push(entry.path.clone());
        }
    });
    paths
}

fn fixed_size(entries: &[Entry], path: &[String]) -> Option<(String, u64)> {
    let mut found = None;
    visit(entries, &mut |entry| {
        if entry.path == path
            && let Charge::Connection { sizes, .. } = &entry.charge
            && let [Size::Fixed(size), ..] = sizes[..]
        {
            found = Some((entry.label.clone(), size));
        }
    });
    found
}

fn visit(entries: &[Entry], see: &mut dyn FnMut(&Entry)) {
    for entry in entries {
        see(entry);
        match &entry.charge {
            Charge::Object { fields, .. } | Charge::Connection { fields, .. } => visit(fields, see),
            Charge::Abstract { types, .. } => {
                for possible in types {
                    visit(&possible.fields, see);
                }
            }
            Charge::Input { .. } => {}
        }
    }
}

/// A change to the document.
enum Edit {
    /// Another page size for the connection.
    Resize(u64),
    /// The connection left out.
    Remove,
    /// Shorter lists in a parameter.
    Shorten(usize, u64),
}

/// What the operation costs at most after the change.
fn edited(priced: &Priced, path: &[String], edit: &Edit) -> Points {
    let mut entries = priced.entries.clone();
    apply(&mut entries, path, edit);
    let plan = Plan {
        root: fold::sum(terms(&entries)),
        parameters: priced.plan.parameters.clone(),
    };
    plan.declared_bound()
}

fn apply(entries: &mut Vec<Entry>, path: &[String], edit: &Edit) {
    if matches!(edit, Edit::Remove) {
        entries.retain(|entry| entry.path != path);
    }
    for entry in entries {
        let changed = entry.path == path;
        match &mut entry.charge {
            Charge::Connection { sizes, .. } if changed => {
                if let Edit::Resize(size) = edit {
                    *sizes = vec![Size::Fixed(*size)];
                }
            }
            Charge::Object { fields, .. } | Charge::Connection { fields, .. } => {
                apply(fields, path, edit);
            }
            Charge::Abstract { types, .. } => {
                for possible in types {
                    apply(&mut possible.fields, path, edit);
                }
            }
            Charge::Input { terms, .. } => {
                if let Edit::Shorten(of, longest) = edit {
                    for term in terms {
                        if length(term, *of).is_some()
                            && let Node::PerItem { at_most, .. } = term
                        {
                            *at_most = *longest;
                        }
                    }
                }
            }
        }
    }
}

/// Whether the service would take the operation in bulk: a query with connections, few and not
/// deep, and not by `node` or `nodes`.
fn bulk_fits(operation: &Operation, priced: &Priced) -> bool {
    let paths = connections(&priced.entries);
    let depth = |path: &Vec<String>| {
        paths
            .iter()
            .filter(|outer| path.starts_with(outer) && *outer != path)
            .count()
    };
    let by_node = operation.selections.items.iter().any(|selection| {
        matches!(selection, Selection::Field(field)
            if matches!(&*field.name, "node" | "nodes"))
    });
    operation.kind == OperationKind::Query
        && !operation.is_bulk()
        && !by_node
        && (1..=MAX_CONNECTIONS).contains(&paths.len())
        && paths.iter().all(|path| depth(path) <= MAX_NESTING)
}
