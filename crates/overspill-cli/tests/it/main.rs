//! The program from outside: what is typed, what is printed, what is left behind.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod asked;
mod bucket;
mod children;
mod config;
mod crowd;
mod cut;
mod destination;
mod diff;
mod exit_codes;
mod explain;
mod fail_closed;
mod foreign_text;
mod help;
mod hole;
mod home;
mod hosts;
mod json;
mod kills;
mod mcp;
mod options;
mod overview;
mod pictures;
mod pipelines;
mod power;
mod program;
mod project_file;
mod promises;
mod redact;
mod results;
mod retrieval;
mod run;
mod scarce;
mod settings;
mod signals;
mod snapshots;
mod source_profiles;
mod stats;
mod surfaces;
mod terminal;
mod tokens;
mod unshown;
mod watch;
