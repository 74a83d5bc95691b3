//! What people see.

#![allow(clippy::print_stderr, reason = "the one place that talks")]

use std::io::{self, ErrorKind, Write};

use overspill::Outcome;

/// Writes the outcome to standard output.
///
/// A reader that has gone away is no mistake of ours: it has seen what it wanted.
pub(crate) fn show(outcome: &Outcome) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(outcome.bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Says what to do about words we did not understand, where it is likely what was meant.
pub(crate) fn hint_after(error: &clap::Error) {
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    let is_run = words.first().is_some_and(|word| word == "run");
    let unknown = error.kind() == clap::error::ErrorKind::UnknownArgument;
    if is_run && unknown && !words.iter().any(|word| word == "--") {
        eprintln!("\nhint: the command stands after `--`: overspill run -- COMMAND");
    }
}

/// Says what went wrong.
pub(crate) fn complain(error: &anyhow::Error) {
    eprintln!("overspill: {error:#}");
}
