//! The `tollgate` command.
//!
//! Exit codes: 0 when all is well; 1 when what was checked is not as it should be (documents that
//! are not valid, prices above their limits, drift); 2 when the command line is wrong; 3 when
//! something needed could not be read, written or reached.

mod check;
mod cost;
mod error;
mod look;
mod project;
mod report;
mod top;

use std::io::ErrorKind;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(
    name = "tollgate",
    version,
    about,
    after_help = "Exit codes: 0 all is well; 1 what was checked is wrong; 2 usage; 3 something \
                  could not be read, written or reached"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Shows what operations cost and why
    Cost(cost::Args),
    /// Checks documents, prices, budgets, and prices against a saved baseline
    Check(check::Args),
    /// Writes a page that shows what every operation costs and why
    Report(report::Args),
    /// Shows the shops of a shared ledger live: level, calls in flight, who waits, throttles
    Top(top::Args),
}

fn main() -> ExitCode {
    let mut out = anstream::stdout().lock();
    let result = match Cli::parse().command {
        Command::Cost(args) => cost::run(&args, &mut out),
        Command::Check(args) => check::run(&args, &mut out),
        Command::Report(args) => report::run(&args, &mut out),
        Command::Top(args) => top::run(&args, &mut out),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // Who reads has had enough.
        Err(error::Error::Output(closed)) if closed.kind() == ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(error) => {
            anstream::eprintln!("{error}");
            ExitCode::from(error.exit_code())
        }
    }
}
