//! Where whole outputs are kept.

#[cfg_attr(unix, path = "access_unix.rs")]
#[cfg_attr(not(unix), path = "access_other.rs")]
mod access;
mod disk;
mod id;

pub use disk::{Disk, Draft, SpillRef};
pub use id::Id;
