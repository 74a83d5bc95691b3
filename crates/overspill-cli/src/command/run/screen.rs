//! A terminal that somebody else reads: a host that runs commands on one and takes what it then shows.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use memchr::memmem;
use overspill::Outcome;
use overspill::core::Policy;

use super::head_budget::HeadBudget;

/// What is on such a terminal: everything as it comes, as long as it is a little. What is more is shown
/// when the command has ended: all of it, or the preview in the place of what was shown.
#[derive(Debug)]
pub(super) struct Screen {
    start: HeadBudget,
    /// A program has taken the whole screen: what is on it is no text, and nobody's to cut.
    is_taken: bool,
    /// When the host has likely read what was written.
    read_by: Instant,
}

/// How a program asks for a screen of its own.
const TAKES_SCREEN: [&[u8]; 2] = [b"\x1b[?1049h", b"\x1b[?47h"];
/// Removes what is on the screen and what was moved off it.
const CLEAR: &[u8] = b"\x1b[H\x1b[2J\x1b[3J";
/// How long hosts take for a KiB: they draw as they read. Seen to be less than half of it on a busy machine.
const A_KIB_TAKES: Duration = Duration::from_millis(80);

impl Screen {
    pub(super) fn within(policy: &Policy) -> Screen {
        let start = HeadBudget::within(&policy.limits, 8);
        Screen { start, is_taken: false, read_by: Instant::now() }
    }

    /// Takes what came and returns what is shown of it.
    pub(super) fn take<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        self.is_taken |= TAKES_SCREEN.iter().any(|ask| memmem::find(bytes, ask).is_some());
        let shown = if self.is_taken { bytes } else { self.start.take(bytes) };
        self.expect_reading(shown.len());
        shown
    }

    /// Returns how much of the output is shown.
    pub(super) fn shown_from_start(&self) -> usize {
        if self.is_taken { usize::MAX } else { self.start.len }
    }

    /// Returns what is shown at the end.
    pub(super) fn rest<'a>(&mut self, outcome: &'a Outcome) -> Cow<'a, [u8]> {
        let rest: Cow<'a, [u8]> = match outcome {
            _ if self.is_taken => Cow::Borrowed(&[]),
            Outcome::Whole(_) | Outcome::Masked(_) => {
                Cow::Borrowed(outcome.bytes().get(self.start.len..).unwrap_or_default())
            }
            Outcome::Spilled(spilled) => [CLEAR, spilled.text.as_bytes()].concat().into(),
        };
        self.expect_reading(rest.len());
        rest
    }

    fn expect_reading(&mut self, len: usize) {
        let takes = A_KIB_TAKES.mul_f64(len as f64 / 1024.0);
        self.read_by = self.read_by.max(Instant::now()) + takes;
    }

    /// Waits until what was written is likely read.
    ///
    /// Hosts stop reading when the command's process ends, and lose what is still on its way; nothing
    /// tells when the other side of a terminal has read all.
    pub(super) fn wait_for_reader(&self) {
        std::thread::sleep(self.read_by.saturating_duration_since(Instant::now()));
    }
}
