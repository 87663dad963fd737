//! `tollgate cost`: what operations cost and why.

mod flame;
mod json;
mod text;

use std::io::Write;
use std::path::PathBuf;

use serde_json::{Map, Value};
use tollgate_codegen::document::Operation;
use tollgate_codegen::pricing::{Basis, Priced, Row};
use tollgate_cost::Points;

use crate::error::Error;
use crate::file;
use crate::project::{BULK_START, Project, ProjectArgs};
use crate::variables::{self, Given};

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    #[command(flatten)]
    project: ProjectArgs,
    /// The operations to show, by name or by the file they are in; all, when none is named
    #[arg(value_name = "OPERATION|FILE")]
    operations: Vec<String>,
    /// Exact prices for these variables, as JSON or in a file: those of the one operation that is
    /// named, or an object of them by operation
    #[arg(long, value_name = "JSON|FILE")]
    variables: Option<String>,
    /// As JSON
    #[arg(long)]
    json: bool,
    /// Writes a flame graph of points by path
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// An operation with its price.
pub(crate) struct Costing<'p> {
    operation: &'p Operation,
    place: String,
    priced: Priced,
    /// The price with the variables given, else the most that the document declares.
    points: Points,
    exact: bool,
    rows: Vec<Row>,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Error> {
    let (files, names) = args
        .operations
        .iter()
        .cloned()
        .partition::<Vec<_>, _>(|name| is_file(name));
    let (project, files) = args.project.load_with(&files)?;
    let operations = project.operations_of(&names, &files)?;
    let given = Given::read(args.variables.as_deref(), &project, &operations)?;
    let costings = operations.into_iter().map(|operation| {
        let variables = given.as_ref().map(|given| given.of(operation));
        costing(&project, operation, variables.as_ref())
    });
    let costings = costings.collect::<Result<Vec<_>, _>>()?;
    if let Some(path) = &args.svg {
        let svg = flame::graph(&costings)?;
        file::replace(path, svg)?;
    }
    if args.json {
        writeln!(out, "{:#}", json::costings(&costings))?;
    } else {
        text::write(&costings, out)?;
    }
    Ok(())
}

/// No operation has a dot in its name.
fn is_file(name: &str) -> bool {
    [".graphql", ".gql"].iter().any(|end| name.ends_with(end))
}

fn costing<'p>(
    project: &Project,
    operation: &'p Operation,
    given: Option<&Map<String, Value>>,
) -> Result<Costing<'p>, Error> {
    let priced = project.priced(operation);
    let refused = |source| Error::Cost {
        operation: operation.name.clone(),
        source,
    };
    let (points, basis) = match given {
        Some(variables) => {
            variables::check(operation, variables)?;
            variables::complete(operation, variables)?;
            let price = priced.plan.price(variables).map_err(refused)?;
            (price, Basis::Call(variables))
        }
        None => (priced.plan.declared_bound(), Basis::Bound),
    };
    let bulk = operation.is_bulk();
    let rows = match bulk {
        // Nothing of it is paid by what it selects.
        true => Vec::new(),
        false => priced.breakdown(basis).map_err(refused)?,
    };
    Ok(Costing {
        operation,
        place: project.place(operation),
        points: if bulk { BULK_START } else { points },
        exact: given.is_some(),
        rows,
        priced,
    })
}
