//! `overspill doctor`

use crate::env::Env;
use crate::{setup, ui};

/// Checks the installation: program, settings, store and hosts.
///
/// For each host a long output takes the way that the host's outputs take, and the answer is looked at.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill doctor
  overspill doctor --json

Exit code 1 if something does not work.")]
pub(crate) struct DoctorArgs {
    /// As JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &DoctorArgs, env: &Env) -> u8 {
    ui::ended_with(setup::doctor(args, env))
}
