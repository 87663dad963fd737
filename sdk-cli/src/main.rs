//! The `tollgate` command: what GraphQL operations cost and why, schemas pulled and compared, and
//! an emulated shop to test against.

mod calibrate;
mod check;
mod cli;
mod completions;
mod cost;
mod error;
mod file;
mod generate;
mod http;
mod init;
mod look;
mod man;
mod project;
mod report;
mod run;
mod runtime;
mod schema;
mod server;
mod shop;
mod top;
mod variables;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command};
use error::Error;

fn main() -> ExitCode {
    let cli = Cli::parse();
    cli.color.choose();
    let mut out = anstream::stdout().lock();
    let result = run(&cli.command, &mut out).and_then(|()| Ok(out.flush()?));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // `tollgate … | head` is no failure.
        Err(Error::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(error) => {
            look::tell(look::error(&error));
            ExitCode::from(error.exit_code())
        }
    }
}

fn run(command: &Command, out: &mut dyn Write) -> Result<(), Error> {
    match command {
        Command::Cost(args) => cost::run(args, out),
        Command::Check(args) => check::run(args, out),
        Command::Calibrate(args) => calibrate::run(args, out),
        Command::Init(args) => init::run(args, out),
        Command::Generate(args) => generate::run(args, out),
        Command::Schema(args) => schema::run(args, out),
        Command::Report(args) => report::run(args, out),
        Command::Run(args) => run::run(args, out),
        Command::Top(args) => top::run(args, out),
        Command::Shop(args) => shop::run(args, out),
        Command::Completions(args) => completions::run(args, out),
        Command::Man(args) => man::run(args, out),
    }
}
