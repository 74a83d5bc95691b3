//! `overspill uninstall`

use std::fs;

use anyhow::Context;

use super::plan::{SetupPlan, SetupScope};
use super::receipt::{Receipt, Wrote};
use super::{before, named, piece::SetupPiece, shown, text_of};
use crate::hosts::{HOSTS, Host};
use crate::settings::write::write;
use crate::ui;

/// Takes back what `init` has written for host agents.
///
/// A file that was not changed since is again what it was before, byte for byte. Of one that was changed
/// only what is ours is taken out. Saved outputs stay.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill uninstall claude-code
  overspill uninstall --all --dry-run")]
pub(crate) struct UninstallArgs {
    /// Hosts, such as `claude-code` or `codex`.
    #[arg(value_name = "HOST", required_unless_present = "all")]
    hosts: Vec<String>,
    /// All that were set up.
    #[arg(long, conflicts_with = "hosts")]
    all: bool,
    /// Only show what would be changed.
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn uninstall(args: &UninstallArgs) -> u8 {
    ui::ended(try_uninstall(args))
}

fn try_uninstall(args: &UninstallArgs) -> anyhow::Result<()> {
    let hosts = match args.all {
        true => HOSTS.iter().filter(|host| Receipt::exists(host)).collect(),
        false => named(&args.hosts)?,
    };
    if hosts.is_empty() {
        return ui::answer("no host was set up\n");
    }
    hosts.into_iter().try_for_each(|host| take_back(host, args.dry_run))
}

fn take_back(host: &Host, dry_run: bool) -> anyhow::Result<()> {
    if !Receipt::exists(host) {
        return ui::answer(&format!("{}: it was not set up\n", host.title));
    }
    let receipt = Receipt::read(host);
    let mut changes = Vec::new();
    for wrote in &receipt.files {
        let now = text_of(&wrote.path)?;
        let pieces = pieces(host, wrote);
        let shown = shown(&wrote.path);
        let wrong = |why: String| ui::UsageError(format!("{shown}: {why}; it was left as it is"));
        let before = before(now.as_deref(), &wrote.path, &pieces, Some(wrote)).map_err(wrong)?;
        changes.push((wrote, now, before));
    }
    ui::answer(&format!("{}:\n", host.title))?;
    for (wrote, now, before) in changes {
        let shown = shown(&wrote.path);
        let what = match (&now, &before) {
            (None, _) => "is not there any more",
            (now, before) if now == before => "has nothing of ours",
            (_, None) => "removed",
            (_, Some(_)) if before == wrote.before => "as it was before",
            (_, Some(_)) => "without what is ours; the rest was changed since",
        };
        if !dry_run && now != before {
            match &before {
                Some(text) => write(&wrote.path, text).with_context(|| shown.clone())?,
                None => fs::remove_file(&wrote.path).with_context(|| shown.clone())?,
            }
        }
        ui::answer(&format!("  {shown}: {what}\n"))?;
    }
    if dry_run {
        return ui::answer("  nothing was changed, as this was a dry run\n");
    }
    Receipt::remove(host);
    Ok(())
}

/// Returns what may be ours in a file, wherever it is.
fn pieces(host: &Host, wrote: &Wrote) -> Vec<SetupPiece> {
    let in_scope = |scope| {
        let targets = SetupPlan::all(host, scope).targets;
        targets.into_iter().find(|target| target.path == wrote.path).map(|target| target.pieces)
    };
    // A project's file may be that of another project than this: what is in it is the same.
    let by_name = || {
        let name = wrote.path.file_name();
        let targets = SetupPlan::all(host, SetupScope::Project).targets;
        targets
            .into_iter()
            .find(|target| target.path.file_name() == name)
            .map(|target| target.pieces)
    };
    in_scope(SetupScope::User)
        .or_else(|| in_scope(SetupScope::Project))
        .or_else(by_name)
        .unwrap_or_default()
}
