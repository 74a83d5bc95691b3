//! One file a subcommand.

pub(crate) mod cut;
pub(crate) mod run;
