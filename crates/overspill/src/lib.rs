#![doc = include_str!("lib.md")]
#![forbid(unsafe_code)]

mod call;
mod clock;
mod command_kind;
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
pub mod settings;
mod spill;
pub mod store;
pub mod sweep;
pub mod tool;

pub use crate::call::{Call, CallEnd};
pub use crate::clock::Clock;
pub use crate::engine::{CallOptions, Overspill, OverspillBuilder};
pub use crate::error::Error;
pub use crate::event::{Event, EventKind};
pub use crate::live_spill::LiveSpill;
pub use crate::outcome::{Masked, Outcome, Spilled};
pub use crate::profile::Profile;
pub use crate::report::{Amount, Report};
pub use crate::retrieve::{Page, Part};
pub use crate::settings::layer::{Layer, Limit};
pub use crate::settings::resolved::Settings;
pub use crate::spill::Spill;

/// The crate that decides what is shown, without I/O.
pub use overspill_core as core;
pub use overspill_core::json;
