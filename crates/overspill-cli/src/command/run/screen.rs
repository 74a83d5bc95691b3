//! Shows output on a terminal that a host reads: the host runs a command on it and takes the text
//! on the screen.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use memchr::memmem;
use overspill::Outcome;
use overspill::core::Policy;

use super::head_budget::HeadBudget;

/// The output on such a terminal: a short output live. A longer output is shown after the end of
/// the command: whole, or as a preview that replaces the shown part.
#[derive(Debug)]
pub(super) struct Screen {
    start: HeadBudget,
    /// Tells whether a program uses the whole screen: then the screen shows no text that could be
    /// shortened.
    is_taken: bool,
    /// The time at which the host has probably read the written bytes.
    read_by: Instant,
}

/// The escapes with which a program switches to a screen of its own.
const TAKES_SCREEN: [&[u8]; 2] = [b"\x1b[?1049h", b"\x1b[?47h"];
/// The escapes that clear the screen and its history.
const CLEAR: &[u8] = b"\x1b[H\x1b[2J\x1b[3J";
/// The time that hosts take to read a KiB, because they draw while they read. Measured: less than
/// half of it on a busy machine.
const A_KIB_TAKES: Duration = Duration::from_millis(80);

impl Screen {
    pub(super) fn within(policy: &Policy) -> Screen {
        let start = HeadBudget::within(&policy.limits, 8);
        Screen { start, is_taken: false, read_by: Instant::now() }
    }

    /// Takes new bytes, and returns those that are shown.
    pub(super) fn take<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        self.is_taken |= TAKES_SCREEN.iter().any(|ask| memmem::find(bytes, ask).is_some());
        let shown = if self.is_taken { bytes } else { self.start.take(bytes) };
        self.expect_reading(shown.len());
        shown
    }

    /// Returns the number of bytes of the output that are shown.
    pub(super) fn shown_from_start(&self) -> usize {
        if self.is_taken { usize::MAX } else { self.start.len }
    }

    /// Returns the bytes to show at the end.
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

    /// Waits until the host has probably read the written bytes.
    ///
    /// Hosts stop reading when the command's process ends, and lose unread bytes. A terminal does
    /// not tell when the other side has read everything.
    pub(super) fn wait_for_reader(&self) {
        std::thread::sleep(self.read_by.saturating_duration_since(Instant::now()));
    }
}
