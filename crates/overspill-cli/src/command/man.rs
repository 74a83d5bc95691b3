//! `overspill man` and `overspill completions`

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::CommandFactory;
use clap_complete::Shell;

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

/// Prints what a shell needs to complete our words.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill completions bash > ~/.local/share/bash-completion/completions/overspill
  overspill completions zsh > ~/.zfunc/_overspill
  overspill completions fish > ~/.config/fish/completions/overspill.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell.
    shell: Shell,
}

pub(crate) fn completions(args: &CompletionsArgs) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "overspill", &mut script);
    ui::answer_bytes(&script)
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
