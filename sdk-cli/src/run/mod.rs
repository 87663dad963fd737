//! `tollgate run`: an operation against a shop, without writing Rust.

mod bulk;
mod output;
mod pages;
mod progress;
mod spent;

use std::io::Write;
use std::path::PathBuf;

use serde_json::{Map, Value};
use tollgate::{Client, Points, RawCall};
use tollgate_codegen::document::Operation;
use tollgate_codegen::emit;

use crate::error::Error;
use crate::project::{Project, ProjectArgs};
use crate::server::ServerArgs;
use crate::{runtime, variables};
use output::Output;
use spent::Spent;

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The document
    #[arg(value_name = "FILE.graphql")]
    file: PathBuf,
    /// Which operation of it; needed when there are several
    #[arg(long, value_name = "NAME")]
    operation: Option<String>,
    /// The variables, as JSON
    #[arg(long, value_name = "JSON", default_value = "{}")]
    variables: String,
    /// Walks the connection to its end, and writes a line of JSON per node
    #[arg(long, conflicts_with = "bulk")]
    all_pages: bool,
    /// Runs it as a bulk operation, and writes a line of JSON per node of the root connection
    #[arg(long)]
    bulk: bool,
    /// How many nodes there are going to be: says before what `--all-pages` will take, and
    /// during it the time left
    #[arg(long, value_name = "NODES", requires = "all_pages")]
    expect: Option<u64>,
    /// Where to write to [default: standard output]; until all is written, to FILE with `.part`
    /// appended
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The schema: SDL or introspection JSON, plain or gzipped
    #[arg(long, value_name = "FILE", default_value = "schema/admin.graphql")]
    schema: PathBuf,
    /// Further documents, with fragments that FILE spreads
    #[arg(long, value_name = "PATH")]
    fragments: Vec<PathBuf>,
    #[command(flatten)]
    server: ServerArgs,
    /// Do not say what it cost
    #[arg(long, short)]
    quiet: bool,
}

/// An operation with all that is needed to run it.
struct Job<'p> {
    project: &'p Project,
    operation: &'p Operation,
    variables: Map<String, Value>,
    expect: Option<u64>,
    client: Client,
    quiet: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Error> {
    let documents = vec![args.file.clone()];
    let project = ProjectArgs::of(args.schema.clone(), documents, args.fragments.clone());
    let project = project.load()?;
    let names: Vec<_> = args.operation.iter().cloned().collect();
    let operations = project.operations(&names)?;
    let [operation] = operations[..] else {
        let known: Vec<_> = operations.iter().map(|o| o.name.as_str()).collect();
        return Err(Error::Wrong(format!(
            "`{}` has {} operations ({}): choose one with `--operation`",
            args.file.display(),
            known.len(),
            known.join(", ")
        )));
    };
    let variables = serde_json::from_str(&args.variables).map_err(|source| Error::Json {
        path: "--variables".into(),
        source,
    })?;
    variables::check(operation, &variables)?;
    let runtime = runtime::start_here()?;
    let _context = runtime.enter();
    let job = Job {
        client: args.server.client()?.build()?,
        project: &project,
        operation,
        variables,
        expect: args.expect,
        quiet: args.quiet,
    };
    let mut output = Output::open(args.out.as_deref(), out)?;
    let mut reached = None;
    let ran = if args.all_pages {
        runtime.block_on(job.all_pages(&mut output, &mut reached))
    } else if args.bulk {
        runtime.block_on(job.bulk(&mut output))
    } else {
        runtime.block_on(job.once(&mut output))
    };
    let Err(error) = ran.and_then(|()| output.finish()) else {
        return Ok(());
    };
    let part = output.keep(&error);
    // Who reads the output and goes away is no one to tell how to go on.
    if part.is_none() && (reached.is_none() || matches!(error, Error::Output(_))) {
        return Err(error);
    }
    Err(Error::Stopped {
        part,
        variables: reached.map(|reached| Value::Object(reached).to_string()),
        source: Box::new(error),
    })
}

impl Job<'_> {
    async fn once(&self, out: &mut dyn Write) -> Result<(), Error> {
        let answer = self.send(&self.variables)?.await;
        let answer = answer.map_err(|error| Error::Run(error.into()))?;
        writeln!(out, "{:#}", answer.data)?;
        out.flush()?;
        if !self.quiet {
            let mut spent = Spent::default();
            spent.add(&answer.cost);
            spent.tell("");
        }
        Ok(())
    }

    /// One call, priced by its plan.
    fn send(&self, variables: &Map<String, Value>) -> Result<RawCall<'_>, Error> {
        let document = emit::minified(&self.project.document, self.operation);
        let price = self.price(variables)?;
        let call = self
            .client
            .raw(&document, &Value::Object(variables.clone()))
            .estimate(price);
        Ok(match self.operation.name.as_str() {
            "" => call,
            name => call.operation_name(name),
        })
    }

    fn price(&self, variables: &Map<String, Value>) -> Result<Points, Error> {
        variables::complete(self.operation, variables)?;
        let plan = self.project.priced(self.operation).plan;
        plan.price(variables).map_err(|source| Error::Cost {
            operation: self.operation.name.clone(),
            source,
        })
    }

    /// Problems of the operation as the library reports them.
    fn refuse(&self, problems: Vec<tollgate_codegen::diagnostic::Diagnostic>) -> Error {
        let sources = self.project.document.sources.clone();
        tollgate_codegen::diagnostic::Diagnostics::new(sources, problems).into()
    }
}
