//! `overspill sh`: stands in for a shell, and shortens the output of the one command that a host
//! runs with it.
//!
//! Every other call becomes the real shell at once, in the same process: scripts, interactive and
//! login shells, commands within a shortened command, and servers that talk through their standard
//! input.

mod real;
mod words;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use overspill::CallOptions;

use crate::args::Engine;
use crate::command::run::{Job, ShellLine, Shows};
use crate::env::Env;
use crate::hosts::{
    self, Ceiling, CommandInput, ExpectedLog, Host, OwnSlot, SHELLS, SlotKind, TaskFile, frame,
};
use crate::pipelines::{PipelineMode, PipelineSettings};
use crate::process::{
    self, CommandSpec, CommandTerminal, Descriptors, Leftover, OutputEnd, Stderr,
};
use crate::settings::SettingSources;
use crate::settings::variables::ACTIVE;
use crate::ui;

/// The shell of agents: shortens the output of the command after `-c`.
///
/// It applies the limits of the agent. On a terminal it is the real shell. People use `overspill run --shell LINE`.
///
/// Only the outermost command of an agent is shortened. Everything else runs in the real shell. Under the name
/// `bash`, `sh`, `zsh` or `dash` the program does the same. `overspill init` makes such links for agents.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill sh -c 'make test'
  overspill sh --shell /bin/zsh -l -c 'make test'")]
pub(crate) struct ShArgs {
    /// The real shell [default: bash].
    #[arg(long, value_name = "PATH")]
    shell: Option<PathBuf>,
    /// The arguments of the shell.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "WORDS")]
    words: Vec<OsString>,
}

/// The name of overspill in hosts that put one word before a whole command line.
const PREFIX: &str = "overspill-sh";
/// The wait after the last output. Hosts with terminals stop reading when the command ends, and
/// lose output that they have not read.
const READER_NEEDS: Duration = Duration::from_millis(50);
/// The time in which some hosts close the input of a command. If the command is an MCP server, its
/// client writes earlier.
const CLOSES_WITHIN: Duration = Duration::from_secs(1);
/// The exit code if the real shell does not exist.
const NOT_FOUND: u8 = 127;

/// The call of a shell by a host.
struct Call {
    /// The real shell.
    shell: PathBuf,
    /// Its arguments.
    words: Vec<OsString>,
    /// The command among the arguments whose output is shortened, if any.
    command: Option<String>,
    /// The index of the command among the arguments, if the shell itself runs the command. A
    /// program of the user gets the line as the host wrote it.
    at: Option<usize>,
}

/// Acts as a shell if this program was called by the name of a shell, or as `sh`. Returns the exit
/// code.
pub(crate) fn called(words: &[OsString], descriptors: Descriptors, env: &Env) -> Option<u8> {
    let (name, words) = words.split_first()?;
    if let Some(own) = OwnSlot::at(Path::new(name)) {
        return Some(answer(Call::of_own(&own, words, env), descriptors, env));
    }
    let path = Path::new(name);
    let name = path.file_name()?.to_str()?.to_owned();
    let is_shell = SHELLS.contains(&&*name);
    if name == PREFIX {
        return Some(answer(Call::of_prefix(words, env), descriptors, env));
    }
    if is_shell {
        let in_slot = real::in_slot(path, &name, words, env);
        let shell = in_slot.unwrap_or_else(|| real::chosen(&name, env));
        let call = Call::new(shell, words.to_vec(), IsOurs::Maybe, env);
        return Some(answer(call, descriptors, env));
    }
    let (shell, words) = match words {
        [sh, option, shell, rest @ ..] if sh == "sh" && option == "--shell" => (shell.into(), rest),
        // The parser prints the help.
        [sh, first, ..] if sh == "sh" && first != "--help" && first != "-h" => {
            (real::named("bash", env), &words[1..])
        }
        _ => return None,
    };
    Some(answer(Call::new(shell, words.to_vec(), IsOurs::Surely, env), descriptors, env))
}

/// Acts as a shell, with arguments that the full parser has read.
pub(crate) fn run(args: ShArgs, descriptors: Descriptors, env: &Env) -> u8 {
    let shell = args.shell.unwrap_or_else(|| real::named("bash", env));
    answer(Call::new(shell, args.words, IsOurs::Surely, env), descriptors, env)
}

/// Tells whether a call is meant for overspill: by its own name always, by a shell's name only
/// inside a host.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IsOurs {
    Surely,
    Maybe,
}

impl Call {
    fn new(shell: PathBuf, words: Vec<OsString>, ours: IsOurs, env: &Env) -> Call {
        let at = words::command_place(&words).unwrap_or_default();
        let command = words::command(&words).and_then(OsStr::to_str).map(str::to_owned);
        let is_ours = ours == IsOurs::Surely || Host::around(env).next().is_some();
        let is_framed = |command: &String| {
            Host::around(env).all(|host| {
                let is_framed = host.frame.is_none_or(|frame| command.contains(frame));
                is_framed && (host.parents.is_empty() || is_started_by(host.parents))
            })
        };
        let command = command.filter(|command| is_ours && is_framed(command));
        let command = command.filter(|_| !hosts::is_already_shortened(env) && !is_talked_to(env));
        let command = command.filter(|command| !hosts::escape::is_asked(command));
        Call { shell, words, command, at: Some(at) }
    }

    /// Returns the call of the shell or the prefix that the user has in the settings of the host.
    fn of_own(own: &OwnSlot, words: &[OsString], env: &Env) -> Call {
        match own.kind {
            SlotKind::Shell => {
                let call =
                    Call::new(real::at(own.program(), env), words.to_vec(), IsOurs::Maybe, env);
                let is_shell = own.program().file_name().and_then(OsStr::to_str);
                let is_shell = is_shell.is_some_and(|name| SHELLS.contains(&name));
                Call { at: call.at.filter(|_| is_shell), ..call }
            }
            SlotKind::Prefix => {
                let Call { command, .. } = Call::of_prefix(words, env);
                let line = words.join(OsStr::new(" "));
                let words = vec!["-c".into(), own.prefix_line().into(), "sh".into(), line];
                Call { shell: real::named("sh", env), words, command, at: None }
            }
        }
    }

    /// Returns the call of a host that puts one word before each line. A line in the frame of the
    /// host is a command. Any other line starts a server or a hook.
    fn of_prefix(words: &[OsString], env: &Env) -> Call {
        let line = words.join(OsStr::new(" "));
        let command = line.to_str().filter(|line| frame::is_claude(line)).map(str::to_owned);
        let command = command.filter(|_| !hosts::is_already_shortened(env));
        let command = command.filter(|command| !hosts::escape::is_asked(command));
        Call {
            shell: real::of_line(&line, env),
            words: vec!["-c".into(), line],
            command,
            at: Some(1),
        }
    }
}

/// Tells whether a process talks to the command through its standard input.
fn is_talked_to(env: &Env) -> bool {
    let does = |input: CommandInput| Host::around(env).any(|host| host.input == input);
    process::is_talked_to()
        && !does(CommandInput::Unused)
        && !(does(CommandInput::Closed) && process::input_ends_within(CLOSES_WITHIN))
}

/// Tells whether a process of one of these names started this one. An unknown parent counts as one
/// of them.
fn is_started_by(names: &[&str]) -> bool {
    // `doctor` tries a slot in place of the host.
    process::parent_name().is_none_or(|name| name == "overspill" || names.contains(&&*name))
}

fn answer(call: Call, descriptors: Descriptors, env: &Env) -> u8 {
    let Call { shell, words, command, at } = call;
    let active = [(ACTIVE, std::process::id().to_string().into())];
    let words: Vec<OsString> =
        std::iter::once(shell.clone().into_os_string()).chain(words).collect();
    let is_screen = ui::is_seen();
    let on_terminal = Host::around(env).any(|host| host.on_terminal);
    let Some(command) = command.filter(|_| !is_screen || on_terminal) else {
        let Err(error) = process::become_program(&shell, &words, &active);
        let why = format!("{}: {}", ui::path(&shell), ui::reason(&error));
        ui::Failure::new(why, None).print(NOT_FOUND);
        return NOT_FOUND;
    };
    let file = TaskFile::of_stdout(env).filter(|_| process::is_one_output());
    let engine = engine(&words[1..], env);
    let (until, leftover) = match &file {
        // overspill does not mask later output.
        Some(_) if engine.overspill.redaction().shown().is_none() => {
            (Host::output_end(env).0, Leftover::Forwarded)
        }
        // A host that reads a screen waits for the shell, and the last bytes of a terminal come
        // late.
        None if is_screen => (OutputEnd::USUAL, Leftover::Dropped),
        _ => Host::output_end(env),
    };
    let job = Job {
        engine,
        command: frame::inner(&command).unwrap_or(command),
        asked: CommandSpec {
            words,
            stderr: if is_screen || process::is_one_output() {
                Stderr::Merged
            } else {
                Stderr::Joined
            },
            terminal: if is_screen { CommandTerminal::Plain } else { CommandTerminal::None },
            variables: active.into(),
            until,
            leftover,
            watched: !is_screen && file.is_none(),
            ..CommandSpec::default()
        },
        // The first word is the shell.
        line: at.map(|at| ShellLine { at: at + 1, default: PipelineMode::Full }),
        shows: match file {
            Some(file) => Shows::File(file),
            None if is_screen => Shows::Screen,
            None => Shows::Usual,
        },
        reader_needs: on_terminal.then_some(READER_NEEDS),
        background: ExpectedLog::of_process(env),
    };
    job.run(descriptors, env)
}

fn engine(words: &[OsString], env: &Env) -> Engine {
    let ceiling = Ceiling::around(env);
    let resolved = SettingSources::read(env).resolved(Some(ceiling.profile()));
    let profile = resolved.profile.clone();
    let pipelines = PipelineSettings::of(&resolved.sources, &profile);
    let mut overspill = resolved.overspill();
    // A login shell sets its own PATH, so ours says nothing about it.
    if words::is_login(words) {
        let env = env.clone();
        overspill = overspill.to_builder().program(move || env.program_path()).build();
    }
    let options = CallOptions { if_failed: ceiling.if_failed, ..CallOptions::default() };
    let (call_id, session) = (None, env.session());
    Engine { profile, overspill, options, tool: "bash".into(), call_id, session, pipelines }
}
