//! Every setting there is, as data.
//!
//! Reading files and variables, `overspill config`, its complaints and the table in
//! `docs/settings.md` all go by this one table.

use super::value::ValueKind;
use super::variables::PREFIX;

/// A setting.
#[derive(Debug)]
pub(crate) struct SettingKey {
    /// What it is called; of a table, the table's name, a dot and its own.
    pub(crate) name: &'static str,
    /// Another name it goes by.
    pub(crate) also: Option<&'static str>,
    /// What it can be.
    pub(crate) kind: ValueKind,
    /// What a project's file, which comes with a checkout, may do with it.
    pub(crate) project: ProjectRule,
    /// What it does, in a sentence.
    pub(crate) help: &'static str,
}

/// What a project's file may do with a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProjectRule {
    /// Set it as it likes.
    Sets,
    /// Set it to what is tighter than the user's.
    Tightens,
    /// Nothing: only the user decides.
    No,
}

impl ProjectRule {
    /// Returns it in a word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            ProjectRule::Sets => "yes",
            ProjectRule::Tightens => "tighter",
            ProjectRule::No => "no",
        }
    }
}

pub(crate) const KEYS: &[SettingKey] = &[
    SettingKey {
        name: "enabled",
        also: Some("truncation"),
        kind: ValueKind::Switch,
        project: ProjectRule::No,
        help: "Whether long outputs are shortened. If false, only outputs over 512,000 bytes or 20,000 lines are.",
    },
    SettingKey {
        name: "max_lines",
        also: None,
        kind: ValueKind::Count,
        project: ProjectRule::Tightens,
        help: "How many lines are shown.",
    },
    SettingKey {
        name: "max_bytes",
        also: None,
        kind: ValueKind::Bytes,
        project: ProjectRule::Tightens,
        help: "How many bytes are shown.",
    },
    SettingKey {
        name: "max_chars",
        also: None,
        kind: ValueKind::Count,
        project: ProjectRule::Tightens,
        help: "How many characters are shown.",
    },
    SettingKey {
        name: "max_tokens",
        also: None,
        kind: ValueKind::Count,
        project: ProjectRule::Tightens,
        help: "How many tokens are shown.",
    },
    SettingKey {
        name: "tokenizer",
        also: None,
        kind: ValueKind::Tokenizer,
        project: ProjectRule::No,
        help: "Whose tokens are counted: by our estimate, or exactly by a vocabulary.",
    },
    SettingKey {
        name: "keep",
        also: Some("direction"),
        kind: ValueKind::Keep,
        project: ProjectRule::Sets,
        help: "Which part of a long output is shown.",
    },
    SettingKey {
        name: "profile",
        also: None,
        kind: ValueKind::Profile,
        project: ProjectRule::No,
        help: "Whose limits, words and places hold: our own, or those of a source system.",
    },
    SettingKey {
        name: "store.dir",
        also: None,
        kind: ValueKind::Directory,
        project: ProjectRule::No,
        help: "Where outputs are saved.",
    },
    SettingKey {
        name: "store.quota",
        also: None,
        kind: ValueKind::Bytes,
        project: ProjectRule::No,
        help: "How much is kept in all; beyond it, what was not used for longest goes.",
    },
    SettingKey {
        name: "store.max_output",
        also: None,
        kind: ValueKind::Bytes,
        project: ProjectRule::No,
        help: "How much of one output is saved. Larger outputs keep the first and the last half of this limit, and every line that the preview shows.",
    },
    SettingKey {
        name: "store.keep_free",
        also: None,
        kind: ValueKind::Bytes,
        project: ProjectRule::No,
        help: "How much of the disk stays free: an output that would take it is not saved.",
    },
    SettingKey {
        name: "store.retention",
        also: None,
        kind: ValueKind::Age,
        project: ProjectRule::No,
        help: "How long an output stays after its last use.",
    },
    SettingKey {
        name: "store.durability",
        also: None,
        kind: ValueKind::Durability,
        project: ProjectRule::No,
        help: "Whether a saved output outlasts a power loss.",
    },
    SettingKey {
        name: "structured",
        also: None,
        kind: ValueKind::Choice(&["drop", "shrink", "keep"]),
        project: ProjectRule::No,
        help: "What becomes of an MCP result's structured content where it is too large.",
    },
    SettingKey {
        name: "mcp.max_media",
        also: None,
        kind: ValueKind::Bytes,
        project: ProjectRule::No,
        help: "How large a picture, a sound or a blob can be that passes; a larger one becomes a file.",
    },
    SettingKey {
        name: "mcp.tool_prefix",
        also: None,
        kind: ValueKind::Prefix,
        project: ProjectRule::No,
        help: "How the names of our own MCP tools begin.",
    },
    SettingKey {
        name: "mcp.outputs",
        also: None,
        kind: ValueKind::Choice(&["project", "all"]),
        project: ProjectRule::No,
        help: "Which saved outputs an MCP client reaches: those of its session and project, or all.",
    },
    SettingKey {
        name: "mcp.idle",
        also: None,
        kind: ValueKind::Age,
        project: ProjectRule::No,
        help: "How long a session of `mcp --listen`, and its server, stays that nobody uses.",
    },
    SettingKey {
        name: "store.bucket",
        also: Some("store"),
        kind: ValueKind::Bucket,
        project: ProjectRule::No,
        help: "The bucket that outputs are saved in, for all machines that share it.",
    },
    SettingKey {
        name: "store.region",
        also: None,
        kind: ValueKind::Text,
        project: ProjectRule::No,
        help: "The region of the bucket, if no variable of AWS names it.",
    },
    SettingKey {
        name: "store.endpoint",
        also: None,
        kind: ValueKind::Server,
        project: ProjectRule::No,
        help: "The address of the server, if it is not the provider's own.",
    },
    SettingKey {
        name: "store.account",
        also: None,
        kind: ValueKind::Name,
        project: ProjectRule::No,
        help: "The storage account of a container of Azure, if no variable names it.",
    },
    SettingKey {
        name: "store.tenant",
        also: None,
        kind: ValueKind::Name,
        project: ProjectRule::No,
        help: "Whose outputs they are: a folder of the bucket for each team or user.",
    },
    SettingKey {
        name: "store.upload_wait",
        also: None,
        kind: ValueKind::Age,
        project: ProjectRule::No,
        help: "How long a call waits for its output to be in the bucket.",
    },
    SettingKey {
        name: "store.cache",
        also: None,
        kind: ValueKind::Bytes,
        project: ProjectRule::No,
        help: "How much of what is in the bucket stays on this machine as well.",
    },
    SettingKey {
        name: "redact",
        also: None,
        kind: ValueKind::Redact,
        project: ProjectRule::No,
        help: "Whether secrets are masked: in what is saved, or in all that is shown, too; what goes to a bucket is masked unless this is off.",
    },
    SettingKey {
        name: "redact_pattern",
        also: None,
        kind: ValueKind::Pattern,
        project: ProjectRule::No,
        help: "What else is a secret: a regular expression.",
    },
];

impl SettingKey {
    /// Returns the setting of this name.
    pub(crate) fn named(name: &str) -> Option<&'static SettingKey> {
        KEYS.iter().find(|key| key.name == name || key.also == Some(name))
    }

    /// Tells whether a tool can have a value of its own for it.
    pub(crate) fn is_per_tool(&self) -> bool {
        self.project != ProjectRule::No || ["structured", "enabled"].contains(&self.name)
    }

    /// Returns the environment variable that sets it.
    pub(crate) fn variable(&self) -> String {
        variable(self.name)
    }

    /// Returns every environment variable that sets it, the strongest first.
    pub(crate) fn variables(&self) -> Vec<String> {
        let whole = self.name.starts_with("store.").then(|| self.name.replace('.', "_"));
        let whole = whole.map(|name| format!("{PREFIX}{}", name.to_ascii_uppercase()));
        [Some(self.variable()), self.also.map(variable), whole].into_iter().flatten().collect()
    }
}

fn variable(name: &str) -> String {
    let own = name.rsplit('.').next().unwrap_or(name);
    format!("{PREFIX}{}", own.to_ascii_uppercase())
}

/// Returns which of `names` was likely meant by `typed`.
pub(crate) fn meant<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.replace('-', "_").to_lowercase();
    let alike = |name: &str| strsim::jaro_winkler(&typed, name);
    names.filter(|name| alike(name) > 0.8).max_by(|a, b| alike(a).total_cmp(&alike(b)))
}

/// Returns every name a setting goes by, in a table of a file: `""`, `"store"`, `"mcp"` or
/// `"tools.NAME"`.
pub(crate) fn names_in(table: &str) -> impl Iterator<Item = &'static str> {
    let prefix = match table {
        "store" => "store.",
        "mcp" => "mcp.",
        _ => "",
    };
    let per_tool = table.starts_with("tools");
    KEYS.iter()
        .filter(move |key| !per_tool || key.is_per_tool())
        .flat_map(|key| [Some(key.name), key.also])
        .flatten()
        .filter_map(move |name| name.strip_prefix(prefix))
        .filter(|name| !name.contains('.'))
}
