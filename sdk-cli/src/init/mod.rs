//! `tollgate init`: a schema, a first query and an example.

use std::io::Write;
use std::path::{Path, PathBuf};

use tollgate_codegen::schema::CLIENT_DIRECTIVES;

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

/// What to do now, in a folder that has a `Cargo.toml` or has none.
fn next(folder: &Path, out: &mut dyn Write) -> Result<(), Error> {
    writeln!(out, "\n{}", styled(look::STRONG, "Next"))?;
    if !folder.join("Cargo.toml").exists() {
        writeln!(out, "  cargo init")?;
    }
    writeln!(out, "  cargo add tollgate")?;
    writeln!(out, "  cargo add tokio --features macros,rt-multi-thread")?;
    writeln!(out, "  tollgate shop --port 4000 &")?;
    writeln!(
        out,
        "  TOLLGATE_ENDPOINT=http://127.0.0.1:4000 cargo run --example first_products"
    )?;
    let whole =
        "The schema here is the part of the Admin API that common jobs use. The whole of it:";
    writeln!(out, "\n{}", styled(look::FAINT, whole))?;
    writeln!(
        out,
        "  TOLLGATE_TOKEN=… tollgate schema pull --shop my-shop.myshopify.com"
    )?;
    Ok(())
}
