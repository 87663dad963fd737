use clap::{Parser, Subcommand};

use crate::{
    calibrate, check, completions, cost, generate, init, look, man, report, run, schema, shop, top,
};

const EXIT_CODES: &str = "\
Exit codes:
  0  done, and nothing to object to
  1  what was checked is wrong: a document, a price, a budget, a change that was denied,
     a line of a bulk mutation that was not done
  2  the command line is wrong
  3  something needed could not be read, written or reached";

/// Prices, checks and reports GraphQL operations for cost-metered APIs
#[derive(Debug, Parser)]
#[command(name = "tollgate", version, after_help = EXIT_CODES, propagate_version = true)]
pub(crate) struct Cli {
    /// When to colour the output
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: look::Color,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make a schema, a first query and an example in this folder
    Init(init::Args),
    /// Show what operations cost and why
    Cost(cost::Args),
    /// Check documents, prices, budgets, and prices against a saved baseline
    Check(check::Args),
    /// Ask a shop for its prices, and write or check the file of the project's own
    Calibrate(calibrate::Args),
    /// Write the code of the macros into a file
    Generate(generate::Args),
    /// Pull a schema, or compare two
    Schema(schema::Args),
    /// Write a page that shows what every operation costs and why
    Report(report::Args),
    /// Run an operation against a shop: once, over all pages, or in bulk
    Run(run::Args),
    /// Serve an emulated shop, for the tests of any language
    Shop(shop::Args),
    /// Show the shops of a shared ledger live: level, calls in flight, who waits, throttles
    Top(top::Args),
    /// Print completions for a shell
    Completions(completions::Args),
    /// Write the manual pages
    Man(man::Args),
}
