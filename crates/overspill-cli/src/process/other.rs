//! Runs a command to its end where only the standard library helps.

use std::fs::File;
use std::io::{self, Read};
use std::process::Command;

use anyhow::Context;

use super::{CommandSpec, Ended, How, ProcessEvent, Stderr, Stream, Unstartable, Wanted};
use crate::buffer::Buffer;

/// Standard input, output and error, which are open here.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Descriptors;

impl Descriptors {
    pub(crate) fn fill() -> Descriptors {
        Descriptors
    }

    /// The standard library reports the errors of standard output here.
    pub(crate) fn check_stdout() -> io::Result<()> {
        Ok(())
    }
}

/// Nobody is left behind here to read on.
pub(crate) fn is_to_linger() -> bool {
    false
}

pub(crate) fn linger() {}

/// Signals are left as they are here.
pub(crate) fn block_file_size_signal() {}

pub(crate) fn restore_signals(_: &mut Command) {}

/// There is no becoming another program here: it is run to its end, and we end as it did.
pub(crate) fn become_program(
    program: &std::path::Path,
    words: &[std::ffi::OsString],
    variables: &[(&'static str, std::ffi::OsString)],
) -> io::Result<std::convert::Infallible> {
    let mut command = Command::new(program);
    command.args(&words[1..]).envs(variables.iter().map(|(name, value)| (name, value)));
    let status = command.status()?;
    std::process::exit(status.code().unwrap_or(1))
}

/// What standard input is cannot be seen here; a terminal at least talks to nobody.
pub(crate) fn is_talked_to() -> bool {
    !std::io::IsTerminal::is_terminal(&io::stdin())
}

/// Standard error is bounded together with standard output here in any case.
pub(crate) fn is_one_output() -> bool {
    true
}

/// Nobody can be asked for the ancestors of a process here; what a variable says is believed.
pub(crate) fn is_below(_: i32) -> bool {
    true
}

/// The exit code has to do.
pub(crate) fn end_like(_: How) {}

/// Standard input or a file, to its end: signals are not looked at here.
#[derive(Debug)]
pub(crate) struct InterruptibleInput(Option<File>);

impl InterruptibleInput {
    pub(crate) fn new(file: Option<File>) -> InterruptibleInput {
        InterruptibleInput(file)
    }

    pub(crate) fn listen_no_more(&mut self) {}

    pub(crate) fn asked(&self) -> Option<How> {
        None
    }
}

impl Read for InterruptibleInput {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Some(file) => file.read(space),
            None => io::stdin().lock().read(space),
        }
    }
}

/// Runs `asked`, tells `hear` what comes of it, and returns how it ended.
///
/// Signals are not handed on here, and there is no terminal and no time limit.
pub(crate) fn run(
    asked: &CommandSpec,
    _: Descriptors,
    hear: &mut dyn FnMut(ProcessEvent) -> Wanted,
) -> anyhow::Result<Ended> {
    if asked.pty
        || asked.timeout.is_some()
        || matches!(asked.stderr, Stderr::Separate | Stderr::Joined)
    {
        anyhow::bail!("--pty, --timeout and --stderr separate are not to be had on this system");
    }
    let (mut output, theirs) = io::pipe().context("there is no pipe for the command's output")?;
    let mut command = Command::new(&asked.words[0]);
    command.args(&asked.words[1..]).envs(asked.variables.iter().map(|(name, value)| (name, value)));
    if asked.stderr == Stderr::Merged {
        command.stderr(theirs.try_clone()?);
    }
    command.stdout(theirs);
    let mut child = command.spawn().map_err(|source| Unstartable {
        program: asked.words[0].to_string_lossy().into_owned(),
        source,
    })?;
    // It holds the pipe's other end, which must not stay open in this process.
    drop(command);
    let mut buffer = Buffer::new();
    loop {
        match output.read(buffer.space()) {
            Ok(0) => break,
            Ok(len) => match hear(ProcessEvent::Bytes(Stream::Out, &buffer.space()[..len])) {
                Wanted::More => {}
                Wanted::NoMore => break,
            },
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    drop(output);
    let status = child.wait().context("waiting for the command")?;
    let how = How::Code(status.code().unwrap_or(1));
    Ok(Ended { how, timed_out: None, interrupted: false, held: false })
}
