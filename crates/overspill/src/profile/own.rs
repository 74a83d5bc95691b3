//! Our own profile.

use std::borrow::Cow;

use overspill_core::{Cleaning, Grain, Keep, KindHint, LineRule, Policy, Tokens};

use super::{
    Accounting, CEILING, Directory, Errors, NoticeStyle, OnSaveError, OwnSettings, Profile,
    ResultLayout, Sweeps,
};
use crate::store::{Access, DiskOptions, NameStyle};
use crate::sweep::Retention;

impl Profile {
    /// Our own profile: 2000 lines and 50 KiB, notice included. It shows the lines that matter
    /// most, and cleans them.
    pub const OWN: Profile = Profile {
        name: "overspill",
        policy: Policy {
            trigger: Policy::LIMITS,
            limits: Policy::LIMITS,
            keep: Keep::Auto,
            grain: Grain::Line,
            lines: LineRule::Terminated,
            cleaning: Cleaning::Readable,
            tokens: Tokens::Estimate,
            fill: false,
            hint: KindHint::NONE,
        },
        ceiling: CEILING,
        accounting: Accounting::WhatStopped,
        words: NoticeStyle::Own,
        saves: true,
        on_save_error: OnSaveError::SaySo,
        errors: Errors::Cut,
        tools: &[],
        shape: ResultLayout::OWN,
        directory: Directory::State(Cow::Borrowed("overspill")),
        names: NameStyle::OWN,
        access: Access::Private,
        records: true,
        max_output: DiskOptions::MAX_OUTPUT,
        retention: Retention::OWN,
        sweeps: Sweeps::AfterAnswer,
        bucket: true,
        streams: true,
        envelope: false,
        own_settings: OwnSettings::None,
        strategy_may_exceed: false,
        host_limits: true,
        reports_pipelines: true,
    };
}
