//! A terminal that somebody else reads: a host that runs commands on one and takes what it then shows.

use std::borrow::Cow;

use memchr::memmem;
use overspill::Outcome;
use overspill::core::Policy;

use super::start::Start;

/// What is on such a terminal: everything as it comes, as long as that fits. Of what does not fit the
/// preview is shown in its place when the command has ended.
#[derive(Debug)]
pub(super) struct Screen {
    start: Start,
    /// A program has taken the whole screen: what is on it is no text, and nobody's to cut.
    is_taken: bool,
}

/// How a program asks for a screen of its own.
const TAKES_SCREEN: [&[u8]; 2] = [b"\x1b[?1049h", b"\x1b[?47h"];
/// Removes what is on the screen and what was moved off it.
const CLEAR: &[u8] = b"\x1b[H\x1b[2J\x1b[3J";

impl Screen {
    pub(super) fn within(policy: &Policy) -> Screen {
        Screen { start: Start::within(&policy.limits, 1), is_taken: false }
    }

    /// Takes what came and returns what is shown of it.
    pub(super) fn take<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        self.is_taken |= TAKES_SCREEN.iter().any(|ask| memmem::find(bytes, ask).is_some());
        if self.is_taken { bytes } else { self.start.take(bytes) }
    }

    /// Returns what is shown at the end.
    pub(super) fn rest<'a>(&self, outcome: &'a Outcome) -> Cow<'a, [u8]> {
        match outcome {
            _ if self.is_taken => Cow::Borrowed(&[]),
            Outcome::Whole(bytes) => Cow::Borrowed(bytes.get(self.start.len..).unwrap_or_default()),
            Outcome::Spilled(spilled) => [CLEAR, spilled.text.as_bytes()].concat().into(),
        }
    }
}
