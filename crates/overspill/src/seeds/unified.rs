//! The profile `unified`: one rule for every tool that answers in the common JSON envelope.
//!
//! [`envelope`](super::envelope) reads and writes the envelope. The profile has the limits and the
//! shown part.

use std::borrow::Cow;

use overspill_core::{Grain, Policy};

use super::{SOURCE_SYSTEM, WALK};
use crate::profile::{
    Directory, NoticeStyle, OwnSettings, Profile, ResultField, ResultLayout, Sweeps, Unmarked,
};
use crate::store::{Also, Missing, NamePart, NameStyle};

impl Profile {
    /// 2000 lines and 50 KiB of the response's text, from the head.
    pub const UNIFIED: Profile = Profile {
        name: "unified",
        policy: Policy { grain: Grain::Char, ..WALK },
        words: NoticeStyle::Envelope,
        // No field marks a handled result, so a result that another system cut is cut again.
        shape: ResultLayout {
            handled: ResultField::Nowhere,
            nothing: Unmarked::Unchanged,
            ..ResultLayout::OUTPUT
        },
        directory: Directory::Project(Cow::Borrowed("tool-output")),
        names: NameStyle {
            parts: &[
                NamePart::Text("tool_"),
                NamePart::LocalTime,
                NamePart::Text("_"),
                NamePart::Tool(Missing::Unknown),
            ],
            ending: ".json",
            also: Also::Prefix("tool_"),
        },
        sweeps: Sweeps::AfterAnswer,
        envelope: true,
        own_settings: OwnSettings::ToolOutputVariables,
        ..SOURCE_SYSTEM
    };
}
