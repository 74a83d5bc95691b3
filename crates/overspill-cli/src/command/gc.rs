//! `overspill gc`

use anyhow::Context;
use jiff::Timestamp;
use overspill::Profile;
use overspill::sweep::{Budget, Swept, sweep};

use crate::args::profiles;
use crate::settings::{InForce, Sources};
use crate::{home, ui};

/// Removes what was not used for seven days, and the oldest beyond 5 GiB.
///
/// The settings `store.retention` and `store.quota` say otherwise.
#[derive(Debug, clap::Args)]
pub(crate) struct GcArgs {
    /// As JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// In the store of this profile.
    #[arg(long, value_name = "NAME", value_parser = profiles())]
    pub(crate) profile: Option<&'static str>,
}

pub(crate) fn gc(args: &GcArgs) -> anyhow::Result<()> {
    let profile = args.profile.and_then(Profile::named).unwrap_or(Profile::OWN);
    let InForce { profile, sources, .. } = Sources::of_user().in_force(Some(profile));
    sources.say_warnings();
    let disk = sources.disk(&profile, &home::places()).map_err(anyhow::Error::msg)?;
    let swept = sweep(&disk, &sources.retention(&profile), Budget::Whole, Timestamp::now())?;
    let Swept { removed, bytes, kept, failed, .. } = swept;
    let text = if args.json {
        let json = serde_json::json!({
            "removed": removed, "bytes": bytes, "kept": kept, "failed": failed,
        });
        format!("{json}\n")
    } else {
        let trouble =
            if failed > 0 { format!(", {failed} could not be removed") } else { String::new() };
        format!("{removed} removed ({}), {kept} kept{trouble}\n", ui::size(bytes))
    };
    ui::print(text.as_bytes()).context("standard output")
}
