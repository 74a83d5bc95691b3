#![doc = include_str!("lib.md")]
#![forbid(unsafe_code)]

mod call;
mod chosen;
mod clock;
pub mod envelope;
mod error;
mod event;
pub mod json;
mod json_settings;
mod outcome;
mod overspill;
pub mod profile;
pub mod redact;
mod report;
pub mod retrieve;
mod settings;
mod spill;
pub mod store;
pub mod sweep;
pub mod tool;
mod word;

pub use crate::call::Call;
pub use crate::clock::Clock;
pub use crate::error::Error;
pub use crate::event::{Event, EventKind};
pub use crate::json_settings::{takumi_enabled, takumi_set};
pub use crate::outcome::{Masked, Outcome, Spilled};
pub use crate::overspill::{CallOptions, Observer, Overspill};
pub use crate::profile::Profile;
pub use crate::report::{Amount, Counts, Report, Stretch};
pub use crate::settings::{
    Effective, KEEPS, Layer, Limit, Origin, Setting, Settings, Warning, entries_of, is_http_address,
};
pub use crate::spill::Spill;
pub use crate::tool::MultiText;
#[cfg(feature = "registry")]
pub use crate::tool::registry;

/// The pure part: what is measured, cut and worded.
pub use overspill_core as core;
