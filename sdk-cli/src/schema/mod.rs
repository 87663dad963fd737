//! `tollgate schema`: pull a schema, or compare two.

mod diff;
mod pull;

use std::io::Write;

use clap::Subcommand;

use crate::error::Error;

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write a schema as SDL: from a shop by introspection, or from a URL or file
    Pull(pull::Args),
    /// Say what a change of schema does: what breaks, what got dearer, what is deprecated
    Diff(diff::Args),
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Error> {
    match &args.command {
        Command::Pull(args) => pull::run(args, out),
        Command::Diff(args) => diff::run(args, out),
    }
}
