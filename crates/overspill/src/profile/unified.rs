//! The profile `unified`: one rule for every tool that answers in the common JSON envelope.
//!
//! [`envelope`](crate::envelope) speaks the envelope; this is what is measured and kept.

use std::borrow::Cow;

use overspill_core::{Cleaning, Grain, Keep, LineRule, Policy, Tokens};

use super::{
    Accounting, CEILING, Directory, Errors, OnSaveError, Profile, Shape, Slot, Sweeps, Unmarked,
    Words,
};
use crate::store::{Also, Missing, NameStyle, Part};

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
        words: Words::Envelope,
        saves: true,
        on_save_error: OnSaveError::SaySo,
        errors: Errors::Cut,
        tools: &[],
        // No gate: what another has cut is cut by this one as well.
        shape: Shape { handled: Slot::Nowhere, nothing: Unmarked::Unchanged, ..Shape::OUTPUT },
        directory: Directory::Project(Cow::Borrowed("tool-output")),
        names: NameStyle {
            parts: &[
                Part::Text("tool_"),
                Part::LocalTime,
                Part::Text("_"),
                Part::Tool(Missing::Unknown),
            ],
            ending: ".json",
            also: Also::Prefix("tool_"),
        },
        retention_days: Some(7),
        sweeps: Sweeps::AfterAnswer,
    };
}
