//! Takes our part out of the settings of hosts again.

use std::fs;

use anyhow::Context;

use super::plan::{SetupPlan, SetupScope};
use super::receipt::{Receipt, Wrote};
use super::{before, named, piece::SetupPiece, text_of};
use crate::command::uninstall::UninstallArgs;
use crate::env::Env;
use crate::hosts::{HOSTS, Host};
use crate::settings::write::write;
use crate::ui;

/// Gives the files of these hosts back as they were before `init`.
pub(crate) fn uninstall(args: &UninstallArgs, env: &Env) -> anyhow::Result<()> {
    let hosts = match args.all {
        true => HOSTS.iter().filter(|host| Receipt::exists(host, env)).collect(),
        false => named(&args.hosts)?,
    };
    if hosts.is_empty() {
        return ui::answer("no host was set up\n");
    }
    hosts.into_iter().try_for_each(|host| take_back(host, args.dry_run, env))
}

fn take_back(host: &Host, dry_run: bool, env: &Env) -> anyhow::Result<()> {
    if !Receipt::exists(host, env) {
        return ui::answer(&format!("{}: it was not set up\n", host.title));
    }
    let receipt = Receipt::read(host, env);
    let mut changes = Vec::new();
    for wrote in &receipt.files {
        let now = text_of(&wrote.path, env)?;
        let pieces = pieces(host, wrote, env);
        let shown = env.shown(&wrote.path);
        let wrong = |why: String| ui::UsageError(format!("{shown}: {why}; it was left as it is"));
        let before = before(now.as_deref(), &wrote.path, &pieces, Some(wrote)).map_err(wrong)?;
        changes.push((wrote, now, before));
    }
    ui::answer(&format!("{}:\n", host.title))?;
    for (wrote, now, before) in changes {
        let shown = env.shown(&wrote.path);
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
    Receipt::remove(host, env);
    Ok(())
}

/// Returns what may be ours in a file, wherever it is.
fn pieces(host: &Host, wrote: &Wrote, env: &Env) -> Vec<SetupPiece> {
    let in_scope = |scope| {
        let targets = SetupPlan::all(host, scope, env).targets;
        targets.into_iter().find(|target| target.path == wrote.path).map(|target| target.pieces)
    };
    // A project's file may be that of another project than this: what is in it is the same.
    let by_name = || {
        let name = wrote.path.file_name();
        let targets = SetupPlan::all(host, SetupScope::Project, env).targets;
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
