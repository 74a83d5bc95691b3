//! The profile `takumi`: a plugin on the tool-result hook.

use std::borrow::Cow;

use super::words::WalkWords;
use super::{
    Accounting, CEILING, Directory, Errors, NoticeStyle, OnSaveError, PartKinds, Profile,
    ResultField, ResultLayout, Sweeps, Unmarked, WALK,
};
use crate::store::{Also, NamePart, NameStyle};

/// What it says. It claims nothing about the call, and offers no delegation.
const WORDS: WalkWords = WalkWords {
    saved: "Full output saved to: {PATH}",
    look: "Use Grep to search the full content or Read with offset/limit to view specific sections.",
    delegate: None,
    failed: "(Failed to save full output to file)",
};

/// The hook's result has everything at the top.
const SHAPE: ResultLayout = ResultLayout {
    text: "llmContent",
    handled: ResultField::Top("truncated"),
    flag: ResultField::Top("truncated"),
    path: ResultField::Top("outputPath"),
    left_out: None,
    record: None,
    error: Some("isError"),
    display: Some("returnDisplay"),
    nothing: Unmarked::Marked,
    disabled: Unmarked::Unchanged,
    parts: PartKinds::Text,
};

impl Profile {
    /// 2000 lines and 50 KiB, whole lines from the head; errors pass.
    pub const TAKUMI: Profile = Profile {
        name: "takumi",
        policy: WALK,
        ceiling: CEILING,
        accounting: Accounting::WhatStopped,
        words: NoticeStyle::Walk(WORDS),
        saves: true,
        on_save_error: OnSaveError::SaySo,
        errors: Errors::Pass,
        tools: &[],
        shape: SHAPE,
        directory: Directory::Home(Cow::Borrowed(".takumi/tool-output")),
        names: NameStyle {
            parts: &[
                NamePart::Text("tool_"),
                NamePart::Session,
                NamePart::Text("_"),
                NamePart::Millis,
                NamePart::Text("_"),
                NamePart::Random(6),
            ],
            ending: ".txt",
            also: Also::No,
        },
        retention_days: None,
        sweeps: Sweeps::Never,
    };
}
