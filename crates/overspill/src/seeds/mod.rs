//! The five published systems that this library can stand in for: their profiles, words and
//! formats.
//!
//! | system | profile | its results | shorten them with |
//! | --- | --- | --- | --- |
//! | klaude | [`Profile::KLAUDE`] | text | [`Overspill::process`](crate::Overspill::process), then [`TruncationResult::of`] |
//! | unified | [`Profile::UNIFIED`], [`from_variables`] | JSON text with `status`, `data`, `text` | [`envelope::respond`] |
//! | takumi | [`Profile::TAKUMI`] | an object with `llmContent` | [`Overspill::shorten_result`](crate::Overspill::shorten_result) |
//! | agent-v2 | [`Profile::AGENT_V2`] | text, or an object with `output` and `metadata` | [`Service`], the same, or `tool::registry` |
//! | opencode | [`Profile::OPENCODE`] | an object with `output` and `metadata` | the same |
//!
//! ```
//! use overspill::store::Memory;
//! use overspill::tool::{Gates, ShortenedResult};
//! use overspill::{Call, CallOptions, Overspill, Profile};
//! use serde_json::json;
//!
//! let overspill = Overspill::new(Profile::TAKUMI, Memory::default());
//! let result = json!({"llmContent": "a line\n".repeat(5000)});
//! let (call, options) = (Call::new("bash"), CallOptions::default());
//! match overspill.shorten_result(&result, &call, &options, &Gates::default()) {
//!     ShortenedResult::Unchanged => unreachable!("5000 lines are too many"),
//!     ShortenedResult::Changed(result) => assert_eq!(result["truncated"], true),
//! }
//! ```
//!
//! Our own profile uses nothing of this module. `docs/seeds.md` of the repository lists the
//! statements of each system, with a test for each.

mod agent_v2;
pub mod envelope;
pub(crate) mod json_settings;
mod klaude;
pub(crate) mod opencode;
mod results;
mod service;
mod takumi;
mod unified;
mod variables;
pub(crate) mod words;

use overspill_core::{Cleaning, Grain, Keep, KindHint, LineRule, Policy, Tokens};

use crate::profile::{Profile, ResultLayout, Sweeps};
use crate::store::Access;
use crate::sweep::Retention;

pub use opencode::{PermissionRule, Preset, can_delegate, cleanup_by_name};
pub use results::{ServiceEvent, ServiceResult, TruncationResult, TruncationUiExtra};
pub use service::{Service, ServiceContext};
pub use variables::{UnifiedVariables, from_variables};
pub(crate) use words::WalkWords;

/// The policy of three of the systems: whole lines from one end, up to 2000 lines or 50 KiB.
const WALK: Policy = Policy {
    trigger: Policy::LIMITS,
    limits: Policy::LIMITS,
    keep: Keep::Head,
    grain: Grain::WholeLine,
    lines: LineRule::Separated,
    cleaning: Cleaning::Off,
    tokens: Tokens::Estimate,
    fill: false,
    hint: KindHint::NONE,
};

/// The base of the five profiles. Each replaces the name, the notice, the directory and the names
/// of files.
const SOURCE_SYSTEM: Profile = Profile {
    policy: WALK,
    shape: ResultLayout::OUTPUT,
    // The directories may exist already, with any mode.
    access: Access::Shared,
    records: false,
    // The systems promise the full output.
    max_output: u64::MAX,
    retention: Retention::days(7),
    sweeps: Sweeps::Never,
    bucket: false,
    streams: false,
    strategy_may_exceed: true,
    host_limits: false,
    // The documents of the systems do not mention pipelines.
    reports_pipelines: false,
    ..Profile::OWN
};
