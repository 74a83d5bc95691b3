//! The words of a preview that the core does not know: a label, and sentences about the saved copy.

use crate::text::one_line;

/// The words of a preview that depend on the caller, as data.
///
/// The core counts, and says what is missing. The caller knows how notices are labelled, what
/// became of the whole output, and which command reads a part of it.
///
/// ```
/// use overspill_core::{Keep, Limits, PageCommand, Policy, Wording};
///
/// let wording = Wording {
///     label: "archive".into(),
///     copy: "All of it: show 17".into(),
///     page: Some(PageCommand {
///         before_unit: "show 17 --".into(),
///         before_range: " ".into(),
///         after_range: String::new(),
///     }),
///     ..Wording::plain("3f9c2e")
/// };
///
/// let policy = Policy::new(Limits::NONE.lines(6), Keep::ENDS);
/// let output: String = (1..=1000).map(|n| format!("line {n}\n")).collect();
/// let oversized = policy.measure(output.as_bytes()).unwrap();
/// assert_eq!(oversized.preview(&wording).text, "\
/// [archive 3f9c2e: 8,893 bytes in 1,000 lines; 4 lines shown. All of it: show 17]
/// line 1
/// line 2
/// [archive 3f9c2e: lines 3–998 not shown (8,860 bytes): show 17 --lines 3:202]
/// line 999
/// line 1000
/// ");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wording {
    /// The word that begins every notice and mark.
    pub label: String,
    /// A short word that is fresh for each output, so that no output can forge a mark.
    pub token: String,
    /// The name of the saved output. It stands in place of the token if there is no room for a
    /// notice.
    pub id: Option<String>,
    /// The sentence about the saved copy. It ends a notice.
    pub copy: String,
    /// The same in a few words. It ends a short notice.
    pub short_copy: String,
    /// The command that reads a part of the output.
    pub page: Option<PageCommand>,
}

/// A command that reads a part of a saved output.
///
/// The command is `before_unit`, then `lines` or `bytes`, `before_range`, a range such as `4:203`,
/// and `after_range`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageCommand {
    /// The text before `lines` or `bytes`.
    pub before_unit: String,
    /// The text between the unit and the range.
    pub before_range: String,
    /// The text after the range.
    pub after_range: String,
}

/// A part of a gap: the unit, the start and the end.
pub(super) type Page = (&'static str, u64, u64);

impl Wording {
    /// Words for an output that nobody saves.
    pub fn plain(token: &str) -> Wording {
        Wording {
            label: "output".into(),
            token: token.into(),
            id: None,
            copy: "It was not saved".into(),
            short_copy: "not saved".into(),
            page: None,
        }
    }

    /// Returns a mark with a text: `[label token: text]`.
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
        format!("[{} {}: {text}]", self.label, self.token)
    }

    /// Returns the command that reads a page, if there is one: lines from one to another, both
    /// included, or bytes from one offset up to another.
    pub(super) fn page(&self, (unit, from, to): Page) -> Option<String> {
        let PageCommand { before_unit, before_range, after_range } = self.page.as_ref()?;
        Some(format!("{before_unit}{unit}{before_range}{from}:{to}{after_range}"))
    }

    /// Makes control characters visible, so that no word leaves its line.
    pub(super) fn on_one_line(&self) -> Wording {
        let page = |page: &PageCommand| PageCommand {
            before_unit: one_line(&page.before_unit),
            before_range: one_line(&page.before_range),
            after_range: one_line(&page.after_range),
        };
        Wording {
            label: one_line(&self.label),
            token: one_line(&self.token),
            id: self.id.as_deref().map(one_line),
            copy: one_line(&self.copy),
            short_copy: one_line(&self.short_copy),
            page: self.page.as_ref().map(page),
        }
    }
}
