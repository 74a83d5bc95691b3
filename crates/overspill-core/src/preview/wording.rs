//! The words of a preview that the core does not know: a label, and sentences about the saved copy.

use crate::text::one_line;

/// The words of a preview that depend on the caller, as data.
///
/// The core counts, and marks the missing parts. The caller knows the label of notices, how the
/// call ended, whether the whole output was saved, and how to read it.
///
/// ```
/// use overspill_core::{Keep, Limits, Policy, Wording};
///
/// let wording = Wording {
///     label: "archive".into(),
///     facts: vec!["exit 1".into()],
///     copy: "show 3f9c2e --lines A-B".into(),
///     ..Wording::plain("3f9c2e")
/// };
///
/// let policy = Policy::new(Limits::NONE.lines(6), Keep::ENDS);
/// let output: String = (1..=1000).map(|n| format!("line {n}\n")).collect();
/// let oversized = policy.measure(output.as_bytes()).unwrap();
/// assert_eq!(oversized.preview(&wording).text, "\
/// [archive 3f9c2e: exit 1, 1,000 lines, 8,893 bytes, 4 lines shown; show 3f9c2e --lines A-B]
/// line 1
/// line 2
/// [3f9c2e: lines 3-998 cut]
/// line 999
/// line 1000
/// ");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wording {
    /// The word that begins every notice and mark.
    pub label: String,
    /// A short word that is new for each output, so that no output can forge a mark. It is also the
    /// short id of the saved output. Empty for a mark that belongs to no output.
    pub short_id: String,
    /// Facts about the call, such as `exit 1`. A long notice leaves out the last ones.
    pub facts: Vec<String>,
    /// The end of a long notice: how to read the saved copy, and warnings about it.
    pub copy: String,
    /// The end of a short notice, in a few words.
    pub short_copy: String,
}

impl Wording {
    /// Returns the wording for an output that is not saved.
    pub fn plain(short_id: &str) -> Wording {
        Wording {
            label: "output".into(),
            short_id: short_id.into(),
            facts: Vec::new(),
            copy: "not saved".into(),
            short_copy: "not saved".into(),
        }
    }

    /// Returns a mark with a text: `[label short_id: text]`.
    ///
    /// ```
    /// use overspill_core::Wording;
    ///
    /// assert_eq!(Wording::plain("3f9c2e").line("no more lines"), "[output 3f9c2e: no more lines]");
    /// ```
    pub fn line(&self, text: &str) -> String {
        self.on_one_line().mark(&one_line(text))
    }

    /// Returns a mark with a text. Both the text and the wording are on one line already.
    pub(super) fn mark(&self, text: &str) -> String {
        let blank = if self.short_id.is_empty() { "" } else { " " };
        format!("[{}{blank}{}: {text}]", self.label, self.short_id)
    }

    /// Returns these words with the kind of the output as the first fact.
    #[must_use]
    pub(super) fn of_kind(mut self, kind: Option<String>) -> Wording {
        self.facts.splice(0..0, kind);
        self
    }

    /// Makes control characters visible, so that every text stays on one line.
    pub(super) fn on_one_line(&self) -> Wording {
        Wording {
            label: one_line(&self.label),
            short_id: one_line(&self.short_id),
            facts: self.facts.iter().map(|fact| one_line(fact)).collect(),
            copy: one_line(&self.copy),
            short_copy: one_line(&self.short_copy),
        }
    }
}
