//! How Tollgate is measured. Each subcommand prints what it finds and ends with one line of
//! `key=value`; what cannot be measured is an error, never a figure.
#![allow(
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a command that prints figures"
)]

mod build;
mod decode;
mod gate;
mod load;
mod overhead;
mod shared;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(version, about)]
struct Cli {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// How long a crate with typed operations takes to build
    Build(build::Args),
    /// How fast answers are decoded, beside `graphql_client` and a struct written by hand
    Decode(decode::Args),
    /// Makespan and throttles of many calls on one bucket, beside a client that sees the future
    Gate(gate::Args),
    /// Many tasks on many shops for minutes: throughput, memory, fairness, shutdown
    Load(load::Args),
    /// What a call costs in the client itself
    Overhead(overhead::Args),
    /// Several processes on one bucket, with a shared ledger and without
    Shared(shared::Args),
}

/// Why something cannot be measured.
type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    let outcome = match Cli::parse().what {
        What::Build(args) => build::run(&args),
        What::Decode(args) => decode::run(&args),
        What::Gate(args) => gate::run(&args),
        What::Load(args) => load::run(&args),
        What::Overhead(args) => overhead::run(&args),
        What::Shared(args) => shared::run(&args),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
