//! The table of the settings of a call.
//!
//! Merging layers, the rule for project files, `overspill config`, the command-line options and the
//! options of the packages all use this table.

use std::fmt;

use overspill_core::{Keep, Kind};

use super::{KindSetting, Limit};

/// A setting that can differ between calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CallSetting {
    /// Whether long outputs are shortened.
    Enabled,
    /// The part of a long output to show.
    Keep,
    /// Whether the preview of a failing log uses all of its room.
    Fill,
    /// The kind of output.
    Kind,
    /// Whether outputs over the ceiling are shortened in any case.
    Ceiling,
    /// The limit on lines.
    MaxLines,
    /// The limit on bytes.
    MaxBytes,
    /// The limit on characters.
    MaxChars,
    /// The limit on tokens. This variant stays last: [`CallSetting::ALL`] counts up to it.
    MaxTokens,
}

/// The facts about a [`CallSetting`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallField {
    /// The name in files, options and tables.
    pub name: &'static str,
    /// Another name that files and options can use.
    pub also: Option<&'static str>,
    /// The kind of its values.
    pub kind: CallKind,
    /// The value if no level sets one.
    pub default: CallValue,
    /// The rule for a project's file.
    pub project: ProjectRule,
    /// A sentence about the effect of the setting.
    pub help: &'static str,
    /// The command-line option: its name and its help text. `None` without an option.
    pub option: Option<(&'static str, &'static str)>,
}

/// The kind of values that a [`CallSetting`] has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallKind {
    /// On or off.
    Switch,
    /// A limit on a number of things.
    Count,
    /// A limit on bytes.
    Bytes,
    /// One of [`KEEPS`].
    Keep,
    /// `auto`, or the name of a [`Kind`].
    Kind,
}

/// The value of a [`CallSetting`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallValue {
    /// On or off.
    Switch(bool),
    /// A limit, or no limit.
    Limit(Limit),
    /// The part that is shown.
    Keep(Keep),
    /// The kind of output.
    Kind(KindSetting),
}

/// The rule for a setting in a project's file. The file comes with a checkout, so it is not
/// trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProjectRule {
    /// The project can set any value.
    Sets,
    /// The project can set a lower limit than the value that applies without the project.
    Tightens,
    /// The project's value is ignored: only the user decides.
    Ignored,
}

impl CallSetting {
    /// Every setting.
    pub const ALL: [CallSetting; CallSetting::MaxTokens as usize + 1] = [
        CallSetting::Enabled,
        CallSetting::Keep,
        CallSetting::Fill,
        CallSetting::Kind,
        CallSetting::Ceiling,
        CallSetting::MaxLines,
        CallSetting::MaxBytes,
        CallSetting::MaxChars,
        CallSetting::MaxTokens,
    ];

    /// Returns the row of the table for this setting.
    #[rustfmt::skip]
    pub const fn field(self) -> CallField {
        use {CallKind as Kind, ProjectRule as Project};
        let (on, off) = (CallValue::Switch(true), CallValue::Switch(false));
        let (auto, none) = (CallValue::Keep(Keep::Auto), CallValue::Limit(Limit::Unlimited));
        let any = CallValue::Kind(KindSetting::Auto);
        let (name, also, kind, default, project, help, option) = match self {
            // A model then gets up to 512,000 bytes, so a project cannot decide this.
            CallSetting::Enabled => ("enabled", Some("truncation"), Kind::Switch, on, Project::Ignored, "Whether long outputs are shortened. If false, overspill shortens only outputs over 512,000 bytes or 20,000 lines.",
                None),
            CallSetting::Keep => ("keep", Some("direction"), Kind::Keep, auto, Project::Sets, "The part of a long output to show.",
                Some(("keep", "The part of a long output to show [default: auto]"))),
            CallSetting::Fill => ("fill", None, Kind::Switch, off, Project::Sets, "Whether the preview of a failing log or a test run is filled up to the limit. If false, it ends when no important line is left.",
                Some(("fill", "Fill the preview up to the limit, also for failing logs and test runs [default: false]"))),
            CallSetting::Kind => ("kind", None, Kind::Kind, any, Project::Sets, "The kind of output. `auto` detects it.",
                Some(("kind", "Treat the output as this kind; `auto` detects the kind [default: auto]"))),
            CallSetting::Ceiling => ("ceiling", None, Kind::Switch, on, Project::Ignored, "Whether outputs over 512,000 bytes or 20,000 lines are shortened even if shortening is off, no limit is set or the save failed.",
                Some(("ceiling", "Shorten outputs over 512,000 bytes or 20,000 lines even if shortening is off, no limit is set or the save failed [default: true]"))),
            CallSetting::MaxLines => ("max_lines", None, Kind::Count, none, Project::Tightens, "How many lines are shown.",
                Some(("max-lines", "Show at most this many lines, such as `500`, or `none` for no limit [default: 2000]"))),
            CallSetting::MaxBytes => ("max_bytes", None, Kind::Bytes, none, Project::Tightens, "How many bytes are shown.",
                Some(("max-bytes", "Show at most this many bytes, such as `50KiB`, or `none` for no limit [default: 50KiB]"))),
            CallSetting::MaxChars => ("max_chars", None, Kind::Count, none, Project::Tightens, "How many characters are shown.",
                Some(("max-chars", "Show at most this many characters [default: none]"))),
            CallSetting::MaxTokens => ("max_tokens", None, Kind::Count, none, Project::Tightens, "How many tokens are shown.",
                Some(("max-tokens", "Show at most this many tokens [default: none]"))),
        };
        CallField { name, also, kind, default, project, help, option }
    }

    /// Returns the name in files, options and tables.
    pub const fn name(self) -> &'static str {
        self.field().name
    }
}

impl fmt::Display for CallValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallValue::Switch(on) => on.fmt(f),
            CallValue::Limit(Limit::AtMost(limit)) => limit.fmt(f),
            CallValue::Limit(Limit::Unlimited) => f.write_str("none"),
            CallValue::Kind(KindSetting::Auto) => f.write_str(AUTO_KIND),
            CallValue::Kind(KindSetting::Only(kind)) => kind.fmt(f),
            CallValue::Keep(keep) => f.write_str(keep_name(*keep)),
        }
    }
}

impl CallValue {
    /// Returns the part that can be kept under this name.
    pub fn keep_named(name: &str) -> Option<CallValue> {
        let known = KEEPS.iter().find(|(known, ..)| *known == name);
        known.map(|(_, keep, _)| CallValue::Keep(*keep))
    }

    /// Returns the kind of output with this name, or `auto`.
    pub fn kind_named(name: &str) -> Option<CallValue> {
        let kind = match name {
            AUTO_KIND => KindSetting::Auto,
            name => KindSetting::Only(Kind::named(name)?),
        };
        Some(CallValue::Kind(kind))
    }

    /// Returns the names that [`CallValue::kind_named`] accepts.
    pub fn kind_names() -> impl Iterator<Item = &'static str> {
        std::iter::once(AUTO_KIND).chain(Kind::ALL.into_iter().map(Kind::name))
    }

    /// Tells whether a project that sets this value instead of `other` shows the model more.
    pub(super) fn is_looser_than(self, other: CallValue) -> bool {
        let (CallValue::Limit(mine), CallValue::Limit(other)) = (self, other) else { return false };
        match (mine, other) {
            (Limit::AtMost(mine), Limit::AtMost(other)) => mine > other,
            (mine, other) => mine == Limit::Unlimited && other != Limit::Unlimited,
        }
    }
}

/// Returns the name of a way to keep. Each name has a row in [`KEEPS`].
const fn keep_name(keep: Keep) -> &'static str {
    match keep {
        Keep::Head => "head",
        Keep::Tail => "tail",
        // Every ratio of the two ends has this name.
        Keep::Ends { .. } => "ends",
        Keep::Signal => "signal",
        Keep::Structure => "structure",
        Keep::Auto => "auto",
    }
}

/// The value of `kind` with which overspill detects the kind.
const AUTO_KIND: &str = "auto";

/// The parts of an output that can be kept: name, value, and help text.
pub const KEEPS: &[(&str, Keep, &str)] = &[
    ("head", Keep::Head, "The start"),
    ("tail", Keep::Tail, "The end"),
    ("ends", Keep::ENDS, "Both ends"),
    ("signal", Keep::Signal, "The lines that matter, from anywhere, and the end"),
    ("structure", Keep::Structure, "JSON, tables, diffs and test reports by their structure"),
    ("auto", Keep::Auto, "`structure` for these formats, otherwise `signal`"),
];
