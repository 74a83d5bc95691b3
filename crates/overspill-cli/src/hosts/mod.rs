//! The host agents as data: their settings files, the changes that `init` makes there, and how to recognise a host.
//!
//! `init`, `uninstall`, `doctor`, `hook` and `sh` read this table; none of them names a host.

mod background_log;
mod by_alias;
mod by_contract;
pub(crate) mod escape;
pub(crate) mod frame;
pub(crate) mod hook;
mod moved_home;
mod own_cut;
mod own_slot;
#[cfg(test)]
mod page;
mod table;
mod task_file;

use std::path::{Path, PathBuf};
use std::time::Duration;

use overspill::Profile;
use overspill::core::{Limits, Policy};

pub(crate) use background_log::{BackgroundLog, ExpectedLog};
pub(crate) use moved_home::{below_home, moving_variable};
pub(crate) use own_cut::OwnCut;
pub(crate) use own_slot::{OwnSlot, SlotKind};
pub(crate) use table::HOSTS;
pub(crate) use task_file::TaskFile;

use self::hook::HookFormat;
use crate::env::Env;
use crate::process::{self, Leftover, OutputEnd};
use crate::settings::variables::{ACTIVE, HOST};

/// The names of shells that a link to overspill can replace.
pub(crate) const SHELLS: [&str; 4] = ["bash", "sh", "zsh", "dash"];

/// The largest output that every host shows whole, as far as their limits are known.
pub(crate) const LIMITS: Limits = Limits::NONE.bytes(51_200).lines(1_900).chars(9_500);

/// The largest output that a host shows whole. The host could cut the notice of a longer text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ceiling {
    pub(crate) limits: Limits,
    /// The limits of a command that failed, if they are smaller.
    pub(crate) if_failed: Option<Limits>,
}

impl Ceiling {
    /// The ceiling of a host whose limits are not known.
    pub(crate) const UNKNOWN: Ceiling = Ceiling { limits: LIMITS, if_failed: None };

    /// Returns the ceiling of the hosts that run this process.
    pub(crate) fn around(env: &Env) -> Ceiling {
        let both = |a: Ceiling, b: Ceiling| Ceiling {
            limits: a.limits.tightened(&b.limits),
            if_failed: a.if_failed.map_or(b.if_failed, |limits| {
                Some(b.if_failed.map_or(limits, |other| limits.tightened(&other)))
            }),
        };
        Host::around(env).map(|host| host.ceiling).reduce(both).unwrap_or(Ceiling::UNKNOWN)
    }

    /// Returns our own profile with these limits.
    pub(crate) fn profile(&self) -> Profile {
        let Ceiling { limits, .. } = *self;
        Profile {
            policy: Policy { trigger: limits, limits, ..Profile::OWN.policy },
            ..Profile::OWN
        }
    }
}

/// A host agent.
#[derive(Debug)]
pub(crate) struct Host {
    /// The name of the host on the command line of overspill.
    pub(crate) name: &'static str,
    /// The full name of the host.
    pub(crate) title: &'static str,
    /// The names of its programs.
    pub(crate) programs: &'static [&'static str],
    /// A directory that exists on machines with the host.
    pub(crate) home: &'static str,
    /// A variable that the host sets for its commands.
    pub(crate) mark: Option<&'static str>,
    /// The variable with the id of the session that the host sets for its commands.
    pub(crate) session: Option<&'static str>,
    /// A text in each command of the host. Other commands come from processes that the host has
    /// started, such as MCP servers, which must get the whole output.
    pub(crate) frame: Option<&'static str>,
    /// The names of the process that starts the commands of the host. Empty if `mark` is enough: if
    /// the variable does not reach other processes, such as MCP servers.
    pub(crate) parents: &'static [&'static str],
    /// The use of the standard input of commands, if that is a pipe or a socket.
    pub(crate) input: CommandInput,
    /// The part of the output for which the host waits, if the shell leaves a job behind.
    pub(crate) waits_for: WaitsFor,
    /// The files into which commands of the host write their output.
    pub(crate) task_files: Option<TaskFiles>,
    /// The log that the host makes for a command that it moves to the background.
    pub(crate) background_log: Option<BackgroundLog>,
    /// Whether the host runs commands on a terminal and reads the screen.
    pub(crate) on_terminal: bool,
    /// Whether the shells of the host are login shells, which set a new PATH.
    pub(crate) resets_path: bool,
    /// The way in which outputs of the host reach overspill, in a few words.
    pub(crate) how: &'static str,
    /// The shell that the host runs if its settings name no shell.
    pub(crate) shell: DefaultShell,
    /// The kind of program in the settings that `init` replaces by our link.
    pub(crate) slot: Option<SlotKind>,
    /// The variable that names one more settings file. That file overrides the user's.
    pub(crate) settings_variable: Option<&'static str>,
    /// The changes that `init` makes.
    pub(crate) steps: &'static [SetupStep],
    /// The changes that `init --hooks` adds.
    pub(crate) second: &'static [SetupStep],
    /// The rules of `init --allow-read`, with which the host reads saved outputs without asking.
    pub(crate) reading: &'static [SetupStep],
    /// The reason why the host has no rules in `reading`.
    pub(crate) no_reading: &'static str,
    /// The tool of the host that opens files by lines. `init` allows this tool to read the store.
    pub(crate) file_tool: Option<&'static str>,
    /// The file of its MCP servers.
    pub(crate) servers: Option<HostFile>,
    /// The file of its rules.
    pub(crate) rules: Option<HostFile>,
    /// The format of its hook.
    pub(crate) hook: Option<&'static dyn HookFormat>,
    /// The files of our plugin for the host: paths and texts.
    pub(crate) bundle: &'static [(&'static str, &'static str)],
    /// Files of a project that override the user's.
    pub(crate) overrides: &'static [&'static str],
    /// The largest output that the host shows whole.
    pub(crate) ceiling: Ceiling,
    /// The way in which the host cuts the output of a command without overspill, if it is known.
    pub(crate) own_cut: Option<OwnCut>,
    /// The directories of transcripts. `$data` is the directory in which programs keep data.
    pub(crate) transcripts: &'static [&'static str],
    /// The database in which the host keeps its sessions, and the command that exports a transcript.
    pub(crate) session_database: Option<(&'static str, &'static str)>,
    /// Steps that the user must take.
    pub(crate) then: Option<&'static str>,
}

/// The use of a pipe or a socket that a host gives to a command as standard input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommandInput {
    /// The host may write to the command, so the real shell runs the command.
    Used,
    /// The host closes the input at once, except for a process that it writes to.
    Closed,
    /// The host leaves the input open and writes nothing.
    Unused,
}

/// The shell that runs the commands of a host if its settings name none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DefaultShell {
    Bash,
    /// The shell in `SHELL`, or bash if that has one of these names.
    OfUser {
        except: &'static [&'static str],
    },
}

impl DefaultShell {
    /// Returns the shell of the user, if the host would run it.
    pub(crate) fn of_user(self, env: &Env) -> Option<PathBuf> {
        let DefaultShell::OfUser { except } = self else { return None };
        let shell = PathBuf::from(env.variable("SHELL")?);
        let name = shell.file_name()?.to_str()?.to_lowercase();
        let place = if shell.is_absolute() {
            Some(shell)
        } else {
            env.on_path(&name).find(|path| path.is_file())
        };
        place.filter(|_| !except.contains(&&*name))
    }

    /// Returns the name of the link in the place of the shell. Hosts choose options by this name.
    pub(crate) fn link(self, env: &Env) -> &'static str {
        let name = self.of_user(env).filter(|shell| shell.is_file());
        let name = name.and_then(|shell| Some(shell.file_name()?.to_str()?.to_owned()));
        let known = SHELLS.into_iter().find(|known| Some(*known) == name.as_deref());
        known.unwrap_or("bash")
    }
}

/// The part of the output for which a host waits if a background job keeps the output open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WaitsFor {
    /// The whole output, until every process has closed it.
    PipeEnd,
    /// Like `Moment`, for a host that tells the model if a job is left after this time.
    ToldMoment(Duration),
    /// The output until this time after the end of the shell. The time can be zero.
    Moment(Duration),
    /// The output until the command prints nothing for this time.
    Pause(Duration),
    /// An unknown part.
    Unknown,
}

/// The files into which commands of a host write: `…/PROJECT/SESSION/FOLDER/TASK.ENDING`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TaskFiles {
    pub(crate) folder: &'static str,
    pub(crate) ending: &'static str,
    /// The logs of sessions, which name background tasks: `LOGS/PROJECT/SESSION.jsonl`.
    pub(crate) logs: &'static str,
}

/// The paths of a host's file: the user's, and a project's, which begins at the root of the project. `~` is the home
/// directory, and `$config` the directory of settings. An empty path means that the host has no such file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HostFile {
    pub(crate) user: &'static str,
    pub(crate) project: &'static str,
}

/// A change of a file. `init` fills in the words between `@`: `@BIN@` is the directory of our links, `@COMMAND@` the
/// path of overspill quoted for a shell, `@PROGRAM@` the path of overspill, `@SHELL@` the name of the shell that runs
/// the commands of the host, `@OUTPUTS@` the directory of outputs, and `@VERSION@` the version of overspill. In the
/// settings of a project, `@OUTPUTS@` is the folder of this project; the user's settings apply in all projects.
#[derive(Debug)]
pub(crate) enum SetupStep {
    /// A value of a JSON file.
    Json { place: HostFile, path: &'static [&'static str], value: &'static str },
    /// A value of a JSON file that has no such value yet.
    JsonDefault { place: HostFile, path: &'static [&'static str], value: &'static str },
    /// An item in a list of a JSON file.
    JsonItem { place: HostFile, path: &'static [&'static str], value: &'static str },
    /// A value of a TOML file.
    Toml { place: HostFile, path: &'static [&'static str], value: &'static str },
    /// A value of a JSON file, if the object around it exists.
    JsonMember { place: HostFile, path: &'static [&'static str], value: &'static str },
    /// A variable in a file of variables.
    Variable { place: HostFile, name: &'static str, value: &'static str },
    /// A file that overspill writes.
    File { place: HostFile, text: &'static str },
    /// A link to overspill with this name, in the directory of our links.
    Link(&'static str),
    /// A link to overspill with the name of the shell that runs the commands of the host.
    ShellLink,
    /// A file that overspill writes into the directory of our links.
    Script { name: &'static str, text: &'static str },
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
            | SetupStep::JsonMember { place, .. }
            | SetupStep::Toml { place, .. }
            | SetupStep::Variable { place, .. }
            | SetupStep::File { place, .. } => Some(*place),
            SetupStep::Link(_) | SetupStep::ShellLink | SetupStep::Script { .. } => None,
        };
        let steps = self.steps.iter().chain(self.second).chain(self.reading).filter_map(place);
        steps.chain(self.servers).chain(self.rules)
    }

    /// Returns the end of the output for which the host of this process waits, and the treatment of later output.
    ///
    /// If several hosts differ, the usual end applies, so that a server in the background does not make a host wait.
    pub(crate) fn output_end(env: &Env) -> (OutputEnd, Leftover) {
        let ends = Host::around(env).map(|host| match host.waits_for {
            WaitsFor::PipeEnd => (OutputEnd::PipeEnd, Leftover::Dropped),
            WaitsFor::ToldMoment(time) => (OutputEnd::After(time), Leftover::Held(time)),
            WaitsFor::Moment(time) => (OutputEnd::After(time), Leftover::Dropped),
            WaitsFor::Pause(pause) => {
                (OutputEnd::Pause { pause, longest: None }, Leftover::Dropped)
            }
            WaitsFor::Unknown => (OutputEnd::USUAL, Leftover::Dropped),
        });
        let ends: Vec<_> = ends.collect();
        match ends.split_first() {
            Some((first, rest)) if rest.iter().all(|other| other == first) => *first,
            _ => (OutputEnd::USUAL, Leftover::Dropped),
        }
    }

    /// Returns the tool with which the host of this process opens saved outputs. Returns `None` if this process has
    /// several hosts.
    pub(crate) fn file_tool(env: &Env) -> Option<&'static str> {
        let mut around = Host::around(env);
        around.next().filter(|_| around.next().is_none())?.file_tool
    }

    /// Returns the hosts that run this process. A host may run inside another host.
    pub(crate) fn around(env: &Env) -> impl Iterator<Item = &'static Host> {
        let is_set = |mark: &str| env.variable(mark).is_some();
        let named = env.variable(HOST);
        HOSTS.iter().filter(move |host| {
            host.mark.is_some_and(is_set)
                || named.as_deref().is_some_and(|named| named == host.name)
        })
    }
}

/// The settings files of MCP clients that are not hosts.
const OTHER_CLIENTS: [&str; 4] = [
    "$config/Code/User/mcp.json",
    "$config/Claude/claude_desktop_config.json",
    "~/Library/Application Support/Code/User/mcp.json",
    "~/Library/Application Support/Claude/claude_desktop_config.json",
];

/// Returns the files below `home` and `config` in which hosts keep a user's MCP servers.
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

/// Tells whether a parent process is overspill and shortens the output of this process.
pub(crate) fn is_already_shortened(env: &Env) -> bool {
    let process = env.variable(ACTIVE).and_then(|value| value.to_str()?.parse().ok());
    // Processes that outlast the command, such as a terminal multiplexer, inherit the variable.
    process.is_some_and(process::is_below)
}

/// Tells whether a host runs this process, directly or through another overspill.
pub(crate) fn is_inside(env: &Env) -> bool {
    Host::around(env).next().is_some() || env.variable(ACTIVE).is_some()
}

/// Returns the limits of a page of a saved output.
pub(crate) fn page(env: &Env) -> Limits {
    let inside = is_inside(env);
    // Pages are measured in bytes, and a character has at least one byte.
    let Limits { bytes, chars, lines, .. } = Ceiling::around(env).limits;
    let bytes = [bytes, chars].into_iter().flatten().min();
    if inside { Limits { bytes, lines, ..Limits::NONE } } else { Policy::LIMITS }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_of_the_table_is_in_the_documentation_and_the_tests() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut missing = Vec::new();
        for host in HOSTS {
            let name = host.name;
            let places = [
                ("README.md", name.to_owned(), true),
                ("docs/hosts.md", format!("| `{name}` |"), true),
                ("crates/overspill-cli/tests/it/hosts/init.rs", format!("\"{name}\","), true),
                (
                    "crates/overspill-cli/tests/hosts/payloads.json",
                    format!("\"host\": \"{name}\""),
                    host.hook.is_some(),
                ),
            ];
            for (file, wanted, _) in places.into_iter().filter(|(.., is_needed)| *is_needed) {
                let text = std::fs::read_to_string(root.join(file)).unwrap_or_default();
                if !text.contains(&wanted) {
                    missing.push(format!("{file} lacks {wanted}"));
                }
            }
        }
        assert_eq!(missing, Vec::<String>::new());
    }

    #[test]
    fn page_is_smaller_inside_a_host() {
        let names = |variables: &[(&str, &str)]| {
            let env = Env::of_table(variables, Path::new("/"));
            let names: Vec<&str> = Host::around(&env).map(|host| host.name).collect();
            (names, page(&env))
        };
        assert_eq!(names(&[]), (vec![], Policy::LIMITS));
        let inside = Limits::NONE.bytes(9_500).lines(1_900);
        assert_eq!(names(&[("CODEX_THREAD_ID", "1")]), (vec!["codex"], inside));
        let larger = inside.bytes(29_500);
        assert_eq!(names(&[("CLAUDECODE", "1")]), (vec!["claude-code"], larger));
        let nested = [("CLAUDECODE", "1"), ("CODEX_THREAD_ID", "1")];
        assert_eq!(names(&nested), (vec!["claude-code", "codex"], inside));
        assert_eq!(names(&[(ACTIVE, "1")]), (vec![], inside));
    }
}
