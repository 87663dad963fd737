//! `tollgate init`: a schema, a first query and an example.

use std::io::Write;
use std::path::{Path, PathBuf};

use tollgate_codegen::schema::CLIENT_DIRECTIVES;
use tollgate_codegen::source::read_text;

use crate::error::Error;
use crate::file;
use crate::look::{self, styled};

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The folder of the project
    #[arg(default_value = ".")]
    folder: PathBuf,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Error> {
    let files = [
        ("schema/admin.graphql", tollgate_shop::SCHEMA),
        ("schema/tollgate.graphql", CLIENT_DIRECTIVES),
        (
            "queries/first_products.graphql",
            include_str!("first_products.graphql"),
        ),
        (
            "examples/first_products.rs",
            include_str!("first_products.rs"),
        ),
        (".graphqlrc.yml", include_str!("graphqlrc.yml")),
    ];
    for (name, text) in files {
        let made = file::create(&args.folder.join(name), text)?;
        let (style, word) = if made {
            (look::GOOD, "made")
        } else {
            (look::FAINT, "kept")
        };
        writeln!(out, "{}  {name}", styled(style, word))?;
    }
    next(&args.folder, out)
}

/// What to do now, less what the folder's `Cargo.toml` has already.
fn next(folder: &Path, out: &mut dyn Write) -> Result<(), Error> {
    // One that cannot be read has nothing yet.
    let manifest = read_text(&folder.join("Cargo.toml")).unwrap_or_default();
    let depends = |name: &str| {
        // `name = …`, `name.workspace = …`, or a table of its own.
        let named = |line: &str| {
            let line = line.trim();
            let line = line.strip_prefix("[dependencies.").unwrap_or(line);
            let rest = line.strip_prefix(name).map(str::trim_start);
            rest.is_some_and(|rest| rest.starts_with(['=', '.', ']']))
        };
        manifest.lines().any(named)
    };
    writeln!(out, "\n{}", styled(look::STRONG, "Next"))?;
    let mut step = |command: &str, note: &str| match note {
        "" => writeln!(out, "  {command}"),
        note => writeln!(
            out,
            "  {command}  {}",
            styled(look::FAINT, format!("# {note}"))
        ),
    };
    if folder != Path::new(".") {
        step(&format!("cd {}", folder.display()), "")?;
    }
    if !folder.join("Cargo.toml").exists() {
        step("cargo init", "")?;
    }
    if !depends("tollgate") {
        let once = "the clone; once it is published: cargo add tollgate";
        step("cargo add tollgate --path ../tollgate/sdk", once)?;
    }
    if !depends("tokio") {
        step("cargo add tokio --features macros,rt-multi-thread", "")?;
    }
    step("tollgate shop", "an emulated shop; in another terminal")?;
    step("cargo run --example first_products", "")?;
    let whole =
        "The schema here is the part of the Admin API that common jobs use. The whole of it:";
    writeln!(out, "\n{}", styled(look::FAINT, whole))?;
    writeln!(
        out,
        "  TOLLGATE_TOKEN=… tollgate schema pull --shop my-shop.myshopify.com"
    )?;
    Ok(())
}
