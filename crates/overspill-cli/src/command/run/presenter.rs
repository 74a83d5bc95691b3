//! How a stream is shown: as it comes, when it is known whether it fits, or its start at once.

use std::io::{self, ErrorKind, IsTerminal, Write};

use overspill::Outcome;
use overspill::core::Policy;

use super::head_budget::HeadBudget;
use super::screen::Screen;
use super::streamed_head::StreamedHead;
use crate::process::{Descriptors, Stream, Wanted};
use crate::ui;

/// What is shown before the command has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shows {
    /// Everything on a terminal, nothing elsewhere.
    Usual,
    /// The same, with the start at once elsewhere.
    Start,
    /// Nothing; and the start of what is still running after a while.
    StartLater,
    /// Everything on a terminal that somebody else reads, as long as it fits.
    Screen,
}

/// Where a stream is shown, and how.
pub(super) struct Presenter {
    to: Stream,
    shown: Shown,
    /// What could not be written, and why.
    lost: Option<(Stream, io::Error)>,
    /// Something was written.
    has_written: bool,
}

enum Shown {
    /// All of it, as it comes.
    Live,
    /// Nothing until it is known whether it fits.
    Held,
    /// The start as it comes, the rest at the end.
    Head(StreamedHead),
    /// The same of what has been running for a while, whatever is kept of it.
    Begun(HeadBudget),
    Screen(Screen),
}

impl Presenter {
    pub(super) fn new(to: Stream, shows: Shows, policy: &Policy) -> Presenter {
        let is_terminal = || match to {
            Stream::Out => io::stdout().is_terminal(),
            Stream::Err => io::stderr().is_terminal(),
        };
        let shown = match shows {
            Shows::Screen => Shown::Screen(Screen::within(policy)),
            Shows::StartLater => Shown::Held,
            _ if is_terminal() => Shown::Live,
            Shows::Start => Shown::Head(StreamedHead::within(policy)),
            Shows::Usual => Shown::Held,
        };
        Presenter { to, shown, lost: None, has_written: false }
    }

    pub(super) fn is_live(&self) -> bool {
        matches!(self.shown, Shown::Live)
    }

    /// Tells whether this is standard output.
    pub(super) fn is_main(&self) -> bool {
        self.to == Stream::Out
    }

    /// Shows a line of ours after the output.
    pub(super) fn show_after(&mut self, outcome: &Outcome, notice: &str) {
        if notice.is_empty() {
            return;
        }
        if self.is_live() {
            return ui::say(notice.trim_end());
        }
        let is_mid_line = outcome.bytes().last().is_some_and(|byte| *byte != b'\n');
        let before = if is_mid_line { "\n" } else { "" };
        let written = write(self.to, format!("{before}{notice}").as_bytes());
        self.note(self.to, written);
    }

    /// Returns how many bytes were shown that the preview does not have.
    pub(super) fn sent_before(&self) -> u64 {
        match &self.shown {
            Shown::Begun(start) => start.len as u64,
            Shown::Live | Shown::Held | Shown::Head(_) | Shown::Screen(_) => 0,
        }
    }

    /// Shows what can be shown at once.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Wanted {
        let written = match &mut self.shown {
            Shown::Held => Ok(0),
            Shown::Begun(start) => write(self.to, start.take(bytes)),
            Shown::Live => write(self.to, bytes),
            Shown::Head(head) => write(self.to, head.take(bytes)),
            Shown::Screen(screen) => write(self.to, screen.take(bytes)),
        };
        self.note(self.to, written)
    }

    /// Takes note of what became of writing.
    pub(super) fn note(&mut self, to: Stream, written: io::Result<usize>) -> Wanted {
        match written {
            Ok(len) => {
                self.has_written |= len > 0;
                Wanted::More
            }
            // It has seen what it wanted.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Wanted::NoMore,
            // Nobody sees it, but the command goes on.
            Err(error) => {
                self.lost.get_or_insert((to, error));
                Wanted::More
            }
        }
    }

    /// Says what could not be shown so far, if there is something, and tells whether there is.
    pub(super) fn say_if_lost(&mut self) -> bool {
        let Some((to, error)) = self.lost.take() else { return false };
        let to = match to {
            Stream::Out => "standard output",
            Stream::Err => "standard error",
        };
        ui::say(&format!("{to}: {}", ui::reason(&error)));
        true
    }

    /// Tells whether something was written.
    pub(super) fn has_written(&self) -> bool {
        self.has_written
    }

    /// Begins to show the start, of which `so_far` has come.
    pub(super) fn begin(&mut self, mut start: HeadBudget, so_far: &[u8]) {
        // If nobody reads it, that is found out soon enough.
        let written = write(self.to, start.take(so_far));
        self.note(self.to, written);
        self.shown = Shown::Begun(start);
    }

    /// Shows what has become of the output, as far as it was not shown.
    pub(super) fn show(&mut self, outcome: &Outcome) {
        if !self.is_live() {
            ui::say_if_silent(outcome);
        }
        let shown = match (&mut self.shown, outcome) {
            (Shown::Held, outcome) => write(self.to, outcome.bytes()),
            (Shown::Live, Outcome::Whole(_) | Outcome::Masked(_)) => Ok(0),
            (Shown::Live, Outcome::Spilled(spilled)) => {
                ui::say(&spilled.notice);
                Ok(0)
            }
            (Shown::Head(head), outcome) => write(self.to, &head.rest(outcome)),
            (Shown::Begun(start), Outcome::Whole(_) | Outcome::Masked(_)) => {
                write(self.to, outcome.bytes().get(start.len..).unwrap_or_default())
            }
            (Shown::Begun(_), Outcome::Spilled(spilled)) => write(self.to, spilled.text.as_bytes()),
            (Shown::Screen(screen), outcome) => {
                let written = write(self.to, &screen.rest(outcome));
                screen.wait_for_reader();
                written
            }
        };
        if !self.is_live() {
            self.shown = Shown::Held;
        }
        self.note(self.to, shown);
    }
}

/// Writes all bytes; returns how many they are.
pub(super) fn write(to: Stream, bytes: &[u8]) -> io::Result<usize> {
    if bytes.is_empty() {
        return Ok(0);
    }
    let write = |to: &mut dyn Write| to.write_all(bytes).and_then(|()| to.flush());
    let written = match to {
        Stream::Out => Descriptors::check_stdout().and_then(|()| write(&mut io::stdout().lock())),
        Stream::Err => write(&mut io::stderr().lock()),
    };
    written.map(|()| bytes.len())
}
