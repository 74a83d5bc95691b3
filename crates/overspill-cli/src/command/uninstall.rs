//! `overspill uninstall`: undoes `init`. The work is done in `setup`.

use crate::env::Env;
use crate::{setup, ui};

/// Undoes `init`.
///
/// A file that you have not changed since `init` is restored exactly. From a changed file overspill removes only its
/// own entries. Saved outputs stay.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill uninstall claude-code
  overspill uninstall --all --dry-run")]
pub(crate) struct UninstallArgs {
    /// Agents, such as `claude-code` or `codex`.
    #[arg(value_name = "HOST", required_unless_present = "all")]
    pub(crate) hosts: Vec<String>,
    /// Undo `init` for all agents that were set up.
    #[arg(long, conflicts_with = "hosts")]
    pub(crate) all: bool,
    /// Show the changes, and write nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn run(args: &UninstallArgs, env: &Env) -> u8 {
    ui::ended(setup::uninstall(args, env))
}
