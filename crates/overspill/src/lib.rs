#![doc = include_str!("lib.md")]
#![forbid(unsafe_code)]

#[cfg(feature = "async")]
mod blocking;
mod call;
mod clock;
mod command_kind;
mod engine;
mod error;
mod event;
mod host;
#[doc(hidden)]
pub mod internal;
#[cfg(test)]
#[path = "../../../tests/json/table.rs"]
mod json_texts;
mod live_spill;
mod notice;
mod outcome;
mod profile;
mod redact;
mod report;
pub mod retrieve;
pub mod seeds;
mod settings;
mod spill;
pub mod store;
mod sweep;
pub mod tool;

pub use crate::call::{Call, CallEnd};
pub use crate::clock::Clock;
pub use crate::engine::{CallOptions, Overspill, OverspillBuilder};
pub use crate::error::Error;
pub use crate::event::{Event, EventKind};
pub use crate::notice::ReaderAbilities;
pub use crate::outcome::{Masked, Outcome, Spilled};
pub use crate::profile::{Places, Profile};
pub use crate::redact::{Redact, Redaction};
pub use crate::report::{Amount, Report};
pub use crate::retrieve::page::{Page, Part};
pub use crate::settings::layer::{KindSetting, Layer, Limit};
pub use crate::settings::resolved::Settings;
pub use crate::spill::Spill;
pub use crate::sweep::{Retention, Swept};

/// The crate that chooses the shown parts, without I/O.
pub use overspill_core as core;
