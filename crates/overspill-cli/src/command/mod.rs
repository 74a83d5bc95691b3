//! One file for each subcommand, and `request.rs`: the commands that ask for the next page.

pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod cut;
pub(crate) mod diff;
pub(crate) mod explain;
pub(crate) mod gc;
pub(crate) mod grep;
pub(crate) mod hook;
pub(crate) mod info;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod pin;
pub(crate) mod push;
pub(crate) mod read;
pub(crate) mod request;
pub(crate) mod rm;
pub(crate) mod run;
pub(crate) mod sh;
pub(crate) mod stats;
