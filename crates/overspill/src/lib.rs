#![doc = include_str!("lib.md")]
#![forbid(unsafe_code)]

mod error;
mod overspill;
mod spill;
pub mod store;

pub use crate::error::Error;
pub use crate::overspill::{Outcome, Overspill, Spilled};
pub use crate::spill::Spill;

/// The pure part: what is measured, cut and worded.
pub use overspill_core as core;
