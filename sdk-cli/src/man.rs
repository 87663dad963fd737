//! `tollgate man`: the manual pages.

use std::io::Write;
use std::path::PathBuf;

use clap::CommandFactory;

use crate::cli::Cli;
use crate::error::Error;
use crate::file;

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Write a page for every command into this folder, instead of the main page to the output
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Error> {
    let mut command = Cli::command();
    command.build();
    let Some(folder) = &args.out else {
        return Ok(out.write_all(page(command).as_bytes())?);
    };
    let mut open = vec![("tollgate".to_owned(), command)];
    while let Some((name, command)) = open.pop() {
        for inner in command
            .get_subcommands()
            // `help` has the pages of the others.
            .filter(|inner| !inner.is_hide_set() && inner.get_name() != "help")
        {
            open.push((format!("{name}-{}", inner.get_name()), inner.clone()));
        }
        let path = folder.join(format!("{name}.1"));
        file::replace(&path, page(command.display_name(name)))?;
        writeln!(out, "{}", path.display())?;
    }
    Ok(())
}

fn page(command: clap::Command) -> String {
    let mut page = Vec::new();
    // Writing to memory does not fail.
    let _ = clap_mangen::Man::new(command).render(&mut page);
    String::from_utf8_lossy(&page).into_owned()
}
