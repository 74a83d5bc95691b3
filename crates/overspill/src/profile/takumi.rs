//! The profile `takumi`: a plugin on the tool-result hook.

use std::borrow::Cow;

use super::words::WalkWords;
use super::{
    Accounting, CEILING, Directory, Errors, OnSaveError, Profile, Shape, Slot, Sweeps, Unmarked,
    WALK, Words,
};
use crate::store::{Also, NameStyle, Part};

/// What it says. It claims nothing about the call, and offers no delegation.
const WORDS: WalkWords = WalkWords {
    saved: "Full output saved to: {PATH}",
    look: "Use Grep to search the full content or Read with offset/limit to view specific sections.",
    delegate: None,
    failed: "(Failed to save full output to file)",
};

/// The hook's result has everything at the top.
const SHAPE: Shape = Shape {
    text: "llmContent",
    handled: Slot::Top("truncated"),
    flag: Slot::Top("truncated"),
    path: Slot::Top("outputPath"),
    left_out: None,
    record: None,
    error: Some("isError"),
    display: Some("returnDisplay"),
    nothing: Unmarked::Marked,
    disabled: Unmarked::Unchanged,
};

impl Profile {
    /// 2000 lines and 50 KiB, whole lines from the head; errors pass.
    pub const TAKUMI: Profile = Profile {
        name: "takumi",
        policy: WALK,
        ceiling: CEILING,
        accounting: Accounting::WhatStopped,
        words: Words::Walk(WORDS),
        saves: true,
        on_save_error: OnSaveError::SaySo,
        errors: Errors::Pass,
        tools: &[],
        shape: SHAPE,
        directory: Directory::Home(Cow::Borrowed(".takumi/tool-output")),
        names: NameStyle {
            parts: &[
                Part::Text("tool_"),
                Part::Session,
                Part::Text("_"),
                Part::Millis,
                Part::Text("_"),
                Part::Random(6),
            ],
            ending: ".txt",
            also: Also::No,
        },
        retention_days: None,
        sweeps: Sweeps::Never,
    };
}
