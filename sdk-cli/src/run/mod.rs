//! `tollgate run`: an operation against a shop, without writing Rust.

mod bookmark;
mod bulk;
mod calls;
mod output;
mod pages;
mod progress;
mod spent;
mod untyped;

use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tollgate::{Client, Event, Points, RawCall, What};
use tollgate_codegen::document::{Operation, OperationKind};
use tollgate_codegen::emit;

use crate::error::Error;
use crate::look::{self, FAINT};
use crate::project::{Project, ProjectArgs};
use crate::server::ServerArgs;
use crate::{runtime, variables};
use calls::Input;
use output::{Left, Output};
use spent::Spent;

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The document
    #[arg(value_name = "FILE.graphql")]
    file: PathBuf,
    /// Which operation of it; needed when there are several
    #[arg(long, value_name = "NAME")]
    operation: Option<String>,
    /// The variables, as JSON or in a file
    #[arg(long, value_name = "JSON|FILE", default_value = "{}")]
    variables: String,
    /// Walks the connection to its end, and writes a line of JSON per node
    #[arg(long, conflicts_with = "bulk")]
    all_pages: bool,
    /// Runs it as a bulk operation, and writes a line of JSON per node of the root connection, or
    /// of a mutation per line of `--input`
    #[arg(long)]
    bulk: bool,
    /// The calls of a bulk mutation: the variables of each as a line of JSON. The output has a line
    /// for each, in the same order: its `line`, `input`, and `outcome`, which is `done`, `refused`
    /// (with `userErrors`), `failed` (with `errors`), or `missing`, when the shop did not come to it
    #[arg(
        long,
        value_name = "FILE",
        requires = "bulk",
        conflicts_with = "variables"
    )]
    input: Option<PathBuf>,
    /// How many nodes there are going to be: says before what `--all-pages` will take, and
    /// during it the time left
    #[arg(long, value_name = "NODES", requires = "all_pages")]
    expect: Option<u64>,
    /// Where to write to [default: standard output]; until all is written, to FILE with `.part`
    /// appended
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Goes on where a run of the same was stopped, or killed, that wrote to `--out`; begins where
    /// there was none
    #[arg(long, requires = "out")]
    resume: bool,
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
    /// Where a run before this one came to.
    at: Option<Value>,
    client: Client,
    quiet: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Error> {
    let documents = vec![args.file.clone()];
    let project = ProjectArgs::of(args.schema.clone(), documents, args.fragments.clone());
    let project = project.load().map_err(|error| args.lend(error))?;
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
    if operation.is_bulk() && operation.kind == OperationKind::Query && !args.bulk {
        let name = &operation.name;
        return Err(Error::Wrong(format!(
            "`{name}` is a bulk operation: run it with `--bulk`"
        )));
    }
    let variables = variables::object(&args.variables)?;
    variables::check(operation, &variables)?;
    let runtime = runtime::start_here()?;
    let _context = runtime.enter();
    let input = args.input.as_deref().map(Input::read).transpose()?;
    let mut client = args.server.client()?;
    if !args.quiet && !args.all_pages && !args.bulk {
        // Where a bar is, it shows that the run goes on.
        client = client.observer(tell_long_wait);
    }
    let client = client.build()?;
    let what = json!({
        "shop": client.shop(),
        "endpoint": args.server.endpoint,
        "document": emit::minified(&project.document, operation),
        "variables": variables,
        "input": input.as_ref().map(Input::digest),
        "way": if args.all_pages { "pages" } else if args.bulk { "bulk" } else { "once" },
    });
    let (mut output, at) = Output::open(args.out.as_deref(), out, what, args.resume)?;
    let variables = match (&at, args.all_pages) {
        (Some(Value::Object(reached)), true) => reached.clone(),
        (Some(_), true) => return Err(lost()),
        _ => variables,
    };
    let job = Job {
        client,
        project: &project,
        operation,
        variables,
        expect: args.expect,
        at,
        quiet: args.quiet,
    };
    let mut reached = None;
    let ran = runtime.block_on(async {
        if args.all_pages {
            job.all_pages(&mut output, &mut reached).await?;
        } else if let Some(input) = &input {
            return job.calls(input, &mut output).await;
        } else if args.bulk {
            job.bulk(&mut output).await?;
        } else {
            job.once(&mut output).await?;
        }
        Ok(None)
    });
    match ran.and_then(|undone| output.finish().map(|()| undone)) {
        Ok(None) => Ok(()),
        Ok(Some(undone)) => Err(Error::Wrong(undone)),
        Err(error) => Err(args.stopped(error, output, reached)),
    }
}

/// Says what a call waits for, where somebody would wonder.
fn tell_long_wait(event: &Event<'_>) {
    const LONG: Duration = Duration::from_secs(5);
    if let What::Wait { reason, length, .. } = &event.what
        && *length >= LONG
    {
        let seconds = length.as_secs();
        look::tell(format_args!(
            "{FAINT}waits {seconds} s for {reason}{FAINT:#}"
        ));
    }
}

/// A bookmark that is whole, and says nothing that this run could go on from.
fn lost() -> Error {
    Error::Wrong(
        "the bookmark beside `--out` does not say where to go on, so it was not this version that \
         wrote it: finish the run with the one that did, or delete it to begin anew"
            .to_owned(),
    )
}

impl Args {
    /// An error of the documents, with where a fragment that is not in FILE could come from.
    fn lend(&self, mut error: Error) -> Error {
        if let (Error::Documents(problems), []) = (&mut error, &self.fragments[..]) {
            for problem in &mut problems.list {
                if problem.message.starts_with("there is no fragment") {
                    let help = "name the file or folder it is in: `--fragments queries`";
                    problem.help.push(help.into());
                }
            }
        }
        error
    }

    /// An error that ended a run, with what there is to go on from: `reached` are variables that
    /// do, where nothing else does.
    fn stopped(
        &self,
        error: Error,
        output: Output<'_>,
        reached: Option<Map<String, Value>>,
    ) -> Error {
        let Left { part, bookmark } = output.keep(&error, bulk::goes_on(&error));
        let reached = reached.filter(|_| !bookmark);
        let error = self.named(error);
        // Who reads the output and goes away is no one to tell how to go on.
        let is_told = reached.is_some() && !matches!(error, Error::Output(_));
        if part.is_none() && !bookmark && !is_told {
            return error;
        }
        Error::Stopped {
            part,
            resume: bookmark,
            variables: reached.map(|reached| Value::Object(reached).to_string()),
            source: Box::new(error),
        }
    }

    /// An error of the output with its path. A reader that goes away stays what it is.
    fn named(&self, error: Error) -> Error {
        match (error, &self.out) {
            (Error::Output(source), Some(path)) if source.kind() != ErrorKind::BrokenPipe => {
                let path = path.clone();
                Error::Write { path, source }
            }
            (error, _) => error,
        }
    }
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
