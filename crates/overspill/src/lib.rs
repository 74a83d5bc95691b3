#![doc = include_str!("lib.md")]
#![forbid(unsafe_code)]

mod call;
mod clock;
mod engine;
mod error;
mod event;
#[cfg(test)]
#[path = "../../../tests/json/table.rs"]
mod json_texts;
mod live_spill;
pub mod notice;
mod outcome;
pub mod profile;
pub mod redact;
mod report;
pub mod retrieve;
pub mod seeds;
mod settings;
mod spill;
pub mod store;
pub mod sweep;
pub mod tool;

pub use crate::call::{Call, CallEnd};
pub use crate::clock::Clock;
pub use crate::engine::{CallOptions, Observer, Overspill};
pub use crate::error::Error;
pub use crate::event::{Event, EventKind};
pub use crate::live_spill::LiveSpill;
pub use crate::outcome::{Masked, Outcome, Spilled};
pub use crate::profile::Profile;
pub use crate::report::{Amount, Report};
pub use crate::settings::{
    CallField, CallKind, CallSetting, CallValue, Effective, KEEPS, Layer, Limit, Origin,
    ProjectRule, RefusedSetting, Setting, Settings, Warning, entries_of, is_http_address,
};
pub use crate::spill::Spill;
pub use crate::tool::MultiText;
#[cfg(feature = "registry")]
pub use crate::tool::registry;

/// The pure part: what is measured, cut and worded.
pub use overspill_core as core;
pub use overspill_core::json;
