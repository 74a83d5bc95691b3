//! What people see.

#![allow(clippy::print_stderr, reason = "the one place that talks")]

use std::io::{self, ErrorKind, Write};

use overspill::Outcome;

/// Writes the outcome to standard output.
///
/// A reader that has gone away is no mistake of ours: it has seen what it wanted.
pub(crate) fn show(outcome: &Outcome) -> io::Result<()> {
    let text = match outcome {
        Outcome::Whole(bytes) => bytes.as_slice(),
        Outcome::Spilled(spilled) => spilled.text.as_bytes(),
    };
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Says what went wrong.
pub(crate) fn complain(error: &anyhow::Error) {
    eprintln!("overspill: {error:#}");
}
