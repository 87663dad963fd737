//! `tollgate cost`: what operations cost and why.

mod flame;
mod json;
mod text;

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use tollgate_codegen::document::Operation;
use tollgate_codegen::pricing::{Basis, Priced, Row};
use tollgate_cost::Points;

use crate::error::Error;
use crate::project::{Project, ProjectArgs};

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    #[command(flatten)]
    project: ProjectArgs,
    /// The operations to show; all, when none is named
    #[arg(value_name = "OPERATION")]
    operations: Vec<String>,
    /// Exact prices for the variables in this JSON file: those of the one operation that is
    /// named, or an object of them by operation
    #[arg(long, value_name = "FILE")]
    variables: Option<PathBuf>,
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
    let project = args.project.load()?;
    let operations = project.operations(&args.operations)?;
    let variables = match &args.variables {
        Some(path) => Some(read_variables(path)?),
        None => None,
    };
    let one = operations.len() == 1;
    let costings = operations.into_iter().map(|operation| {
        let variables = variables
            .as_ref()
            .map(|given| own_variables(given, operation, one));
        costing(&project, operation, variables.as_ref())
    });
    let costings = costings.collect::<Result<Vec<_>, _>>()?;
    if let Some(path) = &args.svg {
        let svg = flame::graph(&costings)?;
        std::fs::write(path, svg).map_err(|source| Error::Write {
            path: path.clone(),
            source,
        })?;
    }
    if args.json {
        writeln!(out, "{:#}", json::costings(&costings))?;
    } else {
        text::write(&costings, out)?;
    }
    Ok(())
}

fn read_variables(path: &Path) -> Result<Map<String, Value>, Error> {
    let text = std::fs::read_to_string(path).map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
    })?;
    serde_json::from_str(&text).map_err(|source| Error::Json {
        path: path.to_owned(),
        source,
    })
}

/// The variables of an operation: under its name, or, when it is the only one, the whole object.
fn own_variables(
    given: &Map<String, Value>,
    operation: &Operation,
    one: bool,
) -> Map<String, Value> {
    match given.get(&operation.name) {
        Some(Value::Object(own)) => own.clone(),
        _ if one => given.clone(),
        _ => Map::new(),
    }
}

fn costing<'p>(
    project: &Project,
    operation: &'p Operation,
    variables: Option<&Map<String, Value>>,
) -> Result<Costing<'p>, Error> {
    let priced = project.priced(operation);
    let refused = |source| Error::Cost {
        operation: operation.name.clone(),
        source,
    };
    let (points, basis) = match variables {
        Some(variables) => {
            let price = priced.plan.price(variables).map_err(refused)?;
            (price, Basis::Call(variables))
        }
        None => (priced.plan.declared_bound(), Basis::Bound),
    };
    let rows = priced.breakdown(basis).map_err(refused)?;
    Ok(Costing {
        operation,
        place: project.place(operation),
        points,
        exact: variables.is_some(),
        rows,
        priced,
    })
}
