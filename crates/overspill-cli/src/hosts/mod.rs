//! Host agents, as data: where their settings are, what is written there, and how they are recognised.
//!
//! `init`, `uninstall`, `doctor`, `hook` and `sh` look things up here; none of them names a host.

mod table;

use std::path::{Path, PathBuf};

use overspill::Profile;
use overspill::core::{Limits, Policy};

pub(crate) use table::HOSTS;

use crate::home;
use crate::process;
use crate::settings::variables::ACTIVE;

/// As much as every host shows without cutting it once more, and maybe our notice away.
pub(crate) const LIMITS: Limits = Limits::NONE.bytes(51_200).lines(1_900).chars(9_500);

/// A host agent.
#[derive(Debug)]
pub(crate) struct Host {
    /// What it is called on our command line.
    pub(crate) name: &'static str,
    /// What it calls itself.
    pub(crate) title: &'static str,
    /// Its programs.
    pub(crate) programs: &'static [&'static str],
    /// A directory that is there where it is used.
    pub(crate) home: &'static str,
    /// A variable that the commands it runs find in their environment.
    pub(crate) mark: Option<&'static str>,
    /// What each of its own commands has in it. What has not is run by something that it has started,
    /// such as an MCP server, which must get all of what it asked for.
    pub(crate) frame: Option<&'static str>,
    /// It runs commands on a terminal and reads what that shows.
    pub(crate) on_terminal: bool,
    /// Its shells are login shells, which begin with a PATH of their own.
    pub(crate) resets_path: bool,
    /// How it is bounded, in a few words.
    pub(crate) how: &'static str,
    /// What is written for that.
    pub(crate) steps: &'static [SetupStep],
    /// What is written on request, as a second layer.
    pub(crate) second: &'static [SetupStep],
    /// Where its MCP servers are.
    pub(crate) servers: Option<HostFile>,
    /// Where its rules are.
    pub(crate) rules: Option<HostFile>,
    /// What `hook` gets from it, and gives.
    pub(crate) hook: Option<HookShape>,
    /// What a plugin of ours for it consists of: paths and texts.
    pub(crate) bundle: &'static [(&'static str, &'static str)],
    /// Files of a project that have their way against the user's.
    pub(crate) overrides: &'static [&'static str],
    /// What is left for the user to do.
    pub(crate) then: Option<&'static str>,
}

/// A file of a host: the user's, and a project's. `~` is the home directory, `$config` the one of
/// settings; a project's begin at its root. What is empty is not to be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HostFile {
    pub(crate) user: &'static str,
    pub(crate) project: &'static str,
}

/// Something that is written. Words between `@` stand for what is known only here: `@BIN@` for the
/// directory of our links, `@COMMAND@` for our program as a word of a shell, `@PROGRAM@` for its path,
/// `@STORE@` for the directory of outputs, `@VERSION@` for our version.
#[derive(Debug)]
pub(crate) enum SetupStep {
    /// A value of a JSON file.
    Json { place: HostFile, path: &'static [&'static str], value: &'static str },
    /// A value that such a file must have, whatever it is.
    JsonDefault { place: HostFile, path: &'static [&'static str], value: &'static str },
    /// One more in a list of a JSON file.
    JsonItem { place: HostFile, path: &'static [&'static str], value: &'static str },
    /// A value of a TOML file.
    Toml { place: HostFile, path: &'static [&'static str], value: &'static str },
    /// A variable in a file of variables.
    Variable { place: HostFile, name: &'static str, value: &'static str },
    /// A file of our own.
    File { place: HostFile, text: &'static str },
    /// A name that our program goes by, in the directory of our links.
    Link(&'static str),
    /// A file of our own, in the same directory.
    Script { name: &'static str, text: &'static str },
}

/// The form in which a host hands over what a tool has returned, and takes it back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HookShape {
    /// `tool_response` in, `hookSpecificOutput.updatedToolOutput` out, in the tool's own form.
    Claude,
    /// `toolResult` in, `modifiedResult` out; the whole text may be in a file.
    Copilot,
    /// A command line before it is run, and what an MCP tool has returned.
    Cursor,
    /// What our own plugins send: `text` or `content` in and out.
    Plugin,
}

impl Host {
    /// Returns the host of this name.
    pub(crate) fn named(name: &str) -> Option<&'static Host> {
        HOSTS.iter().find(|host| host.name == name)
    }

    /// Returns the files that may be written for the host.
    pub(crate) fn files(&self) -> impl Iterator<Item = HostFile> {
        let place = |step: &SetupStep| match step {
            SetupStep::Json { place, .. }
            | SetupStep::JsonDefault { place, .. }
            | SetupStep::JsonItem { place, .. }
            | SetupStep::Toml { place, .. }
            | SetupStep::Variable { place, .. }
            | SetupStep::File { place, .. } => Some(*place),
            SetupStep::Link(_) | SetupStep::Script { .. } => None,
        };
        let steps = self.steps.iter().chain(self.second).filter_map(place);
        steps.chain(self.servers).chain(self.rules)
    }

    /// Returns the hosts that have started us; one may run in another.
    pub(crate) fn around() -> impl Iterator<Item = &'static Host> {
        let is_set = |mark: &str| home::variable(mark).is_some();
        HOSTS.iter().filter(move |host| host.mark.is_some_and(is_set))
    }
}

/// Clients of MCP that are no hosts: their settings files.
const OTHER_CLIENTS: [&str; 4] = [
    "$config/Code/User/mcp.json",
    "$config/Claude/claude_desktop_config.json",
    "~/Library/Application Support/Code/User/mcp.json",
    "~/Library/Application Support/Claude/claude_desktop_config.json",
];

/// Returns the files below `home` and `config` where hosts keep a user's MCP servers.
pub(crate) fn user_files(home: &Path, config: &Path) -> impl Iterator<Item = PathBuf> {
    let servers = HOSTS.iter().filter_map(|host| Some(host.servers?.user));
    servers.chain(OTHER_CLIENTS).filter_map(move |named| {
        match (named.strip_prefix("~/"), named.strip_prefix("$config/")) {
            (Some(below), _) => Some(home.join(below)),
            (_, Some(below)) => Some(config.join(below)),
            _ => None,
        }
    })
}

/// Our own profile, with limits that fit every host.
pub(crate) fn profile() -> Profile {
    Profile {
        policy: Policy { trigger: LIMITS, limits: LIMITS, ..Profile::OWN.policy },
        ..Profile::OWN
    }
}

/// Tells whether somebody above us bounds what we print.
pub(crate) fn is_bounded() -> bool {
    let process = home::variable(ACTIVE).and_then(|value| value.to_str()?.parse().ok());
    // It is inherited by what outlasts the command, such as a terminal multiplexer.
    process.is_some_and(process::is_below)
}

/// Returns what an answer of ours may measure, such as a page of an output.
pub(crate) fn page() -> Limits {
    let inside = Host::around().next().is_some() || home::variable(ACTIVE).is_some();
    // No character is less than a byte, and pages are measured in bytes.
    let most = LIMITS.chars.unwrap_or(u64::MAX);
    if inside { Limits::NONE.bytes(most).lines(1_900) } else { Policy::LIMITS }
}
