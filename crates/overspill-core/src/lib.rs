#![doc = include_str!("lib.md")]
#![forbid(unsafe_code)]

mod cut;
mod excerpt;
#[doc(hidden)]
pub mod internal;
mod json;
#[cfg(test)]
#[path = "../../../tests/json/table.rs"]
mod json_texts;
mod keep;
mod measure;
mod observe;
mod policy;
mod preview;
mod share;
mod strategy;
mod text;

pub use cut::{Cut, Oversized, Piece, Span, cut, preview};
pub use keep::kind::{Kind, KindHint};
pub use keep::signal::CutFailures;
#[cfg(feature = "train")]
pub use keep::signal::train;
pub use keep::{Keep, Reason, Why};
pub use measure::limits::{Limits, Unit};
pub use measure::size::{LineRule, Size};
pub use measure::tokens::Tokens;
pub use observe::window::{Finished, Window};
pub use policy::{Cleaning, Grain, Policy};
pub use preview::{Layout, Preview, PreviewItem, Wording};
pub use strategy::{Choice, LeftOut, Strategy, StrategyError};
