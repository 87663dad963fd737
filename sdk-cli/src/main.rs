//! The `tollgate` command.

mod error;
mod project;
mod report;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "tollgate", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Writes a page that shows what every operation costs and why
    Report(report::Args),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Report(args) => report::run(&args, &mut std::io::stdout().lock()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            anstream::eprintln!("{error}");
            ExitCode::from(error.exit_code())
        }
    }
}
