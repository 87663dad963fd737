//! `tollgate calibrate`: asks a shop for its prices, field by field, and writes or checks the file
//! of the project's own.

mod drift;

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::builder::{NonEmptyStringValueParser, TypedValueParser as _};
use serde_json::{Map, Value};
use tollgate::{AccessToken, Client};
use tollgate_codegen::document::{Operation, OperationKind};
use tollgate_codegen::emit;
use tollgate_codegen::pricing::{self, Overrides};
use tollgate_codegen::schema::TypeRef;
use tollgate_codegen::source::{Source, read_text};
use tollgate_cost::Points;

use crate::error::Error;
use crate::look::{BAD, FAINT, GOOD, STRONG};
use crate::project::{Project, ProjectArgs};
use crate::{file, runtime, variables};
use drift::{Drift, Place};

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    #[command(flatten)]
    project: ProjectArgs,
    /// The operations to send; all, when none is named
    #[arg(value_name = "OPERATION")]
    operations: Vec<String>,
    /// The shop, as `my-shop.myshopify.com`
    #[arg(long, env = "TOLLGATE_SHOP")]
    shop: String,
    /// Its access token; better given in the environment than on the command line
    #[arg(
        long,
        env = "TOLLGATE_TOKEN",
        hide_env_values = true,
        value_parser = NonEmptyStringValueParser::new().map(AccessToken::from)
    )]
    token: AccessToken,
    /// Another server of the same protocol, as an emulated shop
    #[arg(
        long,
        env = "TOLLGATE_ENDPOINT",
        hide_env_values = true,
        value_name = "URL"
    )]
    endpoint: Option<String>,
    /// The version of the API
    #[arg(long, value_name = "VERSION")]
    api_version: Option<String>,
    /// Variables as JSON: those of the one operation that is named, or an object of them by
    /// operation
    #[arg(long, value_name = "FILE")]
    variables: Option<PathBuf>,
    /// Sends mutations too: they are carried out
    #[arg(long)]
    mutations: bool,
    /// Only says what differs, and fails if something does
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Error> {
    let runtime = runtime::start_here()?;
    runtime.block_on(calibrate(args, out))
}

async fn calibrate(args: &Args, out: &mut dyn Write) -> Result<(), Error> {
    let project = args.project.load()?;
    let operations = project.operations(&args.operations)?;
    let given: Map<_, _> = match &args.variables {
        Some(path) => file::json(path)?,
        None => Map::new(),
    };
    let client = client(args)?;
    let mut drifts = Vec::new();
    let mut unexplained = 0;
    for operation in &operations {
        let name = &operation.name;
        let own = variables::of(&given, operation, operations.len() == 1);
        let variables = match sendable(operation, own, args.mutations) {
            Ok(variables) => variables,
            Err(why) => {
                writeln!(out, "{FAINT}{name}  not sent: {why}{FAINT:#}")?;
                continue;
            }
        };
        let answer = send(&client, &project, operation, &variables).await?;
        let mutation = operation.kind == OperationKind::Mutation;
        let found = drift::compare(mutation, &answer.own_prices, &answer.fields);
        let Answer { ours, theirs, .. } = answer;
        if ours == theirs && found.is_empty() {
            writeln!(
                out,
                "{STRONG}{name}{STRONG:#}  {GOOD}{theirs}{GOOD:#} points, as priced"
            )?;
            continue;
        }
        writeln!(
            out,
            "{STRONG}{name}{STRONG:#}  {BAD}{theirs}{BAD:#} points, priced at {ours}"
        )?;
        for drift in &found {
            writeln!(out, "  {drift}")?;
        }
        if found.iter().all(|drift| drift.place == Place::Unclear) {
            unexplained += 1;
            writeln!(out, "  the breakdown of the shop does not say where")?;
        }
        drifts.extend(found);
    }
    if args.check {
        let changed = drifts.len() + unexplained;
        return match changed {
            0 => Ok(()),
            1 => Err(Error::Wrong("1 price has changed".into())),
            changed => Err(Error::Wrong(format!("{changed} prices have changed"))),
        };
    }
    record(&project, args.project.costs(), &drifts, out)
}

fn client(args: &Args) -> Result<Client, Error> {
    let mut builder = Client::builder(&*args.shop, args.token.clone());
    if let Some(version) = &args.api_version {
        builder = builder.api_version(version);
    }
    if let Some(endpoint) = &args.endpoint {
        builder = builder.endpoint(endpoint);
    }
    Ok(builder.build()?)
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
        let needed = variable.ty.is_non_null() && variable.default.is_none();
        if !needed || variables.contains_key(&variable.name) {
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

/// Writes what differs into the file of the project's own prices, over what it said before.
fn record(
    project: &Project,
    path: &Path,
    drifts: &[Drift],
    out: &mut dyn Write,
) -> Result<(), Error> {
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
        return Ok(());
    }
    let write = |source| Error::Write {
        path: path.to_owned(),
        source,
    };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(write)?;
    }
    std::fs::write(path, overrides.to_toml()).map_err(write)?;
    writeln!(out, "{} written", path.display())?;
    Ok(())
}
