//! An output that is shown while it arrives.

use overspill_core::{Limits, Policy, Size};

use crate::store::SpillRef;
use crate::{Call, CallEnd, CallOptions, Outcome, Overspill, Spill};

/// A [`Spill`] whose text is shown while the command still runs.
///
/// ```
/// use overspill::internal::LiveSpill;
/// use overspill::store::Memory;
/// use overspill::{Call, CallEnd, CallOptions, Overspill, Profile};
///
/// let overspill = Overspill::new(Profile::OWN, Memory::default());
/// let mut spill = LiveSpill::new(&overspill, Call::new("make"), CallOptions::default());
/// let mut screen = Vec::new();
/// spill.push_showing(b"one\ntwo\n", |text| screen.extend_from_slice(text));
/// spill.flush_held(|text| screen.extend_from_slice(text));
/// assert_eq!(screen, b"one\ntwo\n");
/// spill.finish(CallEnd::exited(0));
/// ```
#[derive(Debug)]
pub struct LiveSpill<'a>(Spill<'a>);

impl<'a> LiveSpill<'a> {
    /// Takes an output in chunks, with the settings of `overspill`.
    pub fn new(overspill: &'a Overspill, call: Call, options: CallOptions) -> LiveSpill<'a> {
        LiveSpill(overspill.spill(call, options).going_live())
    }

    /// Takes the next chunk, and passes on the text that may be shown now: the whole chunk, unless
    /// secrets are masked in shown text.
    pub fn push_showing(&mut self, chunk: &[u8], show: impl FnMut(&[u8])) {
        self.0.push_showing(chunk, show);
    }

    /// Passes on the text that is held back because it may begin a secret. No chunk follows.
    pub fn flush_held(&mut self, show: impl FnMut(&[u8])) {
        self.0.flush_held(show);
    }

    /// Ends the output here. Chunks that follow are another output of the same call, with the
    /// options
    /// `next`. Text that is held back because it may begin a secret belongs to the other output.
    pub fn split(&mut self, next: CallOptions, end: CallEnd) -> Outcome<'static> {
        self.0.split(next, end)
    }

    /// Returns the saved output, if it can be read while it is written.
    pub fn live(&self) -> Option<&SpillRef> {
        self.0.live()
    }

    /// Returns the output so far, as long as it may still be short.
    pub fn held(&self) -> Option<&[u8]> {
        self.0.held()
    }

    /// Returns the size of the output so far.
    pub fn total(&self) -> Size {
        self.0.total()
    }

    /// Lowers the limits. Returns true if the output is too large for them; then it is saved from
    /// now on.
    pub fn tighten(&mut self, limits: Limits) -> bool {
        self.0.share(limits);
        self.0.settle();
        self.0.is_over()
    }

    /// Leaves room for a text that the caller shows after the output.
    pub fn leave_room(&mut self, text: &str) {
        let policy = self.0.policy();
        let size = Size::of(text.as_bytes(), policy.lines);
        let tokens = policy.tokens.count(text.as_bytes());
        let less = |limit: Option<u64>, used: u64| limit.map(|limit| limit.saturating_sub(used));
        let Limits { bytes, lines, chars, tokens: most_tokens } = policy.limits;
        let share = Limits {
            bytes: less(bytes, size.bytes),
            lines: less(lines, size.lines),
            chars: less(chars, size.chars),
            tokens: less(most_tokens, tokens),
        };
        self.0.share(share);
    }

    /// Returns the policy of the call.
    pub fn policy(&self) -> &Policy {
        self.0.policy()
    }

    /// Tells whether the output is too large already. Then the whole output is saved.
    pub fn is_over(&self) -> bool {
        self.0.is_over()
    }

    /// Ends the output. `end` tells how the call ended.
    pub fn finish(self, end: CallEnd) -> Outcome<'static> {
        self.0.finish(end)
    }
}
