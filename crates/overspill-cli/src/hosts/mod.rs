//! Host agents, as data: where their settings are, what is written there, and how they are recognised.
//!
//! `init`, `uninstall`, `doctor`, `hook` and `sh` look things up here; none of them names a host.

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

/// Shells that we can be called in the place of.
pub(crate) const SHELLS: [&str; 4] = ["bash", "sh", "zsh", "dash"];

/// The largest output that every host shows whole, as far as their limits are known.
pub(crate) const LIMITS: Limits = Limits::NONE.bytes(51_200).lines(1_900).chars(9_500);

/// The largest output that a host shows whole. A host that cuts more may cut our notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ceiling {
    pub(crate) limits: Limits,
    /// The limits of a command that failed, if they are smaller.
    pub(crate) if_failed: Option<Limits>,
}

impl Ceiling {
    /// The ceiling of a host whose limits are not known.
    pub(crate) const UNKNOWN: Ceiling = Ceiling { limits: LIMITS, if_failed: None };

    /// Returns the ceiling of the hosts that have started us.
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
    /// Its name on our command line.
    pub(crate) name: &'static str,
    /// Its own name.
    pub(crate) title: &'static str,
    /// Its programs.
    pub(crate) programs: &'static [&'static str],
    /// A directory that its users have.
    pub(crate) home: &'static str,
    /// A variable in the environment of the commands that it runs.
    pub(crate) mark: Option<&'static str>,
    /// A text in each of its own commands. A command without this text is run by a process that the host
    /// has started, such as an MCP server, which must get the whole output.
    pub(crate) frame: Option<&'static str>,
    /// The names of the process that starts its commands, where its mark also reaches others, such as MCP
    /// servers. Nothing if the mark is enough.
    pub(crate) parents: &'static [&'static str],
    /// The use of the standard input of its commands, if that is a pipe or a socket.
    pub(crate) input: CommandInput,
    /// The output of a command that it waits for, if the shell leaves a job behind.
    pub(crate) waits_for: WaitsFor,
    /// It gives each command a file for its output, also one that runs in the background.
    pub(crate) task_files: Option<TaskFiles>,
    /// The log that it makes for a command when it moves the command to the background.
    pub(crate) background_log: Option<BackgroundLog>,
    /// It runs commands on a terminal and reads the screen.
    pub(crate) on_terminal: bool,
    /// Its shells are login shells, which begin with a PATH of their own.
    pub(crate) resets_path: bool,
    /// How its outputs reach us, in a few words.
    pub(crate) how: &'static str,
    /// The shell that it runs commands by if its settings name none.
    pub(crate) shell: DefaultShell,
    /// The kind of program that `init` replaces in its settings by our link. The user may have one there.
    pub(crate) slot: Option<SlotKind>,
    /// The variable that names one more file of settings. That file has its way against the user's.
    pub(crate) settings_variable: Option<&'static str>,
    /// The changes that `init` makes.
    pub(crate) steps: &'static [SetupStep],
    /// The changes of the second layer, on request.
    pub(crate) second: &'static [SetupStep],
    /// The rules that let it read saved outputs without asking, on request.
    pub(crate) reading: &'static [SetupStep],
    /// Why there are none.
    pub(crate) no_reading: &'static str,
    /// Its tool that opens files by lines. `init` allows this tool to read the store.
    pub(crate) file_tool: Option<&'static str>,
    /// The file of its MCP servers.
    pub(crate) servers: Option<HostFile>,
    /// The file of its rules.
    pub(crate) rules: Option<HostFile>,
    /// The form of its hook.
    pub(crate) hook: Option<&'static dyn HookFormat>,
    /// The files of our plugin for it: paths and texts.
    pub(crate) bundle: &'static [(&'static str, &'static str)],
    /// Files of a project that override the user's.
    pub(crate) overrides: &'static [&'static str],
    /// The largest output that it shows whole.
    pub(crate) ceiling: Ceiling,
    /// The way in which it cuts the output of a command itself, without overspill, if that was seen.
    pub(crate) own_cut: Option<OwnCut>,
    /// The directories of its transcripts. `$data` is the directory in which programs keep their data.
    pub(crate) transcripts: &'static [&'static str],
    /// The database in which it keeps its sessions, and how to get a transcript out of it.
    pub(crate) session_database: Option<(&'static str, &'static str)>,
    /// Steps that the user must take.
    pub(crate) then: Option<&'static str>,
}

/// The use that a host makes of a pipe or a socket as the standard input of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommandInput {
    /// It may talk to the command, which must then get the real shell.
    Used,
    /// It closes the input at once. The input of a process that it talks to stays open.
    Closed,
    /// It leaves the input open and writes nothing.
    Unused,
}

/// The shell that a host runs commands by if its settings name none.
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

    /// Returns the name of the link that stands for it. Hosts look at this name.
    pub(crate) fn link(self, env: &Env) -> &'static str {
        let name = self.of_user(env).filter(|shell| shell.is_file());
        let name = name.and_then(|shell| Some(shell.file_name()?.to_str()?.to_owned()));
        let known = SHELLS.into_iter().find(|known| Some(*known) == name.as_deref());
        known.unwrap_or("bash")
    }
}

/// The output of a command that a host waits for. A job that the shell leaves behind keeps the output open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WaitsFor {
    /// All of it, until every process has closed the output.
    PipeEnd,
    /// The output until this time after the end of the shell. The host tells the model if a job is left then.
    ToldMoment(Duration),
    /// The output until this time after the end of the shell. It may be no time at all.
    Moment(Duration),
    /// The output until nothing comes for this time.
    Pause(Duration),
    /// The time is not known.
    Unknown,
}

/// The files that a host gives to its commands for their output: `…/PROJECT/SESSION/FOLDER/TASK.ENDING`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TaskFiles {
    pub(crate) folder: &'static str,
    pub(crate) ending: &'static str,
    /// The logs of its sessions: `LOGS/PROJECT/SESSION.jsonl`. They name the tasks that run in
    /// the background.
    pub(crate) logs: &'static str,
}

/// A file of a host: the user's, and a project's. `~` is the home directory, `$config` the one of
/// settings; a project's begin at its root. An empty path means that there is no such file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HostFile {
    pub(crate) user: &'static str,
    pub(crate) project: &'static str,
}

/// A change of a file. Words between `@` are filled in on this machine: `@BIN@` for the
/// directory of our links, `@COMMAND@` for our program as a word of a shell, `@PROGRAM@` for its path,
/// `@SHELL@` for the name of the shell that the host runs commands by, `@OUTPUTS@` for the directory of outputs, `@VERSION@` for our version. In the settings of a project `@OUTPUTS@` is the folder
/// of this project; the user's settings apply in all projects.
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
    /// A value of a JSON file, if the object around it is there.
    JsonMember { place: HostFile, path: &'static [&'static str], value: &'static str },
    /// A variable in a file of variables.
    Variable { place: HostFile, name: &'static str, value: &'static str },
    /// A file of our own.
    File { place: HostFile, text: &'static str },
    /// A name of our program, in the directory of our links.
    Link(&'static str),
    /// The same, under the name of the shell that the host runs commands by.
    ShellLink,
    /// A file of our own, in the same directory.
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

    /// Returns when the output of a command is complete for the host around us, and the use of later output.
    ///
    /// Hosts that differ and are both around us get the usual end: a server in the background must not hold one up.
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

    /// Returns the tool by which the host around us opens saved outputs. `None` if several hosts are around
    /// us.
    pub(crate) fn file_tool(env: &Env) -> Option<&'static str> {
        let mut around = Host::around(env);
        around.next().filter(|_| around.next().is_none())?.file_tool
    }

    /// Returns the hosts that have started us; one may run in another.
    pub(crate) fn around(env: &Env) -> impl Iterator<Item = &'static Host> {
        let is_set = |mark: &str| env.variable(mark).is_some();
        let named = env.variable(HOST);
        HOSTS.iter().filter(move |host| {
            host.mark.is_some_and(is_set)
                || named.as_deref().is_some_and(|named| named == host.name)
        })
    }
}

/// The settings files of MCP clients that are no hosts.
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

/// Tells whether a process above us shortens our output.
pub(crate) fn is_already_shortened(env: &Env) -> bool {
    let process = env.variable(ACTIVE).and_then(|value| value.to_str()?.parse().ok());
    // Processes that outlast the command, such as a terminal multiplexer, inherit the variable.
    process.is_some_and(process::is_below)
}

/// Tells whether a host runs us, or runs a command that we shorten.
pub(crate) fn is_inside(env: &Env) -> bool {
    Host::around(env).next().is_some() || env.variable(ACTIVE).is_some()
}

/// Returns the limits of an answer of ours, such as a page of an output.
pub(crate) fn page(env: &Env) -> Limits {
    let inside = is_inside(env);
    // No character is less than a byte, and pages are measured in bytes.
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
