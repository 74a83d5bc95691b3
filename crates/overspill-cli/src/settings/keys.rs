//! The table of all settings: names, kinds of values and help texts.
//!
//! The readers of files and variables, `overspill config`, the warnings and the table in
//! `docs/settings.md` use this table.

use clap::ValueEnum;
use overspill::internal::settings::{CallField, CallKind, CallSetting, ProjectRule};

use super::value::ValueKind;
use super::variables::PREFIX;

/// A setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Key {
    /// A setting that can differ between calls. The library has the table of these settings.
    #[value(skip)]
    Call(CallSetting),
    Tokenizer,
    Profile,
    StoreDir,
    StoreQuota,
    StoreMaxOutput,
    StoreKeepFree,
    StoreRetention,
    StoreDurability,
    Structured,
    McpMaxMedia,
    McpToolPrefix,
    McpOutputs,
    McpIdle,
    StoreBucket,
    StoreRegion,
    StoreEndpoint,
    StoreAccount,
    StoreTenant,
    StoreUploadWait,
    StoreCache,
    Redact,
    RedactPattern,
    Pipelines,
}

/// The facts about a setting.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyRow {
    /// The name. A setting in a table has the table's name, a dot and its own name.
    pub(crate) name: &'static str,
    /// Another name that files, variables and `overspill config` accept.
    pub(crate) also: Option<&'static str>,
    /// The kind of its values.
    pub(crate) kind: ValueKind,
    /// The right of a project's file, which comes with a checkout, to set it.
    pub(crate) project: ProjectRule,
    /// The effect of the setting, in a sentence.
    pub(crate) help: &'static str,
}

/// The subject of a setting. Lists for people group settings by area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Area {
    Preview,
    Secrets,
    Store,
    Bucket,
    Mcp,
    Tools,
}

impl Area {
    /// All areas, in the order of lists.
    pub(crate) const ALL: [Area; 6] =
        [Area::Preview, Area::Secrets, Area::Store, Area::Bucket, Area::Mcp, Area::Tools];

    pub(crate) fn title(self) -> &'static str {
        match self {
            Area::Preview => "Preview",
            Area::Secrets => "Secrets",
            Area::Store => "Saved outputs",
            Area::Bucket => "Bucket",
            Area::Mcp => "MCP",
            Area::Tools => "Single tools",
        }
    }
}

impl Key {
    /// Returns the area of the setting.
    pub(crate) fn area(self) -> Area {
        match self {
            Key::Call(_) | Key::Tokenizer | Key::Profile | Key::Pipelines => Area::Preview,
            Key::Redact | Key::RedactPattern => Area::Secrets,
            Key::StoreDir
            | Key::StoreQuota
            | Key::StoreMaxOutput
            | Key::StoreKeepFree
            | Key::StoreRetention
            | Key::StoreDurability => Area::Store,
            Key::StoreBucket
            | Key::StoreRegion
            | Key::StoreEndpoint
            | Key::StoreAccount
            | Key::StoreTenant
            | Key::StoreUploadWait
            | Key::StoreCache => Area::Bucket,
            Key::Structured
            | Key::McpMaxMedia
            | Key::McpToolPrefix
            | Key::McpOutputs
            | Key::McpIdle => Area::Mcp,
        }
    }

    /// Returns the row of the table for this setting.
    #[rustfmt::skip]
    pub(crate) fn row(self) -> KeyRow {
        use ValueKind::{Bucket, Call, Choice, Directory, Duration, Name, Pattern, Prefix, Profile, Redact, Server, Text, Tokenizer};
        match self {
            Key::Call(setting) => {
                let CallField { name, also, kind, project, help, .. } = setting.field();
                KeyRow { name, also, kind: Call(kind), project, help }
            }
            Key::Tokenizer => row("tokenizer", Tokenizer, "How tokens are counted: by an estimate, or exactly by a vocabulary."),
            Key::Profile => row("profile", Profile, "The limits, notices and directories to use: those of overspill, or of another system."),
            Key::StoreDir => row("store.dir", Directory, "The directory of saved outputs."),
            Key::StoreQuota => row("store.quota", BYTES, "The size of all saved outputs together. Above it, overspill removes the outputs that were not used for the longest time."),
            Key::StoreMaxOutput => row("store.max_output", BYTES, "How much of one output is saved. Larger outputs keep the first and the last half of this limit, and every line that the preview shows."),
            Key::StoreKeepFree => row("store.keep_free", BYTES, "The disk space to keep free. overspill does not save an output that needs this space."),
            Key::StoreRetention => row("store.retention", Duration, "How long an output stays after its last use."),
            Key::StoreDurability => row("store.durability", Choice(&["full", "none"]), "Whether a saved output survives a power loss."),
            Key::Structured => row("structured", Choice(&["drop", "shrink", "keep"]), "How to treat the structured content of an MCP result if it is too large."),
            Key::McpMaxMedia => row("mcp.max_media", BYTES, "The largest image, audio or blob that a result can contain. overspill saves a larger one as a file."),
            Key::McpToolPrefix => row("mcp.tool_prefix", Prefix, "The start of the names of overspill's own MCP tools."),
            Key::McpOutputs => row("mcp.outputs", Choice(&["project", "all"]), "Which saved outputs an MCP client reaches: those of its session and project, or all."),
            Key::McpIdle => row("mcp.idle", Duration, "The idle timeout for sessions of `mcp --listen`. It also ends their servers."),
            Key::StoreBucket => KeyRow { also: Some("store"), ..row("store.bucket", Bucket, "The bucket that outputs are saved in, for all machines that share it.") },
            Key::StoreRegion => row("store.region", Text, "The region of the bucket, if no variable of AWS names it."),
            Key::StoreEndpoint => row("store.endpoint", Server, "The address of the server, if it is not the provider's own."),
            Key::StoreAccount => row("store.account", Name, "The storage account of a container of Azure, if no variable names it."),
            Key::StoreTenant => row("store.tenant", Name, "The team or user that the outputs belong to. Each has a folder in the bucket."),
            Key::StoreUploadWait => row("store.upload_wait", Duration, "How long a call waits for the upload of its output."),
            Key::StoreCache => row("store.cache", BYTES, "The size of the local copies of outputs in the bucket."),
            Key::Redact => row("redact", Redact, "Whether secrets are masked: in saved outputs (`store`), or also in everything that is shown (`all`). Uploads to a bucket are masked unless this is `off`."),
            Key::Pipelines => row("pipelines", Choice(&["off", "status", "full"]), "Whether failures that a pipe hides are reported, and whether the output of the first stage is saved. The default is `full` inside agents and `status` for `run --shell`."),
            Key::RedactPattern => row("redact_pattern", Pattern, "A regular expression for more secrets."),
        }
    }

    /// Returns every setting.
    pub(crate) fn all() -> impl Iterator<Item = Key> {
        CallSetting::ALL.into_iter().map(Key::Call).chain(Key::value_variants().iter().copied())
    }

    pub(crate) fn name(self) -> &'static str {
        self.row().name
    }

    pub(crate) fn kind(self) -> ValueKind {
        self.row().kind
    }

    /// Returns the names that files and `overspill config` accept.
    pub(crate) fn names(self) -> impl Iterator<Item = &'static str> {
        let KeyRow { name, also, .. } = self.row();
        std::iter::once(name).chain(also)
    }

    /// Returns the setting of this name.
    pub(crate) fn named(name: &str) -> Option<Key> {
        Key::all().find(|key| key.names().any(|known| known == name))
    }

    /// Tells whether a tool can have its own value of the setting.
    pub(crate) fn is_per_tool(self) -> bool {
        matches!(self, Key::Call(_) | Key::Structured)
    }

    /// Tells whether the setting is a part of the destination of uploads.
    pub(crate) fn is_destination(self) -> bool {
        use Key::{StoreAccount, StoreBucket, StoreEndpoint, StoreRegion, StoreTenant};
        matches!(self, StoreBucket | StoreRegion | StoreEndpoint | StoreAccount | StoreTenant)
    }

    /// Returns the environment variable that sets it.
    pub(crate) fn variable(self) -> String {
        variable(self.name())
    }

    /// Returns every environment variable that sets it, the strongest first.
    pub(crate) fn variables(self) -> impl Iterator<Item = String> {
        let name = self.name();
        let whole = name.starts_with("store.").then(|| name.replace('.', "_"));
        self.names().map(variable).chain(whole.map(|name| variable(&name)))
    }
}

const BYTES: ValueKind = ValueKind::Call(CallKind::Bytes);

/// Returns the row of a setting that a project's file cannot set.
fn row(name: &'static str, kind: ValueKind, help: &'static str) -> KeyRow {
    KeyRow { name, also: None, kind, project: ProjectRule::Ignored, help }
}

/// Returns the last part of a setting's name, without its table.
pub(super) fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

fn variable(name: &str) -> String {
    // Every start of the program makes about fifty of these names, and `format!` takes three times
    // as long.
    let mut variable = [PREFIX, last_part(name)].concat();
    variable.make_ascii_uppercase();
    variable
}

/// Returns the name that the user likely meant by `typed`.
pub(crate) fn meant<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.replace('-', "_").to_lowercase();
    let alike = |name: &str| strsim::jaro_winkler(&typed, name);
    names.filter(|name| alike(name) > 0.8).max_by(|a, b| alike(a).total_cmp(&alike(b)))
}

/// Returns all names that can stand in a table of a file. The table is `""`, `"store"`, `"mcp"` or
/// `"tools.NAME"`.
pub(crate) fn names_in(table: &str) -> impl Iterator<Item = &'static str> {
    let prefix = match table {
        "store" => "store.",
        "mcp" => "mcp.",
        _ => "",
    };
    let per_tool = table.starts_with("tools");
    Key::all()
        .filter(move |key| !per_tool || key.is_per_tool())
        .flat_map(Key::names)
        .filter_map(move |name| name.strip_prefix(prefix))
        .filter(|name| !name.contains('.'))
}

/// Returns the word for a [`ProjectRule`].
pub(super) fn rule_word(rule: ProjectRule) -> &'static str {
    match rule {
        ProjectRule::Sets => "yes",
        ProjectRule::Tightens => "tighter",
        ProjectRule::Ignored => "no",
    }
}
