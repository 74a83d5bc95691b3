//! `overspill init`

use std::path::PathBuf;

use crate::env::Env;
use crate::{setup, ui};

/// Sets up agents, so that overspill shortens everything they run.
///
/// Without a name it lists the hosts that are on this machine. Shows what it changes, keeps everything
/// else in a file as it is, and notes how each file was: `overspill uninstall` gives it back byte for byte.
/// The only permission it adds is reading saved outputs with the host's own tool. `--allow-read` adds more.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill init
  overspill init claude-code codex
  overspill init gemini --mcp --dry-run
  overspill init opencode --project")]
pub(crate) struct InitArgs {
    /// Hosts, such as `claude-code` or `codex`.
    #[arg(value_name = "HOST")]
    pub(crate) hosts: Vec<String>,
    /// Write to the settings of this project; to your private ones if the agent has them.
    #[arg(long, conflicts_with = "user")]
    pub(crate) project: bool,
    /// In your own settings, which is the default.
    #[arg(long)]
    pub(crate) user: bool,
    /// Only show what would be changed.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Put the proxy in front of the host's MCP servers, too.
    #[arg(long)]
    pub(crate) mcp: bool,
    /// Add the second layer: hooks or a plugin for what is no command.
    #[arg(long)]
    pub(crate) hooks: bool,
    /// Add a paragraph to the host's file of rules.
    #[arg(long)]
    pub(crate) rules: bool,
    /// Let the host run `overspill read`, `grep` and `list` without asking you. Off by default.
    ///
    /// Adds permission rules for these three commands to Claude Code, Gemini CLI and opencode.
    #[arg(long)]
    pub(crate) allow_read: bool,
    /// Write a plugin for the host into this directory, and nothing else.
    #[arg(long, value_name = "DIR")]
    pub(crate) plugin: Option<PathBuf>,
    /// Write for hosts that are not found here, and over files of the same name.
    #[arg(long)]
    pub(crate) force: bool,
    /// As JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &InitArgs, env: &Env) -> u8 {
    ui::ended(setup::init(args, env))
}
