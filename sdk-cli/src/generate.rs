//! `tollgate generate`: the code of the macros, in a file.

use std::io::Write;
use std::path::PathBuf;

use tollgate_codegen::diagnostic::{Diagnostics, Severity};
use tollgate_codegen::emit::{self, Layout};
use tollgate_codegen::generate::{self, Deprecated, Documents, Settings};
use tollgate_codegen::source::{Files, read_text};

use crate::error::Error;
use crate::{file, look};

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The schema: SDL or introspection JSON, plain or gzipped
    #[arg(long, value_name = "FILE", default_value = "schema/admin.graphql")]
    schema: String,
    /// The documents: files, folders or patterns
    #[arg(long, value_name = "PATH", default_value = "queries")]
    documents: Vec<String>,
    /// The page size that variables without a bound are taken as
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=250))]
    page_size: Option<u64>,
    /// The project's own prices [default: costs.toml beside the schema, if it is there]
    #[arg(long, value_name = "FILE")]
    costs: Option<String>,
    /// The file to write, a module of your crate; `-` is the output
    #[arg(long, short, value_name = "FILE", default_value = "src/admin.rs")]
    out: PathBuf,
    /// Write nothing; exit with 1 when the file is not what would be written
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Error> {
    let code = code(args)?;
    let name = args.out.display();
    if args.check {
        let is = read_text(&args.out).unwrap_or_default();
        return if is == code {
            Ok(writeln!(out, "{name} is up to date")?)
        } else {
            let message = format!("`{name}` is not what `tollgate generate` writes: run it again");
            Err(Error::Wrong(message))
        };
    }
    if args.out.as_os_str() == "-" {
        return Ok(out.write_all(code.as_bytes())?);
    }
    file::replace(&args.out, &code)?;
    writeln!(out, "{name} ({} kB)", code.len().div_ceil(1000))?;
    Ok(())
}

/// The code; warnings are said, errors end it.
fn code(args: &Args) -> Result<String, Error> {
    let settings = Settings {
        schema: args.schema.clone(),
        documents: Documents::Paths(args.documents.clone()),
        operation: None,
        costs: args.costs.clone(),
        page_size: args.page_size,
        scalars_module: None,
        deprecated: Deprecated::Warn,
        emit: emit::Settings {
            layout: Layout::File,
            ..emit::Settings::default()
        },
    };
    let output = generate::generate(&settings, Files::new(std::env::current_dir()?));
    let Diagnostics { sources, list } = output.diagnostics;
    let (errors, warnings) = list
        .into_iter()
        .partition::<Vec<_>, _>(|problem| problem.severity == Severity::Error);
    if !errors.is_empty() {
        return Err(Diagnostics::new(sources, errors).into());
    }
    if !warnings.is_empty() {
        let warnings = Diagnostics::new(sources, warnings);
        look::tell(look::problems(&warnings));
    }
    Ok(output.code)
}
