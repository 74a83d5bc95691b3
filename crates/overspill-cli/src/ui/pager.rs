//! A pager, such as `less`, for text that is longer than the screen.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::{Child, Command, Stdio};

use crate::env::Env;
use crate::process;

/// Options for commands with long answers.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct PagerArgs {
    /// Print to the terminal without a pager.
    #[arg(long)]
    no_pager: bool,
}

/// The pager on a terminal.
#[derive(Debug)]
pub(crate) struct Pager {
    /// The command line for a shell, such as `less -FRX`.
    line: OsString,
    /// Whether the variable LESS is not set, so that the pager gets our own options.
    needs_less: bool,
}

/// The options of `less` if the user sets none: quit if the text fits the screen, keep colours, do
/// not clear the screen.
const LESS: &str = "FRX";
const DEFAULT: &str = "less";
/// The exit codes of a shell that mean that the command did not start.
const NOT_STARTED: [i32; 2] = [126, 127];

impl PagerArgs {
    /// Returns the pager: `$OVERSPILL_PAGER`, else `$PAGER`, else `less` if it is installed.
    pub(crate) fn pager(self, env: &Env) -> Option<Pager> {
        if self.no_pager || !env.has_person() {
            return None;
        }
        let line = match ["OVERSPILL_PAGER", "PAGER"].into_iter().find(|name| env.is_set(name)) {
            Some(name) => env.variable(name)?,
            None => env.on_path(DEFAULT).any(|path| path.is_file()).then(|| DEFAULT.into())?,
        };
        (line != "cat").then(|| Pager { line, needs_less: env.variable("LESS").is_none() })
    }
}

impl Pager {
    /// Sends the text that `write` writes to the pager. Returns `false` if the pager could not be
    /// started, so that nothing was shown.
    ///
    /// A person may close the pager before the end. That is not an error.
    pub(crate) fn show(
        &self,
        write: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>,
    ) -> anyhow::Result<bool> {
        let Ok(mut child) = self.start() else { return Ok(false) };
        // Ctrl-C also reaches the pager, which decides its meaning. If the pager closes early, the
        // next write fails.
        process::leave_keys_to_child();
        let written = match child.stdin.take() {
            Some(pipe) => {
                let mut pipe = PagerInput { pipe: io::BufWriter::new(pipe), is_closed: false };
                let written = write(&mut pipe);
                let flushed = pipe.flush().map_err(anyhow::Error::from);
                if pipe.is_closed { Ok(()) } else { written.and(flushed) }
            }
            None => Ok(()),
        };
        let status = child.wait()?;
        if status.code().is_some_and(|code| NOT_STARTED.contains(&code)) {
            return Ok(false);
        }
        written.map(|()| true)
    }

    fn start(&self) -> io::Result<Child> {
        let mut command = Command::new("sh");
        command.arg("-c").arg(&self.line).stdin(Stdio::piped());
        if self.needs_less {
            command.env("LESS", LESS);
        }
        process::restore_signals(&mut command);
        command.spawn()
    }
}

/// The pipe to the pager.
struct PagerInput<W: Write> {
    pipe: W,
    /// Whether the pager has stopped reading.
    is_closed: bool,
}

impl<W: Write> PagerInput<W> {
    fn note<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        self.is_closed |=
            result.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe);
        result
    }
}

impl<W: Write> Write for PagerInput<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.pipe.write(bytes);
        self.note(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.pipe.flush();
        self.note(flushed)
    }
}

/// Shows a text in the pager if it is longer than the screen, else prints it.
pub(crate) fn show_text(text: &str, pager: Option<Pager>) -> anyhow::Result<()> {
    if let Some(pager) = pager.filter(|_| !fits_screen(text))
        && pager.show(|out| Ok(out.write_all(text.as_bytes())?))?
    {
        return Ok(());
    }
    super::answer(text)
}

/// Tells whether a text fits the screen, with a line for the next prompt.
pub(crate) fn fits_screen(text: &str) -> bool {
    let Some((terminal_size::Width(columns), terminal_size::Height(rows))) =
        terminal_size::terminal_size_of(io::stdout())
    else {
        return false;
    };
    let columns = usize::from(columns).max(1);
    let rows_of = |line: &str| super::columns(&uncolored(line)).div_ceil(columns).max(1);
    let used: usize = text.lines().map(rows_of).sum();
    used < usize::from(rows)
}

/// Returns a line without colours.
fn uncolored(line: &str) -> String {
    let mut plain = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("\x1b[") {
        plain.push_str(before);
        rest = after.split_once('m').map_or("", |(_, after)| after);
    }
    plain + rest
}
