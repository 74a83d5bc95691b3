//! `overspill push`: uploads outputs that are not in the bucket yet.

use std::time::Duration;

use anyhow::bail;
use serde_json::json;

use crate::args::duration;
use crate::bucket::{self, Pushed, Stranded};
use crate::env::Env;
use crate::ui;

/// Uploads outputs that are not in the bucket yet.
///
/// A bucket is a store that many machines share. `run` and `gc` also upload outputs, but stop after a short time.
/// Exit code 1: an output could not be uploaded.
///
/// If outputs wait for a bucket that you no longer use, `push` names that bucket. `--from` uploads them to the current
/// bucket.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill push --timeout 10m
  overspill push --from s3+team+all")]
pub(crate) struct PushArgs {
    /// Stop after this time.
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "1h")]
    timeout: Duration,
    /// Upload the outputs that wait for another bucket. `push` and `doctor` show its name.
    #[arg(long, value_name = "NAME")]
    from: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &PushArgs, env: &Env) -> u8 {
    ui::ended_with(push(args, env))
}

/// Uploads the outputs, prints a report, and tells whether all were uploaded.
fn push(args: &PushArgs, env: &Env) -> anyhow::Result<bool> {
    let mut stranded = bucket::stranded(env);
    let bucket = match &args.from {
        None => bucket::set(env)?,
        Some(name) => match stranded.iter().position(|one| one.name == *name) {
            Some(at) => bucket::set_for(&stranded.swap_remove(at), env)?,
            None => bail!("no output waits for a bucket {name}{}", hint(&stranded)),
        },
    };
    let progress = ui::Progress::of("sending");
    let Pushed { sent, bytes, left, reason } = bucket.push(args.timeout)?;
    drop(progress);
    if args.json {
        let row = |one: &Stranded| json!({"name": one.name, "outputs": one.outputs});
        let stranded: Vec<_> = stranded.iter().map(row).collect();
        let json = json!({
            "sent": sent, "bytes": bytes, "left": left, "reason": reason, "stranded": stranded,
        });
        ui::answer(&ui::json_line(json))?;
        return Ok(left == 0);
    }
    let rest = match (left, &reason) {
        (0, _) => String::new(),
        (left, None) => format!("; {left} on this machine only"),
        (left, Some(reason)) => format!("; {left} on this machine only: {reason}"),
    };
    ui::answer(&format!("{sent} sent ({}){rest}\n", ui::size(bytes)))?;
    stranded.iter().for_each(|one| ui::say(&said(one)));
    Ok(left == 0)
}

/// Returns a sentence about outputs that wait for another bucket than the current one, with the
/// command to upload them.
pub(crate) fn said(one: &Stranded) -> String {
    let (name, outputs) = (&one.name, ui::count(one.outputs, "output"));
    format!(
        "{outputs} for another bucket ({name}), never sent; `overspill push --from {name}` uploads \
         them to the current bucket"
    )
}

fn hint(stranded: &[Stranded]) -> String {
    let names: Vec<&str> = stranded.iter().map(|one| one.name.as_str()).collect();
    match names.is_empty() {
        true => String::new(),
        false => format!("\n\nhint: outputs wait for {}", names.join(", ")),
    }
}
