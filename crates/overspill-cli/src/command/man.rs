//! `overspill man`

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::CommandFactory;

use crate::args::Args;
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

pub(crate) fn man(args: &ManArgs) -> anyhow::Result<()> {
    let mut program = Args::command();
    program.build();
    let Some(dir) = &args.dir else { return ui::answer_bytes(&page(&program)?) };
    fs::create_dir_all(dir).with_context(|| dir.display().to_string())?;
    write(dir, "overspill", &program)?;
    for command in program.get_subcommands().filter(|command| command.get_name() != "help") {
        write(dir, &format!("overspill-{}", command.get_name()), command)?;
    }
    Ok(())
}

fn write(dir: &Path, name: &str, command: &clap::Command) -> anyhow::Result<()> {
    let file = dir.join(format!("{name}.1"));
    fs::write(&file, page(command)?).with_context(|| file.display().to_string())
}

fn page(command: &clap::Command) -> anyhow::Result<Vec<u8>> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    Ok(page)
}
