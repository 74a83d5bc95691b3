//! Runs a command with only the standard library, on systems that are not Unix. Functions without
//! support on these systems do nothing.

use std::convert::Infallible;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Context;

use super::Buffer;
use super::{
    Ask, CommandSpec, CommandTerminal, Ended, How, ProcessEvent, Stderr, Stream, Unstartable,
    Wanted,
};

/// Standard input, output and error, which are always open on these systems.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Descriptors;

impl Descriptors {
    pub(crate) fn fill() -> Descriptors {
        Descriptors
    }

    /// Returns no error: the standard library reports errors of standard output itself.
    pub(crate) fn check_stdout() -> io::Result<()> {
        Ok(())
    }
}

/// Returns `false`: no process stays behind to read the output of background processes.
pub(crate) fn is_to_linger(_: &[OsString]) -> bool {
    false
}

pub(crate) fn linger(_: &[OsString]) {}

/// Does nothing, because these systems have no Unix signals.
pub(crate) fn block_file_size_signal() {}

pub(crate) fn restore_signals(_: &mut Command) {}

pub(crate) fn leave_keys_to_child() {}

pub(crate) fn without_signals<T>(start: impl FnOnce() -> T) -> T {
    start()
}

pub(crate) fn is_terminal_plain() -> bool {
    true
}

/// Tells whether overspill can give a command a terminal.
pub(crate) const GIVES_TERMINALS: bool = false;

pub(crate) fn is_in_foreground() -> bool {
    true
}

pub(crate) fn is_to_lead(_: &[OsString]) -> bool {
    false
}

pub(crate) fn lead_session(_: &[OsString]) -> u8 {
    0
}

pub(super) fn default_sigpipe() {}

pub(crate) fn take_end_signals(_: impl Fn(i32) + Send + 'static) {}

/// Does nothing: the process exits with its exit code alone.
pub(crate) fn end_like(_: How) {}

/// Ends a process with `taskkill`.
pub(crate) fn end_group(pid: u32, _: Ask) {
    let _ = Command::new("taskkill").args(["/F", "/T", "/PID"]).arg(pid.to_string()).status();
}

/// Does nothing, because the size of a pipe is fixed.
pub(crate) fn widen<T>(_: T) {}

/// Returns `false`: the next write notices that the reader is gone.
pub(crate) fn is_reader_gone() -> bool {
    false
}

/// Runs the program to its end and exits with its exit code, because a process cannot be replaced.
pub(crate) fn become_program(
    program: &Path,
    words: &[OsString],
    variables: &[(&'static str, OsString)],
) -> io::Result<Infallible> {
    let mut command = Command::new(program);
    command.args(&words[1..]).envs(variables.iter().map(|(name, value)| (name, value)));
    let status = command.status()?;
    std::process::exit(status.code().unwrap_or(1))
}

/// Tells whether standard input is anything but a terminal.
pub(crate) fn is_talked_to() -> bool {
    !io::IsTerminal::is_terminal(&io::stdin())
}

/// Returns `false`: the end of standard input is unknown before reading.
pub(crate) fn input_ends_within(_: Duration) -> bool {
    false
}

/// Returns `true`: standard error always goes to the same pipe as standard output.
pub(crate) fn is_one_output() -> bool {
    true
}

/// Does nothing: the system does not tell whether a reader has taken the bytes.
pub(crate) fn wait_for_reader(_stream: Stream, _until: Instant) {}

/// Fails, because standard output is not used as a file.
pub(crate) fn stdout_file() -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Returns `None`, because the path of standard output is unknown.
pub(crate) fn stdout_path() -> Option<std::path::PathBuf> {
    None
}

/// Returns `true`: the ancestors of a process are unknown, so overspill trusts the environment
/// variable.
pub(crate) fn is_below(_: i32) -> bool {
    true
}

/// Returns `None`, because the name of the parent is unknown.
pub(crate) fn parent_name() -> Option<String> {
    None
}

/// Standard input or a file, read to its end. Signals do not end the input.
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

/// Runs `asked`, reports each event to `hear`, and returns the end of the command.
pub(crate) fn run(
    asked: &CommandSpec,
    _: Descriptors,
    hear: &mut dyn FnMut(ProcessEvent) -> Wanted,
) -> anyhow::Result<Ended> {
    if let Some(option) = unavailable(asked) {
        let system = std::env::consts::OS;
        anyhow::bail!("{option} is not available on {system}\n\nhint: run it without {option}");
    }
    let (mut output, theirs) = io::pipe().context("cannot open a pipe for the command's output")?;
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
    // `command` has the other end of the pipe. If it stays open, the output never ends.
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

/// Returns the first requested option that is not available.
fn unavailable(asked: &CommandSpec) -> Option<&'static str> {
    if asked.terminal != CommandTerminal::None {
        Some("--pty")
    } else if asked.timeout.is_some() {
        Some("--timeout")
    } else if matches!(asked.stderr, Stderr::Separate | Stderr::Joined) {
        Some("--stderr separate")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn error_of(asked: CommandSpec) -> String {
        let words = vec!["true".into()];
        let asked = CommandSpec { words, ..asked };
        run(&asked, Descriptors, &mut |_| Wanted::More).unwrap_err().to_string()
    }

    #[test]
    fn unavailable_options_are_named_with_the_system() {
        let system = std::env::consts::OS;
        let spec = CommandSpec::default;
        for (option, asked) in [
            ("--pty", CommandSpec { terminal: CommandTerminal::Plain, ..spec() }),
            ("--timeout", CommandSpec { timeout: Some(Duration::from_secs(1)), ..spec() }),
            ("--stderr separate", CommandSpec { stderr: Stderr::Separate, ..spec() }),
        ] {
            let expected =
                format!("{option} is not available on {system}\n\nhint: run it without {option}");
            assert_eq!(error_of(asked), expected);
        }
    }

    #[test]
    fn command_output_and_exit_code_are_reported() {
        let words = ["sh", "-c", "echo one; echo two >&2; exit 3"].map(OsString::from).to_vec();
        let mut all = Vec::new();
        let ended =
            run(&CommandSpec { words, ..CommandSpec::default() }, Descriptors, &mut |event| {
                if let ProcessEvent::Bytes(_, bytes) = event {
                    all.extend_from_slice(bytes);
                }
                Wanted::More
            });
        assert_eq!(ended.unwrap().how, How::Code(3));
        assert_eq!(String::from_utf8(all).unwrap(), "one\ntwo\n");
    }
}
