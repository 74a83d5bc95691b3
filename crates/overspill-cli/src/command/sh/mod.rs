//! `overspill sh`: stands in for a shell, and bounds the one command that a host runs with it.
//!
//! Everything else becomes the real shell at once, in the same process: scripts, interactive and login
//! shells, what is nested in a bounded command, servers that talk through their standard input.

mod frame;
mod real;
mod words;

use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::args::Engine;
use crate::command::run::{Job, Shows};
use crate::hosts::{self, Host};
use crate::process::{self, CommandSpec, Descriptors, Stderr};
use crate::settings::SettingSources;
use crate::settings::variables::ACTIVE;
use crate::{program, ui};

/// Stands in for a shell, for host agents: bounds the command after `-c`.
///
/// Only the outermost command of a host is bounded. Whatever else a shell can be asked for becomes the
/// real shell at once. Under the name `bash`, `sh`, `zsh` or `dash` the program does the same; `overspill
/// init` makes such links and says so to hosts.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill sh -c 'make test'
  overspill sh --shell /bin/zsh -l -c 'make test'")]
pub(crate) struct ShArgs {
    /// The real shell [default: bash].
    #[arg(long, value_name = "PATH")]
    shell: Option<PathBuf>,
    /// What the shell is given.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "WORDS")]
    words: Vec<OsString>,
}

/// Shells that we can be called in the place of.
const SHELLS: [&str; 4] = ["bash", "sh", "zsh", "dash"];
/// What we are called where a host puts one word before a whole command line.
const PREFIX: &str = "overspill-sh";
/// How long nothing is shown of a command that still runs: less than hosts wait for the first words.
const PATIENCE: Duration = Duration::from_secs(8);
/// Hosts that have terminals stop reading when the command ends, and then lose what is on its way; what
/// is held back must not come in that moment.
const READER_NEEDS: Duration = Duration::from_millis(50);
/// What the real shell says if it is not there.
const NOT_FOUND: u8 = 127;

/// What a host asks of a shell.
struct Call {
    /// The real shell.
    shell: PathBuf,
    /// What it is given.
    words: Vec<OsString>,
    /// The command among them that is to be bounded, if one is.
    command: Option<String>,
}

/// Does what a shell is asked for, if we were called in the place of one: by our name, or as `sh`.
pub(crate) fn called(descriptors: Descriptors) -> Option<u8> {
    let mut words = std::env::args_os();
    let name = words.next()?;
    let name = Path::new(&name).file_name()?.to_str()?.to_owned();
    let is_shell = SHELLS.contains(&&*name);
    if name == PREFIX {
        return Some(run(Call::of_prefix(words.collect()), descriptors));
    }
    if is_shell {
        return Some(run(
            Call::new(real::named(&name), words.collect(), IsOurs::Maybe),
            descriptors,
        ));
    }
    let is_sh = words.next().is_some_and(|word| word == "sh");
    let words: Vec<OsString> = words.collect();
    // Help is worded elsewhere.
    if !is_sh || words.is_empty() || words[0] == "--help" || words[0] == "-h" {
        return None;
    }
    let (shell, words) = match &words[..] {
        [option, shell, rest @ ..] if option == "--shell" => (shell.into(), rest.to_vec()),
        _ => (real::named("bash"), words),
    };
    Some(run(Call::new(shell, words, IsOurs::Surely), descriptors))
}

/// The same, for words that were read with all the others.
pub(crate) fn sh(args: ShArgs, descriptors: Descriptors) -> u8 {
    let shell = args.shell.unwrap_or_else(|| real::named("bash"));
    run(Call::new(shell, args.words, IsOurs::Surely), descriptors)
}

/// Whether a call is meant for us: by our own name it is, by a shell's only inside of a host.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IsOurs {
    Surely,
    Maybe,
}

impl Call {
    fn new(shell: PathBuf, words: Vec<OsString>, ours: IsOurs) -> Call {
        let command = words::command(&words).and_then(OsStr::to_str).map(str::to_owned);
        let is_ours = ours == IsOurs::Surely || Host::around().next().is_some();
        let is_framed = |command: &String| {
            let mut frames = Host::around().filter_map(|host| host.frame);
            frames.all(|frame| command.contains(frame))
        };
        let command = command.filter(|command| is_ours && is_framed(command));
        let command = command.filter(|_| !process::is_talked_to() && !hosts::is_bounded());
        Call { shell, words, command }
    }

    /// One word before a whole line: the line is a command only in its frame, else it is a server
    /// or a hook.
    fn of_prefix(words: Vec<OsString>) -> Call {
        let line = words.join(OsStr::new(" "));
        let command = line.to_str().filter(|line| frame::is_claude(line)).map(str::to_owned);
        let command = command.filter(|_| !hosts::is_bounded());
        Call { shell: real::of_line(&line), words: vec!["-c".into(), line], command }
    }
}

fn run(call: Call, descriptors: Descriptors) -> u8 {
    let Call { shell, words, command } = call;
    let active = [(ACTIVE, std::process::id().to_string().into())];
    let words: Vec<OsString> =
        std::iter::once(shell.clone().into_os_string()).chain(words).collect();
    let is_screen = std::io::stdout().is_terminal();
    let on_terminal = Host::around().any(|host| host.on_terminal);
    let Some(command) = command.filter(|_| !is_screen || on_terminal) else {
        let Err(error) = process::become_program(&shell, &words, &active);
        ui::say(&format!("{}: {}", shell.display(), ui::reason(&error)));
        return NOT_FOUND;
    };
    let job = Job {
        engine: engine(&words[1..]),
        command: frame::inner(&command).unwrap_or(command),
        asked: CommandSpec {
            words,
            stderr: if is_screen || process::is_one_output() {
                Stderr::Merged
            } else {
                Stderr::Joined
            },
            pty: is_screen,
            variables: active.into(),
            patience: (!is_screen).then_some(PATIENCE),
            ..CommandSpec::default()
        },
        shows: if is_screen { Shows::Screen } else { Shows::StartLater },
        reader_needs: on_terminal.then_some(READER_NEEDS),
    };
    job.run(descriptors)
}

fn engine(words: &[OsString]) -> Engine {
    let in_force = SettingSources::read().in_force(Some(hosts::profile()));
    let profile = in_force.profile.clone();
    let overspill = in_force.overspill();
    // A login shell begins with a PATH of its own; what ours leads to says nothing of it.
    let is_login = words::is_login(words);
    Engine {
        profile,
        overspill: match is_login {
            true => overspill.to_builder().program(program::path).build(),
            false => overspill,
        },
        options: overspill::CallOptions::default(),
        tool: "bash".into(),
    }
}
