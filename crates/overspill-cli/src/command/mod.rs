//! One file for each subcommand, with its arguments and `run(args, &Env)`, which returns the exit code; and `request.rs`: the commands that ask for the next page.

pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod cut;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod explain;
mod follow;
pub(crate) mod gc;
pub(crate) mod grep;
mod hex;
pub(crate) mod hook;
pub(crate) mod info;
pub(crate) mod init;
pub(crate) mod list;
pub(crate) mod man;
mod manual;
pub(crate) mod mcp;
pub(crate) mod overview;
pub(crate) mod pin;
pub(crate) mod push;
pub(crate) mod read;
pub(crate) mod request;
pub(crate) mod rm;
pub(crate) mod run;
pub(crate) mod sh;
pub(crate) mod stats;
pub(crate) mod uninstall;
