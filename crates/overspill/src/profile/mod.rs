//! Profiles: sets of rules, as data, for measuring, cutting, saving and wording.

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
    /// The name of the profile.
    pub name: &'static str,
    /// The policy: when an output is cut, and how.
    pub policy: Policy,
    /// An output over this size is always cut, even if a gate or a failed save lets outputs pass.
    pub ceiling: Limits,
    /// The way in which the hidden part is counted.
    pub accounting: Accounting,
    /// The wording of the notice.
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
    /// The default directory of the files.
    pub directory: Directory,
    /// The style of the file names.
    pub names: NameStyle,
    /// The access rights of the directory.
    pub access: Access,
    /// Whether records of calls, checksums and line indexes are written beside the files.
    pub records: bool,
    /// The largest number of bytes of one saved output.
    pub max_output: u64,
    /// The rules for how long the files are kept.
    pub retention: Retention,
    /// The occasions on which expired files are removed.
    pub sweeps: Sweeps,
    /// Whether the outputs may go to a bucket.
    pub bucket: bool,
    /// Whether an output is cut while it arrives. Otherwise the program first waits for the end of
    /// an output that may be returned unchanged.
    pub streams: bool,
    /// Whether outputs are responses in the common JSON envelope.
    pub envelope: bool,
    /// Settings of other systems that the program reads for this profile.
    pub own_settings: OwnSettings,
    /// Whether a strategy may show more than the limits, up to the ceiling.
    pub strategy_may_exceed: bool,
    /// Whether the limits of a host agent replace the limits of the profile. Otherwise the host can
    /// only lower the limits.
    pub host_limits: bool,
    /// Whether the program reports failures that a pipe hides, unless a setting decides.
    pub reports_pipelines: bool,
}

/// Settings that a profile has in addition to ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnSettings {
    /// No further settings.
    None,
    /// The variables `TOOL_OUTPUT_…`.
    ToolOutputVariables,
    /// The key `truncation` in the files of takumi.
    TakumiFiles,
}

/// The wording of a profile's notices.
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

/// The way in which the hidden part is counted.
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
    /// The same preview, with a notice that the output was not saved.
    SaySo,
    /// The start of the output, up to the trigger limit, then the size of the hidden part.
    SimpleCut,
    /// The output unchanged, up to the ceiling.
    Original,
}

/// The treatment of outputs of failed tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Errors {
    /// Outputs of failed tools are cut like any other.
    Cut,
    /// Outputs of failed tools pass uncut, up to the ceiling.
    Pass,
}

/// The fields of a tool's result, and those that are added to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResultLayout {
    /// The text, or a list of parts with text among them.
    pub text: &'static str,
    /// A result with this field was handled already.
    pub handled: ResultField,
    /// The field that tells whether the result was cut.
    pub flag: ResultField,
    /// The path of the whole output.
    pub path: ResultField,
    /// The number of hidden lines, and of hidden bytes.
    pub left_out: Option<(ResultField, ResultField)>,
    /// Our own record.
    pub record: Option<ResultField>,
    /// The field that tells that the tool failed.
    pub error: Option<&'static str>,
    /// The text for a person.
    pub display: Option<&'static str>,
    /// The treatment of a result without text.
    pub nothing: Unmarked,
    /// The treatment of a result if cutting is switched off.
    pub disabled: Unmarked,
    /// The kinds of parts that are shortened.
    pub parts: PartKinds,
}

/// The kinds of parts in a list that are shortened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartKinds {
    /// Parts of the type `text`, as the source systems have them.
    Text,
    /// Every kind of MCP: text, embedded resources, media, and structured content beside the list.
    Mcp,
}

/// A place in a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultField {
    /// A field of the result.
    Top(&'static str),
    /// A field of the metadata of the result.
    Metadata(&'static str),
    /// No place.
    Nowhere,
}

/// The treatment of a result that is not cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unmarked {
    /// The result is unchanged.
    Unchanged,
    /// The result is marked as not cut.
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
    /// The name of the tool.
    pub tool: &'static str,
    /// Whether the output of the tool is cut.
    pub enabled: Option<bool>,
    /// The limit on lines.
    pub max_lines: Option<u64>,
    /// The part that is kept.
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
    /// Exactly this directory.
    Fixed(Cow<'static, str>),
}

/// The occasions on which expired files are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sweeps {
    /// Never.
    Never,
    /// Only on request.
    OnDemand,
    /// Once in a process, before its first save.
    BeforeFirstSave,
    /// A few after an answer, at most once an hour.
    AfterAnswer,
}

/// The ceiling of every profile: ten times the default limits.
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

    /// Returns the settings of this profile for `tool`.
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
    /// Returns the options of a store for the files of this profile. With `places`, the store is in
    /// the profile's usual directory. A store in a project shows paths from the project's root, and
    /// Git ignores it.
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
