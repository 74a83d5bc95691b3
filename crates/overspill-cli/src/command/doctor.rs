//! `overspill doctor`: checks the installation. The checks are in `setup`.

use crate::env::Env;
use crate::{setup, ui};

/// Checks the installation: program, settings, store and agents.
///
/// For each agent that is set up, `doctor` shortens a long output as for that agent, and checks the result.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill doctor
  overspill doctor --json

Exit code 1: something does not work.")]
pub(crate) struct DoctorArgs {
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &DoctorArgs, env: &Env) -> u8 {
    ui::ended_with(setup::doctor(args, env))
}
