//! How a stream is shown: as it comes, when it is known whether it fits, or its start at once.

use std::io::{self, ErrorKind, IsTerminal, Write};

use overspill::Outcome;
use overspill::core::Policy;

use super::head::Head;
use crate::process::{Stream, Wanted};
use crate::ui;

/// Where a stream is shown, and how.
pub(super) struct Face {
    to: Stream,
    shown: Shown,
}

enum Shown {
    /// All of it, as it comes.
    Live,
    /// Nothing until it is known whether it fits.
    Held,
    /// The start as it comes, the rest at the end.
    Head(Head),
}

impl Face {
    /// Shows everything on a terminal; elsewhere the start at once, if that is asked for and as
    /// far as a policy lets it be known.
    pub(super) fn new(to: Stream, stream: Option<&Policy>) -> Face {
        let is_terminal = match to {
            Stream::Out => io::stdout().is_terminal(),
            Stream::Err => io::stderr().is_terminal(),
        };
        let shown = match stream {
            _ if is_terminal => Shown::Live,
            Some(policy) => Shown::Head(Head::within(policy)),
            None => Shown::Held,
        };
        Face { to, shown }
    }

    pub(super) fn is_live(&self) -> bool {
        matches!(self.shown, Shown::Live)
    }

    /// Shows what can be shown at once.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Wanted {
        let written = match &mut self.shown {
            Shown::Held => Ok(()),
            Shown::Live => write(self.to, bytes),
            Shown::Head(head) => write(self.to, head.take(bytes)),
        };
        match written {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Wanted::NoMore,
            // Nobody sees it, but it is still saved.
            _ => Wanted::More,
        }
    }

    /// Shows what has become of the output, as far as it was not shown.
    pub(super) fn show(&mut self, outcome: &Outcome) {
        let shown = match (&self.shown, outcome) {
            (Shown::Held, outcome) => write(self.to, outcome.bytes()),
            (Shown::Live, Outcome::Whole(_)) => Ok(()),
            (Shown::Live, Outcome::Spilled(spilled)) => {
                ui::say(&spilled.notice);
                Ok(())
            }
            (Shown::Head(head), outcome) => write(self.to, &head.rest(outcome)),
        };
        if let Shown::Head(_) = self.shown {
            self.shown = Shown::Held;
        }
        match shown {
            // It has seen what it wanted.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
            Err(error) => ui::complain(&anyhow::Error::from(error).context("standard output")),
            Ok(()) => {}
        }
    }
}

fn write(to: Stream, bytes: &[u8]) -> io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    let write = |to: &mut dyn Write| to.write_all(bytes).and_then(|()| to.flush());
    match to {
        Stream::Out => write(&mut io::stdout().lock()),
        Stream::Err => write(&mut io::stderr().lock()),
    }
}
