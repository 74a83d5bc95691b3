//! The profile `takumi`: a plugin on the tool-result hook.

use std::borrow::Cow;

use super::{SOURCE_SYSTEM, WalkWords};
use crate::profile::{
    Directory, Errors, NoticeStyle, OwnSettings, PartKinds, Profile, ResultField, ResultLayout,
    Unmarked,
};
use crate::store::{Also, NamePart, NameStyle};
use crate::sweep::Retention;

/// The sentences of the notice. They make no claim about the call, and offer no delegation.
const WORDS: WalkWords = WalkWords {
    saved: "Full output saved to: {PATH}",
    look: "Use Grep to search the full content or Read with offset/limit to view specific sections.",
    delegate: None,
    failed: "(Failed to save full output to file)",
};

/// The result of the hook has no metadata: every field is at the top.
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
    /// 2000 lines and 50 KiB, whole lines from the head. Errors pass uncut.
    pub const TAKUMI: Profile = Profile {
        name: "takumi",
        words: NoticeStyle::Walk(WORDS),
        errors: Errors::Pass,
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
        retention: Retention::FOREVER,
        own_settings: OwnSettings::TakumiFiles,
        ..SOURCE_SYSTEM
    };
}
