//! What is measured, cut, saved, worded and skipped, as data: five published systems and our own.

mod agent_v2;
mod klaude;
mod opencode;
mod own;
mod places;
mod result;
mod takumi;
mod unified;
mod words;

use std::borrow::Cow;
use std::path::PathBuf;

use jiff::SignedDuration;
use overspill_core::{Cleaning, Grain, Keep, Limits, LineRule, Policy, Tokens};

use crate::store::{Access, Disk, DiskOptions, NameStyle, PathStyle};
use crate::sweep::Retention;
use crate::{Clock, Layer, Limit};

pub use klaude::{TruncationResult, TruncationUiExtra};
pub use opencode::{PermissionRule, Preset, ToolKind, can_delegate, matches_wildcard};
pub use places::{Places, project_directories, project_root};
pub use result::{ServiceEvent, ServiceResult};
pub(crate) use words::{Direction, LONGEST_MARK, NoticeFacts, WordedNotice, preview, word};
pub use words::{NoticeStyle, WalkWords};

/// A way of bounding outputs.
///
/// One engine works through it, so a profile of your own is a value:
///
/// ```
/// use overspill::Profile;
/// use overspill::core::{Keep, Limits, Policy};
///
/// let tails = Profile { policy: Policy::new(Limits::NONE.lines(50), Keep::Tail), ..Profile::OWN };
/// ```
#[derive(Debug, Clone)]
pub struct Profile {
    /// What it is called.
    pub name: &'static str,
    /// When an output is cut, and how.
    pub policy: Policy,
    /// What passes uncut through a gate or a failed save is cut all the same beyond this.
    pub ceiling: Limits,
    /// How what is left out is counted.
    pub accounting: Accounting,
    /// How it is worded.
    pub words: NoticeStyle,
    /// Whether what is too large is saved.
    pub saves: bool,
    /// What is answered when the output cannot be saved.
    pub on_save_error: OnSaveError,
    /// Whether outputs of failed tools are cut.
    pub errors: Errors,
    /// Settings of single tools.
    pub tools: &'static [ToolDefaults],
    /// Where things stand in a tool's result.
    pub shape: ResultLayout,
    /// Where its files go.
    pub directory: Directory,
    /// What its files are called.
    pub names: NameStyle,
    /// After how many days without use a file goes.
    pub retention_days: Option<u32>,
    /// When expired files are removed.
    pub sweeps: Sweeps,
}

/// How what is left out is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accounting {
    /// In bytes if the limit on bytes stopped the walk, otherwise in lines.
    WhatStopped,
    /// In bytes if the output exceeds the limit on bytes or that limit stopped the walk, otherwise
    /// in lines.
    WhatIsExceeded,
    /// In characters.
    Chars,
}

/// What is answered when an output cannot be saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnSaveError {
    /// The same preview, which says so.
    SaySo,
    /// As much of the start as would not have been cut, which says how much is missing.
    SimpleCut,
    /// The output as it is, up to the ceiling.
    Original,
}

/// What happens to outputs of failed tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Errors {
    /// They are cut like any other.
    Cut,
    /// They pass, up to the ceiling.
    Pass,
}

/// Where things stand in a tool's result, and what is added to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResultLayout {
    /// The text, or a list of parts with text among them.
    pub text: &'static str,
    /// Says, by being there, that the result was handled already.
    pub handled: ResultField,
    /// Says whether the result was cut.
    pub flag: ResultField,
    /// Where the whole output is.
    pub path: ResultField,
    /// How many lines, or bytes, are left out.
    pub left_out: Option<(ResultField, ResultField)>,
    /// Our own record.
    pub record: Option<ResultField>,
    /// Says that the tool failed.
    pub error: Option<&'static str>,
    /// What a person is shown.
    pub display: Option<&'static str>,
    /// What becomes of a result without any text.
    pub nothing: Unmarked,
    /// What becomes of a result where outputs are not to be cut.
    pub disabled: Unmarked,
    /// Which kinds of parts are shortened.
    pub parts: PartKinds,
}

/// Which kinds of parts in a list are shortened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartKinds {
    /// Parts of the type `text`, as the source systems have them.
    Text,
    /// Every kind that MCP has: text, embedded resources, media; and structured content beside the list.
    Mcp,
}

/// A place in a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultField {
    /// A field of the result.
    Top(&'static str),
    /// A field of its metadata.
    Metadata(&'static str),
    /// There is no such place.
    Nowhere,
}

/// What becomes of a result that there is nothing to do with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unmarked {
    /// It stays as it is.
    Unchanged,
    /// It is marked as not cut.
    Marked,
}

impl ResultLayout {
    /// Results with `output` and `metadata`, and our own record in it.
    pub const OWN: ResultLayout = ResultLayout {
        text: "output",
        handled: ResultField::Metadata("overspill"),
        flag: ResultField::Metadata("truncated"),
        path: ResultField::Metadata("outputPath"),
        left_out: None,
        record: Some(ResultField::Metadata("overspill")),
        error: None,
        display: None,
        nothing: Unmarked::Unchanged,
        disabled: Unmarked::Unchanged,
        parts: PartKinds::Mcp,
    };

    /// Results with `output` and `metadata`, as opencode has them.
    pub const OUTPUT: ResultLayout = ResultLayout {
        handled: ResultField::Metadata("truncated"),
        record: None,
        nothing: Unmarked::Marked,
        parts: PartKinds::Text,
        ..ResultLayout::OWN
    };
}

/// Settings that a profile has for one tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolDefaults {
    /// The tool.
    pub tool: &'static str,
    /// Whether its output is cut.
    pub enabled: Option<bool>,
    /// How many lines are shown.
    pub max_lines: Option<u64>,
    /// What is kept.
    pub keep: Option<Keep>,
}

/// Where a profile's files go, unless it is told otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Directory {
    /// Below the user's state directory.
    State(Cow<'static, str>),
    /// Below the user's data directory.
    Data(Cow<'static, str>),
    /// Below the home directory.
    Home(Cow<'static, str>),
    /// Below the project's root.
    Project(Cow<'static, str>),
    /// Below the working directory.
    Working(Cow<'static, str>),
    /// This one.
    Fixed(Cow<'static, str>),
}

/// When expired files are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sweeps {
    /// Never.
    Never,
    /// Only when asked to.
    OnDemand,
    /// Once in a process, before its first save.
    BeforeFirstSave,
    /// A few after an answer, at most once an hour.
    AfterAnswer,
}

/// Three of the systems walk from one end by whole lines, until 2000 of them or 50 KiB are full.
const WALK: Policy = Policy {
    trigger: Policy::LIMITS,
    limits: Policy::LIMITS,
    keep: Keep::Head,
    grain: Grain::WholeLine,
    lines: LineRule::Separated,
    cleaning: Cleaning::Off,
    tokens: Tokens::Estimate,
};

/// The ceiling of every profile: ten times what is shown.
const CEILING: Limits = Limits::NONE.bytes(512_000).lines(20_000);

impl Profile {
    /// All profiles, our own first.
    pub const ALL: [Profile; 6] = [
        Profile::OWN,
        Profile::KLAUDE,
        Profile::UNIFIED,
        Profile::TAKUMI,
        Profile::AGENT_V2,
        Profile::OPENCODE,
    ];

    /// Returns the profile of this name.
    pub fn named(name: &str) -> Option<Profile> {
        Profile::ALL.into_iter().find(|profile| profile.name == name)
    }

    /// Returns the pattern that matches its files, for hosts that ask who may read what.
    pub fn glob(&self, places: &Places) -> String {
        format!("{}/*", self.directory.within(places).display())
    }

    /// Returns how long its files stay.
    pub fn retention(&self) -> Retention {
        let days = |days: u32| SignedDuration::from_hours(24 * i64::from(days));
        let own = self.words == NoticeStyle::Own;
        Retention {
            unused_for: self.retention_days.map(days),
            quota: Retention::default().quota.filter(|_| own),
            // The others know no mercy for what is young, and none is needed: days are days.
            spare_younger_than: if own {
                Retention::default().spare_younger_than
            } else {
                SignedDuration::ZERO
            },
        }
    }

    /// Returns the settings that this profile has for `tool`.
    pub(crate) fn tool(&self, tool: &str) -> Option<Layer> {
        let defaults = self.tools.iter().find(|defaults| defaults.tool == tool)?;
        Some(Layer {
            enabled: defaults.enabled,
            max_lines: defaults.max_lines.map(Limit::AtMost),
            keep: defaults.keep,
            ..Layer::default()
        })
    }
}

impl Profile {
    /// Returns the store that this profile keeps its outputs in.
    pub fn disk(&self, places: &Places, clock: Clock) -> Disk {
        Disk::new(self.directory.within(places), self.disk_options(places, clock))
    }

    /// Returns how this profile keeps its outputs, for a store that is to differ from it.
    pub fn disk_options(&self, places: &Places, clock: Clock) -> DiskOptions {
        let own = self.words == NoticeStyle::Own;
        let project = matches!(self.directory, Directory::Project(_));
        DiskOptions {
            names: self.names,
            records: own,
            clock,
            // The other systems' directories may be there already, made as they liked it.
            access: if own { Access::Private } else { Access::Shared },
            paths: match self.directory {
                Directory::Project(_) => PathStyle::From(places.project.clone()),
                _ => PathStyle::Whole,
            },
            git_ignored: project,
            // They promise the full output, whatever its size.
            most_per_output: if own { DiskOptions::default().most_per_output } else { u64::MAX },
            ..DiskOptions::default()
        }
    }
}

impl Directory {
    /// Returns the directory itself.
    pub fn within(&self, places: &Places) -> PathBuf {
        let (base, path) = match self {
            Directory::State(path) => (&places.state, path),
            Directory::Data(path) => (&places.data, path),
            Directory::Home(path) => (&places.home, path),
            Directory::Project(path) => (&places.project, path),
            Directory::Working(path) => (&places.working, path),
            Directory::Fixed(path) => return PathBuf::from(&**path),
        };
        base.join(&**path)
    }
}
