#![doc = include_str!("lib.md")]
#![forbid(unsafe_code)]

mod cut;
mod ends;
mod excerpt;
mod keep;
mod limits;
mod notice;
mod policy;
mod share;
mod signal;
#[cfg(feature = "train")]
pub use signal::train;
mod size;
mod strategy;
mod structure;
pub mod text;
mod tokens;
mod view;
mod watch;
mod window;

pub use cut::{Cut, Oversized, Piece, Span, cut, preview};
pub use excerpt::Excerpt;
pub use limits::{Limits, Unit};
pub use notice::{Availability, Notice, Preview, ReaderAbilities, SaveStatus, Stored, ToolNames};
pub use policy::{Cleaning, Grain, Keep, Policy};
pub use share::{share, share_limits};
pub use signal::{Reason, Why};
pub use size::{LineRule, Meter, Size};
pub use strategy::{Choice, LeftOut, Strategy, StrategyError};
pub use tokens::{Counter, Tokens};
pub use view::Source;
pub use window::{Finished, ReadError, Window};
