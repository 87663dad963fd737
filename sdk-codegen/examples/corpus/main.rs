//! Prices a corpus of recorded answers and says where the rules are wrong: hits by source, every
//! miss, where the residuals sit, and which of the prices set by hand the answers bear out.
//!
//! `cargo run --release -p tollgate-codegen --example corpus -- CORPUS.json.gz SCHEMA_DIR`
#![expect(clippy::print_stdout, reason = "a command prints")]

mod recording;
mod report;
mod verdict;

use std::error::Error;
use std::path::Path;

use report::Report;
use verdict::Judge;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [corpus, schemas] = &arguments[..] else {
        return Err("usage: corpus CORPUS.json.gz SCHEMA_DIR".into());
    };
    let recordings = recording::read(Path::new(corpus))?;
    let judge = Judge::new(Path::new(schemas), &recordings)?;
    let verdicts: Vec<_> = recordings
        .iter()
        .map(|recording| judge.verdict(recording))
        .collect();
    print!("{}", Report::new(&judge, &recordings, &verdicts));
    Ok(())
}
