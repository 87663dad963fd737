//! `tollgate run`: an operation against a shop, without writing Rust.

mod bulk;
mod output;
mod pages;
mod progress;

use std::io::Write;
use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use serde_json::{Map, Value};
use tollgate::{AccessToken, Client, Points, RawCall};
use tollgate_codegen::document::Operation;
use tollgate_codegen::emit;

use crate::error::Error;
use crate::project::{Project, ProjectArgs};
use crate::{runtime, variables};
use output::Output;

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
    /// The shop, as my-shop.myshopify.com
    #[arg(long, env = "TOLLGATE_SHOP")]
    shop: String,
    /// The access token; better given by the environment, where other users do not see it
    #[arg(
        long,
        env = "TOLLGATE_TOKEN",
        hide_env_values = true,
        value_parser = NonEmptyStringValueParser::new()
    )]
    token: String,
    /// The API version, as 2026-10
    #[arg(long, value_name = "VERSION")]
    api_version: Option<String>,
    /// Another server of the same protocol, as that of `tollgate shop`
    #[arg(
        long,
        value_name = "URL",
        env = "TOLLGATE_ENDPOINT",
        hide_env_values = true
    )]
    endpoint: Option<String>,
}

/// An operation with all that is needed to run it.
struct Job<'p> {
    project: &'p Project,
    operation: &'p Operation,
    variables: Map<String, Value>,
    expect: Option<u64>,
    client: Client,
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
        client: args.client()?,
        project: &project,
        operation,
        variables,
        expect: args.expect,
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

impl Args {
    fn client(&self) -> Result<Client, Error> {
        let token = AccessToken::from(self.token.clone());
        let mut builder = Client::builder(&self.shop, token);
        if let Some(version) = &self.api_version {
            builder = builder.api_version(version);
        }
        if let Some(endpoint) = &self.endpoint {
            builder = builder.endpoint(endpoint);
        }
        builder.build().map_err(|error| Error::Run(error.into()))
    }
}

impl Job<'_> {
    async fn once(&self, out: &mut dyn Write) -> Result<(), Error> {
        let answer = self.send(&self.variables)?.await;
        let data = answer.map_err(|error| Error::Run(error.into()))?.data;
        writeln!(out, "{data:#}")?;
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
