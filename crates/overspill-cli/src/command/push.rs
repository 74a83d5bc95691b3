//! `overspill push`

use std::time::Duration;

use crate::args::duration;
use crate::bucket::{self, Pushed};
use crate::ui;

/// Sends to the bucket what is still on this machine only.
///
/// Every call and `gc` send some of it by the way. Exits with 1 if something could not be sent.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  overspill push --timeout 10m")]
pub(crate) struct PushArgs {
    /// For no longer than this.
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "1h")]
    timeout: Duration,
    /// As JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn push(args: &PushArgs) -> u8 {
    ui::ended_with(try_push(args))
}

/// Tells whether everything was sent.
fn try_push(args: &PushArgs) -> anyhow::Result<bool> {
    let bucket = bucket::set()?;
    let progress = ui::Progress::of("sending");
    let Pushed { sent, bytes, left, reason } = bucket.push(args.timeout)?;
    drop(progress);
    if args.json {
        let json = serde_json::json!({
            "sent": sent, "bytes": bytes, "left": left, "reason": reason,
        });
        ui::answer(&format!("{json}\n"))?;
        return Ok(left == 0);
    }
    let rest = match (left, &reason) {
        (0, _) => String::new(),
        (left, None) => format!("; {left} on this machine only"),
        (left, Some(reason)) => format!("; {left} on this machine only: {reason}"),
    };
    ui::answer(&format!("{sent} sent ({}){rest}\n", ui::size(bytes)))?;
    Ok(left == 0)
}
