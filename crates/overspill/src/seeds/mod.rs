//! The five published systems that this library can stand in for: their profiles, words and formats.
//!
//! Nothing in this folder serves our own profile. `docs/seeds.md` of the repository lists what each
//! system states, and the test for it.

mod agent_v2;
pub mod envelope;
mod json_settings;
mod klaude;
mod opencode;
mod results;
mod takumi;
mod unified;
pub(crate) mod words;

use overspill_core::{Cleaning, Grain, Keep, LineRule, Policy, Tokens};

use crate::profile::{Profile, ResultLayout, Sweeps};
use crate::store::Access;
use crate::sweep::Retention;

pub use json_settings::{takumi_enabled, takumi_set};
pub use opencode::{PermissionRule, Preset, ToolKind, can_delegate, matches_wildcard};
pub use results::{ServiceEvent, ServiceResult, TruncationResult, TruncationUiExtra};
pub use words::WalkWords;

/// Three of the systems keep whole lines from one end, up to 2000 lines or 50 KiB.
const WALK: Policy = Policy {
    trigger: Policy::LIMITS,
    limits: Policy::LIMITS,
    keep: Keep::Head,
    grain: Grain::WholeLine,
    lines: LineRule::Separated,
    cleaning: Cleaning::Off,
    tokens: Tokens::Estimate,
};

/// The base of the five. Each replaces the name, the notice, the directory and the names of files.
const SOURCE_SYSTEM: Profile = Profile {
    policy: WALK,
    shape: ResultLayout::OUTPUT,
    // Their directories may exist already, with any mode.
    access: Access::Shared,
    records: false,
    // They promise the full output.
    max_output: u64::MAX,
    retention: Retention::days(7),
    sweeps: Sweeps::Never,
    bucket: false,
    streams: false,
    ..Profile::OWN
};
