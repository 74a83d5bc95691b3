//! `overspill man`: prints the manual page, or writes the pages of all commands.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::CommandFactory;

use super::manual;
use crate::args::Args;
use crate::env::Env;
use crate::ui;

/// Prints the manual page, or writes one for each command.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill man | man -l -
  overspill man --dir ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Write a page for each command into this directory [default: print one page].
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub(crate) fn run(args: &ManArgs, _: &Env) -> u8 {
    ui::ended(man(args))
}

fn man(args: &ManArgs) -> anyhow::Result<()> {
    let mut program = Args::command();
    program.build();
    match &args.dir {
        None => ui::answer_bytes(&manual::page(&program, &[])?.1),
        Some(dir) => {
            fs::create_dir_all(dir).map_err(|error| unwritten(dir, &error))?;
            write(dir, &program, &[])
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

/// Writes the pages of a command and its subcommands. `above` has its parents, the program first.
fn write(dir: &Path, command: &clap::Command, above: &[&clap::Command]) -> anyhow::Result<()> {
    let (name, text) = manual::page(command, above)?;
    let file = dir.join(name);
    fs::write(&file, text).map_err(|error| unwritten(&file, &error))?;
    let above: Vec<&clap::Command> = above.iter().copied().chain([command]).collect();
    command.get_subcommands().try_for_each(|command| write(dir, command, &above))
}
