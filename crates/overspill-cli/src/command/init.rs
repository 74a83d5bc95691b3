//! `overspill init`: sets up host agents. The work is done in `setup`.

use std::path::PathBuf;

use crate::env::Env;
use crate::{setup, ui};

/// Sets up agents, so that overspill shortens the output of their commands.
///
/// Without a name, `init` lists the agents on this machine. `init` shows every change, and `overspill uninstall` undoes
/// the changes. `init` adds one permission: Claude Code may read saved outputs. `--allow-read` adds more.
/// Restart an agent after `init`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill init
  overspill init claude-code codex
  overspill init gemini --mcp --dry-run
  overspill init opencode --project")]
pub(crate) struct InitArgs {
    /// Agents, such as `claude-code` or `codex` [default: list the agents, change nothing].
    #[arg(value_name = "HOST")]
    pub(crate) hosts: Vec<String>,
    /// Write to the settings of this project, in the private file if the agent has one.
    #[arg(long, conflicts_with = "user")]
    pub(crate) project: bool,
    /// Write to your own settings. This is the default.
    #[arg(long)]
    pub(crate) user: bool,
    /// Show the changes, and write nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Also shorten the results of the agent's MCP servers.
    #[arg(long)]
    pub(crate) mcp: bool,
    /// Also shorten the results of tools that are not commands, by hooks or a plugin.
    #[arg(long)]
    pub(crate) hooks: bool,
    /// Also add a paragraph about overspill to the agent's rules file.
    #[arg(long)]
    pub(crate) rules: bool,
    /// Let the agent run `overspill read`, `grep` and `list` without asking you. Off by default.
    ///
    /// Adds permission rules for these three commands to Claude Code, Gemini CLI and opencode.
    #[arg(long)]
    pub(crate) allow_read: bool,
    /// Write a plugin for Claude Code into this directory, and change no settings.
    #[arg(long, value_name = "DIR")]
    pub(crate) plugin: Option<PathBuf>,
    /// Set up agents that are not found on this machine, and replace your file if `init` writes a file of the same name.
    #[arg(long)]
    pub(crate) force: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &InitArgs, env: &Env) -> u8 {
    ui::ended(setup::init(args, env))
}
