//! A profile says, as data, what is measured, cut, saved, worded and skipped.

mod own;
mod places;

use std::borrow::Cow;
use std::path::PathBuf;

use overspill_core::{Keep, Limits, Policy};

use crate::seeds::WalkWords;
use crate::store::{Access, DiskOptions, NameStyle, PathStyle};
use crate::sweep::Retention;
use crate::{Clock, Layer, Limit};

pub(crate) use crate::seeds::words::{Direction, NoticeFacts, WordedNotice, preview, word};
pub use places::{Places, project_directories, project_root};

/// A set of rules for shortening outputs.
///
/// One engine reads it, so a profile of your own is a value:
///
/// ```
/// use overspill::Profile;
/// use overspill::core::{Keep, Limits, Policy};
///
/// let tails = Profile { policy: Policy::new(Limits::NONE.lines(50), Keep::Tail), ..Profile::OWN };
/// ```
#[derive(Debug, Clone)]
pub struct Profile {
    /// Its name.
    pub name: &'static str,
    /// When an output is cut, and how.
    pub policy: Policy,
    /// An output beyond this is always cut, even where a gate or a failed save lets outputs pass.
    pub ceiling: Limits,
    /// How the hidden part is counted.
    pub accounting: Accounting,
    /// How the notice is worded.
    pub words: NoticeStyle,
    /// Whether an output that is cut is saved.
    pub saves: bool,
    /// The answer if the output cannot be saved.
    pub on_save_error: OnSaveError,
    /// Whether outputs of failed tools are cut.
    pub errors: Errors,
    /// Settings of single tools.
    pub tools: &'static [ToolDefaults],
    /// The fields of a tool's result.
    pub shape: ResultLayout,
    /// Where its files go.
    pub directory: Directory,
    /// What its files are called.
    pub names: NameStyle,
    /// Who else may see into its directory.
    pub access: Access,
    /// Whether records of calls, checksums and line indexes stand beside its files.
    pub records: bool,
    /// The most bytes of one saved output.
    pub max_output: u64,
    /// How long its files stay.
    pub retention: Retention,
    /// When expired files are removed.
    pub sweeps: Sweeps,
    /// Whether its outputs may go to a bucket.
    pub bucket: bool,
    /// Whether an output is cut while it arrives. Otherwise the program first waits for all of an
    /// output that may be given back as it is.
    pub streams: bool,
    /// Whether outputs are responses in the common JSON envelope.
    pub envelope: bool,
    /// Settings of its own that the program reads.
    pub own_settings: OwnSettings,
    /// Whether a strategy may show more than the limits, up to the ceiling.
    pub strategy_may_exceed: bool,
    /// Whether the limits of a host agent replace its own. Otherwise they only lower its own.
    pub host_limits: bool,
    /// Whether the program reports failures that a pipe hides, unless a setting decides.
    pub reports_pipelines: bool,
}

/// Settings that a profile has beside ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnSettings {
    /// None.
    None,
    /// The variables `TOOL_OUTPUT_…`.
    ToolOutputVariables,
    /// The key `truncation` in the files of takumi.
    TakumiFiles,
}

/// How a profile words its notices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeStyle {
    /// Our own notice and marks, inside the limits.
    Own,
    /// A header, the start, a mark, the end under a label; characters are counted.
    BothEnds,
    /// The start, then the size of the hidden part.
    StartOnly,
    /// A preview, a marker and a hint, in the order of the kept end.
    Walk(WalkWords),
    /// Two lines beside the fields of an envelope.
    Envelope,
}

/// How the hidden part is counted.
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

/// The answer if an output cannot be saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnSaveError {
    /// The same preview, which says so.
    SaySo,
    /// The start, as long as an output that is not cut, then the size of the hidden part.
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

/// The fields of a tool's result, and those that are added to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResultLayout {
    /// The text, or a list of parts with text among them.
    pub text: &'static str,
    /// A result with this field was handled already.
    pub handled: ResultField,
    /// Says whether the result was cut.
    pub flag: ResultField,
    /// The path of the whole output.
    pub path: ResultField,
    /// The number of hidden lines, and of hidden bytes.
    pub left_out: Option<(ResultField, ResultField)>,
    /// Our own record.
    pub record: Option<ResultField>,
    /// Says that the tool failed.
    pub error: Option<&'static str>,
    /// The text for a person.
    pub display: Option<&'static str>,
    /// What happens to a result without text.
    pub nothing: Unmarked,
    /// What happens to a result if cutting is switched off.
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

/// What happens to a result that is not cut.
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

/// The default directory of a profile's files.
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
    /// Returns the options of a store with the files of this profile. With `places` the store is in the
    /// profile's usual directory; one in a project shows paths from the project's root, and Git ignores it.
    pub fn disk_options(&self, places: Option<&Places>, clock: Clock) -> DiskOptions {
        let project = places.filter(|_| matches!(self.directory, Directory::Project(_)));
        DiskOptions {
            names: self.names,
            records: self.records,
            clock,
            access: self.access,
            paths: project.map_or(PathStyle::Whole, |it| PathStyle::From(it.project.clone())),
            git_ignored: project.is_some(),
            most_per_output: self.max_output,
            ..DiskOptions::default()
        }
    }
}

impl Directory {
    /// Returns the path of the directory.
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
