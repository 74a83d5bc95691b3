//! `overspill run`

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::process::{Command, ExitCode, ExitStatus};

use anyhow::Context;
use overspill::{Call, Options};

use crate::args::LimitArgs;
use crate::command::cut::drain;
use crate::ui;

/// Runs a command and bounds what it prints.
///
/// The exit code is the command's. Output that fits passes through byte for byte; of a longer one
/// a preview is shown, and all of it is saved.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  overspill run -- cargo test")]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// The command and its arguments.
    #[arg(required = true, last = true, value_name = "CMD")]
    pub(crate) command: Vec<OsString>,
}

/// What a shell says when it cannot find, or cannot run, a command; and our own mistakes.
const NOT_FOUND: u8 = 127;
const NOT_RUNNABLE: u8 = 126;
const OUR_OWN: u8 = 125;

pub(crate) fn run(args: RunArgs) -> ExitCode {
    match try_run(args) {
        Ok(code) => code,
        Err(error) => {
            ui::complain(&error);
            let not_found = |error: &io::Error| error.kind() == ErrorKind::NotFound;
            ExitCode::from(match error.downcast_ref::<Unstartable>() {
                Some(Unstartable { source, .. }) if not_found(source) => NOT_FOUND,
                Some(_) => NOT_RUNNABLE,
                None => OUR_OWN,
            })
        }
    }
}

#[derive(Debug)]
struct Unstartable {
    program: String,
    source: io::Error,
}

impl std::fmt::Display for Unstartable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.source.kind() {
            ErrorKind::NotFound => write!(f, "{}: command not found", self.program),
            _ => write!(f, "{}: {}", self.program, self.source),
        }
    }
}

impl std::error::Error for Unstartable {}

fn try_run(args: RunArgs) -> anyhow::Result<ExitCode> {
    let overspill = args.limits.overspill();
    // Both streams into one pipe, so that their lines keep the order they were written in.
    let (mut output, input) = io::pipe().context("no pipe for the command's output")?;
    let mut command = Command::new(&args.command[0]);
    command.args(&args.command[1..]);
    command.stdout(input.try_clone().context("no pipe for the command's output")?).stderr(input);
    let mut child = command.spawn().map_err(|source| Unstartable {
        program: args.command[0].to_string_lossy().into_owned(),
        source,
    })?;
    // It holds the pipe's other end, which must not stay open in this process.
    drop(command);

    let mut spill = overspill.spill(call(&args), Options::default());
    let read = drain(&mut output, &mut spill).context("the command's output");
    drop(output);
    let status = child.wait().context("waiting for the command")?;
    spill.exited(status.code());
    let shown = ui::show(&spill.finish()).context("standard output");
    // From here on the exit code is the command's, whatever befalls us.
    for error in [read, shown].into_iter().filter_map(Result::err) {
        ui::complain(&error);
    }
    Ok(exit_code(status))
}

/// Says what was run, for the record.
fn call(args: &RunArgs) -> Call {
    let words: Vec<_> = args.command.iter().map(|word| word.to_string_lossy()).collect();
    Call {
        command: Some(words.join(" ")),
        directory: std::env::current_dir().ok().map(|path| path.to_string_lossy().into_owned()),
        ..Call::of("run")
    }
}

#[cfg(unix)]
fn exit_code(status: ExitStatus) -> ExitCode {
    use std::os::unix::process::ExitStatusExt;
    let signalled = || 128 + status.signal().unwrap_or_default();
    ExitCode::from(status.code().unwrap_or_else(signalled) as u8)
}

#[cfg(not(unix))]
fn exit_code(status: ExitStatus) -> ExitCode {
    ExitCode::from(status.code().map_or(1, |code| code as u8))
}
