//! The profile `agent-v2`: settings for each tool, and the original output if saving fails.

use std::borrow::Cow;

use overspill_core::Keep;

use super::SOURCE_SYSTEM;
use super::opencode::WORDS;
use crate::profile::{
    Accounting, Directory, NoticeStyle, OnSaveError, Profile, ResultField, ResultLayout, Sweeps,
    ToolDefaults, Unmarked,
};
use crate::store::{Also, Missing, NamePart, NameStyle};

/// The published table of tools. `read_file` is another name for `read`.
const TOOLS: &[ToolDefaults] = &[
    ToolDefaults { tool: "bash", enabled: None, max_lines: Some(500), keep: Some(Keep::Tail) },
    ToolDefaults { tool: "grep", enabled: None, max_lines: Some(3000), keep: None },
    ToolDefaults { tool: "read", enabled: Some(false), max_lines: None, keep: None },
    ToolDefaults { tool: "read_file", enabled: Some(false), max_lines: None, keep: None },
];

/// The result layout. The fields for the path and the counts begin with `truncation`.
const SHAPE: ResultLayout = ResultLayout {
    path: ResultField::Metadata("truncationPath"),
    left_out: Some((
        ResultField::Metadata("truncationRemovedLines"),
        ResultField::Metadata("truncationRemovedBytes"),
    )),
    nothing: Unmarked::Unchanged,
    disabled: Unmarked::Marked,
    ..ResultLayout::OUTPUT
};

impl Profile {
    /// The profile: 2000 lines and 50 KiB, whole lines from the head, or the settings of the tool's
    /// entry.
    pub const AGENT_V2: Profile = Profile {
        name: "agent-v2",
        accounting: Accounting::WhatIsExceeded,
        words: NoticeStyle::Walk(WORDS),
        on_save_error: OnSaveError::Original,
        tools: TOOLS,
        shape: SHAPE,
        directory: Directory::Working(Cow::Borrowed("data/truncation")),
        names: NameStyle {
            parts: &[
                NamePart::Tool(Missing::EmptyStaysEmpty),
                NamePart::Text("_"),
                NamePart::Millis,
                NamePart::Text("_"),
                NamePart::RandomUpTo(6),
            ],
            ending: ".txt",
            also: Also::No,
        },
        sweeps: Sweeps::OnDemand,
        ..SOURCE_SYSTEM
    };
}
