//! Makes the text for the reader: it has the size of the output, the missing parts, and the way to
//! read them.

mod layout;
mod mark;
mod measured;
mod wording;

pub(crate) use mark::reads_as_gap;
use mark::{ShownAmount, ShownFacts};

use crate::{Cut, Oversized, Policy, Size};

pub use layout::{Layout, Preview, PreviewItem};
pub use wording::Wording;

impl<'a> Oversized<'a> {
    /// Cuts the output and assembles pieces, marks and notice within the policy's limits.
    pub fn preview(&self, wording: &Wording) -> Preview<'a> {
        layout::compose(wording, self)
    }
}

impl Wording {
    /// Assembles pieces that the caller chose with marks and notice. Returns `None` if the result
    /// exceeds the policy's limits.
    pub fn around<'a>(&self, cut: &Cut<'a>, policy: &Policy) -> Option<Preview<'a>> {
        layout::around(self, cut, policy)
    }

    /// Puts a text that is not part of the output under the notice. Returns `None` if the result
    /// exceeds the policy's limits.
    pub fn above(&self, text: &str, total: &Size, policy: &Policy) -> Option<(String, Layout)> {
        layout::above(self, text, total, policy)
    }

    /// Returns one line for the person at the terminal.
    pub fn for_person(&self, cut: &Cut) -> String {
        mark::person(&self.on_one_line(), &cut.total, ShownFacts::of(cut).what)
    }

    /// Returns one line for the person at the terminal, about an output that is not shown at all.
    pub fn for_person_of_unshown(&self, total: &Size) -> String {
        mark::person(&self.on_one_line(), total, ShownAmount::Lines(0))
    }

    /// Returns one line for the person at the terminal, about an output that is shown as an
    /// outline.
    pub fn for_person_of_outline(&self, total: &Size) -> String {
        mark::person(&self.on_one_line(), total, ShownAmount::Json)
    }
}
