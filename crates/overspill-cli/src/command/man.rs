//! `overspill man`

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::CommandFactory;

use crate::args::Args;
use crate::env::Env;
use crate::ui;

/// Prints the manual page, or writes one for each command.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill man | man -l -
  overspill man --dir ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Write a page for each command into this directory.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub(crate) fn run(args: &ManArgs, _: &Env) -> u8 {
    ui::ended(man(args))
}

fn man(args: &ManArgs) -> anyhow::Result<()> {
    // Of `help` there is no page: what it says is what the pages say.
    let mut program = Args::command().disable_help_subcommand(true);
    program.build();
    match &args.dir {
        None => ui::answer_bytes(&page(&program)?.1),
        Some(dir) => {
            fs::create_dir_all(dir).map_err(|error| unwritten(dir, &error))?;
            write(dir, &program)
        }
    }
}

fn unwritten(path: &Path, error: &std::io::Error) -> anyhow::Error {
    anyhow!(
        "{}: {}\n\nhint: name a directory that you can write to: `overspill man --dir .`",
        ui::path(path),
        ui::reason(error)
    )
}

/// Writes the page of a command, and those of the commands in it, which it refers to.
fn write(dir: &Path, command: &clap::Command) -> anyhow::Result<()> {
    let (name, text) = page(command)?;
    let file = dir.join(name);
    fs::write(&file, text).map_err(|error| unwritten(&file, &error))?;
    command.get_subcommands().try_for_each(|command| write(dir, command))
}

/// Returns the page of a command, and the name of its file.
fn page(command: &clap::Command) -> anyhow::Result<(String, Vec<u8>)> {
    let source = concat!("overspill ", env!("CARGO_PKG_VERSION"));
    let man = clap_mangen::Man::new(command.clone()).source(source);
    let mut page = Vec::new();
    man.render(&mut page)?;
    Ok((man.get_filename(), page))
}
