//! `tollgate report`: what every operation costs and why, as one page.

mod model;
mod page;

use std::io::Write;
use std::path::PathBuf;

use tollgate_codegen::pricing;

use crate::error::Error;
use crate::project::{Project, ProjectArgs};
use crate::{file, look};
use model::Subject;

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    #[command(flatten)]
    project: ProjectArgs,
    /// Where to write the page
    #[arg(long, value_name = "FILE", default_value = "tollgate.html")]
    html: PathBuf,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Error> {
    let project = args.project.load()?;
    let page = page(&project);
    file::replace(&args.html, &page)?;
    let operations = look::count(project.document.operations.len(), "operation");
    let kilobytes = page.len().div_ceil(1000);
    writeln!(
        out,
        "{} ({operations}, {kilobytes} kB)",
        args.html.display()
    )?;
    Ok(())
}

/// The page of a project.
pub(crate) fn page(project: &Project) -> String {
    let Project {
        schema,
        document,
        rules,
        bounds,
        ..
    } = project;
    let subject = |operation| Subject {
        operation,
        priced: pricing::price(schema, document, operation, rules, *bounds),
    };
    let subjects: Vec<_> = document.operations.iter().map(subject).collect();
    let documents = look::count(document.sources.len(), "file");
    page::render(&model::report(schema, document, &subjects, &documents))
}

#[cfg(test)]
mod tests;
