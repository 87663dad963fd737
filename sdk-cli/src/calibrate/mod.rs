//! `tollgate calibrate`: asks a shop for its prices, field by field, and writes or checks the file
//! of the project's own.

mod compared;
mod drift;

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use tollgate::Client;
use tollgate_codegen::document::{Operation, OperationKind};
use tollgate_codegen::emit;
use tollgate_codegen::pricing::{self, Overrides};
use tollgate_codegen::schema::TypeRef;
use tollgate_codegen::source::{Source, read_text};
use tollgate_cost::Points;

use crate::error::Error;
use crate::project::{Project, ProjectArgs};
use crate::server::ServerArgs;
use crate::variables::{self, Given};
use crate::{file, runtime};
use compared::{Compared, Outcome};
use drift::{Drift, Place};

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    #[command(flatten)]
    project: ProjectArgs,
    /// The operations to send; all, when none is named
    #[arg(value_name = "OPERATION")]
    operations: Vec<String>,
    #[command(flatten)]
    server: ServerArgs,
    /// Variables, as JSON or in a file: those of the one operation that is named, or an object of
    /// them by operation
    #[arg(long, value_name = "JSON|FILE")]
    variables: Option<String>,
    /// Sends mutations too: they are carried out
    #[arg(long)]
    mutations: bool,
    /// Only says what differs, and fails if something does
    #[arg(long)]
    check: bool,
    /// As JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Error> {
    let runtime = runtime::start_here()?;
    runtime.block_on(calibrate(args, out))
}

async fn calibrate(args: &Args, out: &mut dyn Write) -> Result<(), Error> {
    let project = args.project.load()?;
    let operations = project.operations(&args.operations)?;
    let given = Given::read(args.variables.as_deref(), &project, &operations)?;
    let client = args.server.client()?.build()?;
    let mut compared = Vec::new();
    for operation in &operations {
        let own = given.as_ref().map(|given| given.of(operation));
        let own = own.unwrap_or_default();
        variables::check(operation, &own)?;
        let outcome = match sendable(operation, own, args.mutations) {
            Ok(variables) => {
                let answer = send(&client, &project, operation, &variables).await?;
                let mutation = operation.kind == OperationKind::Mutation;
                let drifts = drift::compare(mutation, &answer.own_prices, &answer.fields);
                Outcome::Answered {
                    ours: answer.ours,
                    theirs: answer.theirs,
                    drifts,
                }
            }
            Err(why) => Outcome::NotSent(why),
        };
        let one = Compared {
            operation: operation.name.clone(),
            outcome,
        };
        if !args.json {
            one.print(out)?;
        }
        compared.push(one);
    }
    let drifts = || compared.iter().flat_map(Compared::drifts);
    let unexplained = compared.iter().filter(|one| one.is_unexplained()).count();
    let written = match args.check {
        true => None,
        false => record(&project, &args.project.costs(), drifts())?,
    };
    if args.json {
        writeln!(out, "{:#}", compared::json(&compared, written.as_deref()))?;
    } else if let Some(path) = written {
        writeln!(out, "{} written", path.display())?;
    }
    match drifts().count() + unexplained {
        changed if args.check && changed > 0 => Err(Error::Wrong(match changed {
            1 => "1 price has changed".into(),
            changed => format!("{changed} prices have changed"),
        })),
        _ => Ok(()),
    }
}

/// The variables with which an operation can be sent, or why it cannot. Sizes and switches that
/// are needed and not given are made up: the price of a field does not depend on them.
fn sendable(
    operation: &Operation,
    mut variables: Map<String, Value>,
    mutations: bool,
) -> Result<Map<String, Value>, String> {
    if operation.kind == OperationKind::Mutation && !mutations {
        return Err("a mutation".to_owned());
    }
    if operation.is_bulk() {
        return Err("a bulk operation".to_owned());
    }
    for variable in &operation.variables {
        if !variable.is_required() || variables.contains_key(&variable.name) {
            continue;
        }
        let value = match &variable.ty {
            TypeRef::Named { name, .. } if name == "Int" => Value::from(1),
            TypeRef::Named { name, .. } if name == "Boolean" => Value::from(true),
            _ => return Err(format!("`${}` is not given", variable.name)),
        };
        variables.insert(variable.name.clone(), value);
    }
    Ok(variables)
}

/// What a shop said to an operation, beside our own price.
struct Answer {
    ours: Points,
    theirs: Points,
    own_prices: Vec<pricing::OwnPrice>,
    fields: Vec<tollgate::FieldCost>,
}

async fn send(
    client: &Client,
    project: &Project,
    operation: &Operation,
    variables: &Map<String, Value>,
) -> Result<Answer, Error> {
    let ours = project.priced(operation).plan.price(variables);
    let ours = ours.map_err(|source| Error::Cost {
        operation: operation.name.clone(),
        source,
    })?;
    let text = emit::minified(&project.document, operation);
    let call = client.raw(&text, &Value::Object(variables.clone()));
    let call = call.estimate(ours).debug_cost(true).accept_partial(true);
    let response = call.await.map_err(|source| Error::Call {
        operation: operation.name.clone(),
        source: Box::new(source),
    })?;
    let Project {
        schema,
        document,
        rules,
        ..
    } = project;
    Ok(Answer {
        ours,
        theirs: response.cost.requested,
        own_prices: pricing::own_prices(schema, document, operation, rules),
        fields: response.cost.fields,
    })
}

/// Writes what differs into the file of the project's own prices, over what it said before; the
/// file, if it was written.
fn record<'d>(
    project: &Project,
    path: &Path,
    drifts: impl Iterator<Item = &'d Drift>,
) -> Result<Option<PathBuf>, Error> {
    let mut overrides = Overrides::default();
    // What is there and cannot be read is not written over.
    if path.exists() {
        let source = Source::new(&*path.to_string_lossy(), read_text(path)?);
        overrides = Overrides::parse(&project.schema, &source)?;
    }
    let before = overrides.clone();
    for drift in drifts {
        match &drift.place {
            Place::Field(coordinate) => {
                overrides.fields.insert(coordinate.clone(), drift.theirs);
            }
            Place::Mutation(name) => {
                overrides.mutations.insert(name.clone(), drift.theirs);
            }
            Place::Unclear => {}
        }
    }
    if overrides == before {
        return Ok(None);
    }
    file::replace(path, overrides.to_toml())?;
    Ok(Some(path.to_owned()))
}
