//! What the reader is told: how much there is, what is missing where, and how to get it.

mod layout;
mod mark;

use mark::{ShownAmount, ShownFacts};

use crate::text::one_line;
use crate::{Cut, Oversized, Policy, Size};

pub use layout::{Layout, Preview, PreviewItem};
pub(crate) use mark::commas;

/// The facts of one output that its notice is made of.
///
/// ```
/// use overspill_core::{Keep, Limits, Notice, Oversized, Policy, ReaderAbilities, SaveStatus, Stored};
///
/// let policy = Policy::new(Limits::NONE.lines(6), Keep::ENDS);
/// let output: String = (1..=1000).map(|n| format!("line {n}\n")).collect();
/// let over = Oversized::of(output.as_bytes(), &policy).unwrap();
///
/// let copy = Stored { id: "01KA".into(), ..Stored::default() };
/// let reach = ReaderAbilities { program: Some("overspill".into()), ..Default::default() };
/// let notice = Notice { token: "3f9c2e".into(), saved: SaveStatus::Whole(copy), reach };
/// assert_eq!(notice.answer(&over).text, "\
/// [overspill 3f9c2e: 8,893 bytes in 1,000 lines; 4 lines shown. \
/// All of it: overspill read 01KA · overspill grep PATTERN 01KA]
/// line 1
/// line 2
/// [overspill 3f9c2e: lines 3–998 not shown (8,860 bytes): overspill read 01KA --lines 3:202]
/// line 999
/// line 1000
/// ");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// A short word that is fresh for each output, so that nothing in the output can pass for us.
    pub token: String,
    /// Where the whole output is.
    pub saved: SaveStatus,
    /// What the reader can do.
    pub reach: ReaderAbilities,
}

/// What became of the whole output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SaveStatus {
    /// All of it was saved.
    Whole(Stored),
    /// Only so many bytes were saved.
    Partial(Stored, u64),
    /// It could not be saved, for this reason.
    Failed(String),
    /// Nobody asked for it.
    No,
}

/// A saved output, as the reader may name it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stored {
    /// Its name for our program and our tools.
    pub id: String,
    /// Its file, where it has one.
    pub path: Option<String>,
    /// Who can get at it.
    pub within: Availability,
    /// How many secrets in it were masked before it was saved.
    pub masked: u64,
}

/// Who can get at a saved output.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Availability {
    /// Whoever works on this machine.
    #[default]
    ThisMachine,
    /// Every machine that shares the bucket.
    Shared,
    /// It is for the bucket, but for this reason it is still on this machine only.
    UploadPending(String),
}

/// What the reader of a notice can do. A notice offers nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReaderAbilities {
    /// It can run our program, under this name.
    pub program: Option<String>,
    /// It can call our tools.
    pub tools: Option<ToolNames>,
    /// It can open files.
    pub files: bool,
    /// It can hand work to a sub-agent, through the tool of this name.
    pub delegate: Option<String>,
}

/// The names under which the reader knows our tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolNames {
    /// Reads a part of a saved output.
    pub read: String,
    /// Searches in a saved output.
    pub grep: String,
}

impl Notice {
    /// Cuts an output and puts pieces, marks and notice together, all within the policy's limits.
    pub fn answer<'a>(&self, over: &Oversized<'a>) -> Preview<'a> {
        layout::compose(self, over)
    }

    /// Puts pieces that were chosen elsewhere together with marks and notice; `None` if that is
    /// more than the policy's limits admit.
    pub fn around<'a>(&self, cut: &Cut<'a>, policy: &Policy) -> Option<Preview<'a>> {
        layout::around(self, cut, policy)
    }

    /// Puts a text of its own making under the notice; `None` if that is more than the policy's
    /// limits admit.
    pub fn above(&self, text: &str, total: &Size, policy: &Policy) -> Option<(String, Layout)> {
        layout::above(self, text, total, policy)
    }

    /// Returns one line for the person who watches.
    pub fn for_person(&self, cut: &Cut) -> String {
        mark::person(&self.on_one_line(), &cut.total, ShownFacts::of(cut).what)
    }

    /// Returns one line for the person who watches, of an output that is shown by its outline.
    pub fn for_person_of_outline(&self, total: &Size) -> String {
        mark::person(&self.on_one_line(), total, ShownAmount::Json)
    }

    /// Keeps what comes from outside from breaking out of its line.
    fn on_one_line(&self) -> Notice {
        let copy = |copy: &Stored| Stored {
            id: one_line(&copy.id),
            path: copy.path.as_deref().map(one_line),
            within: match &copy.within {
                Availability::UploadPending(reason) => {
                    Availability::UploadPending(mark::clipped(&one_line(reason)))
                }
                within => within.clone(),
            },
            masked: copy.masked,
        };
        let saved = match &self.saved {
            SaveStatus::Whole(whole) => SaveStatus::Whole(copy(whole)),
            SaveStatus::Partial(part, bytes) => SaveStatus::Partial(copy(part), *bytes),
            SaveStatus::Failed(reason) => SaveStatus::Failed(mark::clipped(&one_line(reason))),
            SaveStatus::No => SaveStatus::No,
        };
        Notice { saved, ..self.clone() }
    }
}

impl SaveStatus {
    fn copy(&self) -> Option<&Stored> {
        match self {
            SaveStatus::Whole(copy) | SaveStatus::Partial(copy, _) => Some(copy),
            SaveStatus::Failed(_) | SaveStatus::No => None,
        }
    }
}
