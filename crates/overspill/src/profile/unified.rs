//! The profile `unified`: one rule for every tool that answers in the common JSON envelope.
//!
//! [`envelope`](crate::envelope) speaks the envelope; this is what is measured and kept.

use std::borrow::Cow;

use overspill_core::{Cleaning, Grain, Keep, LineRule, Policy, Tokens};

use super::{
    Accounting, CEILING, Directory, Errors, NoticeStyle, OnSaveError, Profile, ResultField,
    ResultLayout, Sweeps, Unmarked,
};
use crate::store::{Also, Missing, NamePart, NameStyle};

impl Profile {
    /// 2000 lines and 50 KiB of the response's text, from the head.
    pub const UNIFIED: Profile = Profile {
        name: "unified",
        policy: Policy {
            trigger: Policy::LIMITS,
            limits: Policy::LIMITS,
            keep: Keep::Head,
            grain: Grain::Char,
            lines: LineRule::Separated,
            cleaning: Cleaning::Off,
            tokens: Tokens::Estimate,
        },
        ceiling: CEILING,
        accounting: Accounting::WhatStopped,
        words: NoticeStyle::Envelope,
        saves: true,
        on_save_error: OnSaveError::SaySo,
        errors: Errors::Cut,
        tools: &[],
        // No gate: what another has cut is cut by this one as well.
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
        retention_days: Some(7),
        sweeps: Sweeps::AfterAnswer,
    };
}
