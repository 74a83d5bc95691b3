//! Tells the reader how much there is, what is missing where, and how to get it.

mod layout;
mod mark;
mod wording;

pub(crate) use mark::reads_as_gap;
use mark::{ShownAmount, ShownFacts};

use crate::{Cut, Oversized, Policy, Size};

pub use layout::{Layout, Preview, PreviewItem};
pub use wording::Wording;

impl<'a> Oversized<'a> {
    /// Cuts the output and puts pieces, marks and notice together, all within the policy's limits.
    pub fn preview(&self, wording: &Wording) -> Preview<'a> {
        layout::compose(wording, self)
    }
}

impl Wording {
    /// Puts pieces that were chosen elsewhere together with marks and notice. Returns `None` if
    /// that exceeds the policy's limits.
    pub fn around<'a>(&self, cut: &Cut<'a>, policy: &Policy) -> Option<Preview<'a>> {
        layout::around(self, cut, policy)
    }

    /// Puts a text that is no part of the output under the notice. Returns `None` if that exceeds
    /// the policy's limits.
    pub fn above(&self, text: &str, total: &Size, policy: &Policy) -> Option<(String, Layout)> {
        layout::above(self, text, total, policy)
    }

    /// Returns one line for the person who watches.
    pub fn for_person(&self, cut: &Cut) -> String {
        mark::person(&self.on_one_line(), &cut.total, ShownFacts::of(cut).what)
    }

    /// Returns one line for the person who watches, about an output of which nothing could be written.
    pub fn for_person_of_unshown(&self, total: &Size) -> String {
        mark::person(&self.on_one_line(), total, ShownAmount::Lines(0))
    }

    /// Returns one line for the person who watches, about an output that is shown by its outline.
    pub fn for_person_of_outline(&self, total: &Size) -> String {
        mark::person(&self.on_one_line(), total, ShownAmount::Json)
    }
}
