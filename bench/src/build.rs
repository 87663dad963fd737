//! How long a crate with typed operations takes to build, ours and the peer's, on the same schema
//! and operations. Every crate is a library that decodes an answer of each operation, so that
//! what a program would compile is compiled, and nothing is linked.

mod peer;
mod scratch;

use std::path::{Path, PathBuf};
use std::time::Duration;

use tollgate_codegen::document::{self, Document, Valid};
use tollgate_codegen::emit;
use tollgate_codegen::schema::Schema;
use tollgate_codegen::source::Files;

use self::scratch::{Measured, Scratch};
use crate::Failure;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The schema: SDL or introspection JSON, plain or gzipped
    #[arg(long)]
    schema: PathBuf,
    /// The folder of the operations
    #[arg(long)]
    operations: PathBuf,
    /// Another generator to compare with
    #[arg(long)]
    peer: Option<Peer>,
    /// How many operations, each a crate of its own
    #[arg(long, value_delimiter = ',', default_values_t = [1, 10, 40])]
    counts: Vec<usize>,
    /// How often each build is repeated; the fastest counts
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Where the crates are made
    #[arg(long)]
    scratch: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
#[value(rename_all = "snake_case")]
enum Peer {
    GraphqlClient,
}

/// One operation with the fragments it reaches.
#[derive(Clone, Debug)]
struct Operation {
    name: String,
    text: String,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let here = std::env::current_dir()?;
    let mut files = Files::new(&here);
    let source = files.schema(&args.schema)?;
    let schema = Schema::from_sdl(source.clone())?;
    let valid = document::validate(&schema, files.documents(&[&args.operations])?)?;
    let operations = separate(&valid);
    let folder = match &args.scratch {
        Some(folder) => folder.clone(),
        None => std::env::temp_dir().join("tollgate-bench-build"),
    };
    let schema_path = std::path::absolute(&args.schema)?;
    let mut peer = match args.peer {
        Some(Peer::GraphqlClient) => Some(peer::Crates::new(
            &folder,
            &args.schema,
            &source.text,
            &schema,
            &operations,
        )?),
        None => None,
    };
    let taken = match &mut peer {
        Some(peer) => peer.compiling()?,
        None => operations.clone(),
    };
    println!(
        "{} operations{}",
        operations.len(),
        if peer.is_some() {
            format!(", of which the peer takes {}", taken.len())
        } else {
            String::new()
        }
    );
    println!(
        "{:>22} {:>9} {:>9} {:>9} {:>9} {:>12}",
        "", "touch", "fresh", "check", "peak", "expansion"
    );
    let mut last = None;
    let mut counts: Vec<usize> = args
        .counts
        .iter()
        .map(|count| (*count).min(taken.len()))
        .collect();
    counts.dedup();
    for count in counts {
        let ours = our_crate(&folder, &schema_path, &taken[..count])?.measure(args.runs)?;
        row(&format!("tollgate, {count}"), &ours);
        let theirs = match &peer {
            Some(peer) => Some(peer.with(&taken[..count])?.measure(args.runs)?),
            None => None,
        };
        if let Some(theirs) = &theirs {
            row(&format!("graphql_client, {count}"), theirs);
        }
        last = Some((ours, theirs));
    }
    let (ours, theirs) = last.ok_or("there are no operations")?;
    let against = |figure: fn(&Measured) -> f64| {
        theirs.as_ref().map_or("-".to_owned(), |theirs| {
            format!("{:.2}", figure(theirs) / figure(&ours))
        })
    };
    println!(
        "touch_ratio={} fresh_ratio={} touch_s={:.2} fresh_s={:.2} peak_mb={:.0} expansion_ratio={}",
        against(|measured| measured.touch.as_secs_f64()),
        against(|measured| measured.fresh.as_secs_f64()),
        ours.touch.as_secs_f64(),
        ours.fresh.as_secs_f64(),
        megabytes(ours.peak),
        against(|measured| measured.expansion as f64),
    );
    Ok(())
}

fn row(what: &str, measured: &Measured) {
    let seconds = |time: Duration| format!("{:.2} s", time.as_secs_f64());
    println!(
        "{what:>22} {:>9} {:>9} {:>9} {:>6.0} MB {:>9} kB",
        seconds(measured.touch),
        seconds(measured.fresh),
        seconds(measured.check),
        megabytes(measured.peak),
        measured.expansion / 1000,
    );
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// Each operation as a document of its own.
fn separate(document: &Valid<Document>) -> Vec<Operation> {
    let operations = document.operations.iter().map(|operation| Operation {
        name: operation.name.clone(),
        text: emit::minified(document, operation),
    });
    operations.collect()
}

/// The definitions of a minified document: they end where the braces that they open close.
fn definitions(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut depth, mut quoted, mut escaped) = (0, 0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' if !escaped => quoted = !quoted,
            b'{' if !quoted => depth += 1,
            b'}' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    found.push(&text[start..=at]);
                    start = at + 1;
                }
            }
            _ => {}
        }
        escaped = byte == b'\\' && !escaped;
    }
    found
}

fn our_crate(folder: &Path, schema: &Path, operations: &[Operation]) -> Result<Scratch, Failure> {
    let scratch = Scratch::new(folder, &format!("ours_{}", operations.len()))?;
    let sdk = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("sdk");
    scratch.manifest(&format!("tollgate = {{ path = {sdk:?} }}"))?;
    // Each definition once: the operations share their fragments.
    let mut seen = Vec::new();
    for operation in operations {
        for definition in definitions(&operation.text) {
            if !seen.contains(&definition) {
                seen.push(definition);
            }
        }
    }
    scratch.write("queries/all.graphql", &seen.join("\n"))?;
    let uses = operations.iter().map(|operation| {
        let name = &operation.name;
        format!("    good += usize::from(<{name} as tollgate::Operation>::decode(text).is_ok());\n")
    });
    let uses: String = uses.collect();
    scratch.write(
        "src/lib.rs",
        &format!(
            "tollgate::operations! {{ schema: {schema:?}, documents: \"queries\" }}\n\
             pub fn decode(text: &str) -> usize {{\n    let mut good = 0;\n{uses}    good\n}}\n"
        ),
    )?;
    Ok(scratch)
}
