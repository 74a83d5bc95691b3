//! Processes as Linux has them.

mod child;
mod descriptors;
mod follow;
mod keys;
mod linger;
mod pty;
mod signals;
mod start;
mod watch;
mod wires;

pub(crate) use descriptors::Descriptors;
pub(crate) use linger::{is_to_linger, linger};
pub(crate) use signals::end_like;
pub(crate) use watch::run;
