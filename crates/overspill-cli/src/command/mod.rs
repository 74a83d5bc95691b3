//! The subcommands. Each has a module with its arguments and a function `run` that returns the exit
//! code. `follow`, `hex`, `manual` and `request` are helpers. `overview` runs without a subcommand.

pub(crate) mod audit;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod cut;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod explain;
mod follow;
pub(crate) mod gc;
pub(crate) mod grep;
pub(crate) mod help;
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
pub(crate) mod view;
