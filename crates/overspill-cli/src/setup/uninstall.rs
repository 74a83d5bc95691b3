//! `overspill uninstall`: restores the settings of hosts as they were before `init`.

use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::Context;

use super::init::{refused, text_in};
use super::owned::Owned;
use super::plan::{LayeredPiece, SetupPlan, SetupScope, Target, path_of};
use super::receipt::{Receipt, Wrote};
use super::{named, slot, text_of};
use crate::command::uninstall::UninstallArgs;
use crate::env::Env;
use crate::hosts::{HOSTS, Host, HostFile, moving_variable};
use crate::settings::checked_file::CheckedFile;
use crate::settings::write::write;
use crate::ui;

/// Restores the files of the named hosts, and prints the changes.
pub(crate) fn uninstall(args: &UninstallArgs, env: &Env) -> anyhow::Result<()> {
    let hosts = match args.all {
        true => HOSTS.iter().filter(|host| is_set_up(host, env)).collect(),
        false => named(&args.hosts, "uninstall")?,
    };
    if hosts.is_empty() {
        let none = "No agent is set up. `overspill init` lists the agents on this machine.\n";
        return ui::answer(&ui::wrapped(none, 0));
    }
    hosts.into_iter().try_for_each(|host| take_back(host, args.dry_run, env))
}

fn take_back(host: &Host, dry_run: bool, env: &Env) -> anyhow::Result<()> {
    let has_receipt = Receipt::exists(host, env);
    let receipt = match has_receipt {
        true => Receipt::read(host, env)?,
        false => by_shape(host, env),
    };
    if !has_receipt && receipt.files.is_empty() {
        return without_files(host, dry_run, env);
    }
    let mut changes = Vec::new();
    for wrote in &receipt.files {
        let shown = env.shown(&wrote.path);
        let place = Written::of(host, &wrote.path, env)?;
        let Some(place) = place else {
            let variable = host.files().find_map(|file| moving_variable(file.user));
            let set = variable.map(|name| format!("set {name} as it was when `init` ran, or "));
            anyhow::bail!(
                "{shown}: `init` does not write this file for {}, so nothing was changed\n\n\
                 hint: {}correct or remove the receipt {}",
                host.title,
                set.unwrap_or_default(),
                env.shown(&Receipt::path(host, env)),
            );
        };
        let now = place.read(&wrote.path, env)?;
        let possible = pieces(host, wrote, env);
        let wrong = |why: String| ui::UsageError(format!("{shown}: {why}; the file is unchanged"));
        let owned = Owned::of(now.as_deref(), &wrote.path, Some(wrote), &possible, env);
        changes.push((wrote, place, now, owned.map_err(wrong)?));
    }
    ui::answer(&format!("{}:\n", host.title))?;
    let links = env.links().to_string_lossy().into_owned();
    let mut names_links = false;
    for (wrote, place, now, Owned { before, changed, .. }) in changes {
        let shown = env.shown(&wrote.path);
        let what = match (&now, &before) {
            (None, _) => "is gone already",
            (now, before) if now == before => "unchanged: it has no entry of overspill",
            (_, None) => "removed",
            (_, Some(_)) if !has_receipt => "removed the entries of overspill",
            (_, Some(_)) if before == wrote.before => "restored",
            (_, Some(_)) => "removed the entries of overspill; your later changes stay",
        };
        if !dry_run && now != before {
            match &before {
                Some(text) => place.write(&wrote.path, text, env)?,
                None => place.remove(&wrote.path, env)?,
            }
        }
        ui::answer(&format!("  {shown}: {what}\n"))?;
        for LayeredPiece { piece, .. } in changed.iter().filter(|_| before.is_some()) {
            ui::answer(&format!("    kept: {} (you changed it)\n", piece.said()))?;
        }
        if before.is_some_and(|text| text.contains(&links)) {
            names_links = true;
            ui::answer(&format!("    kept: the file still names {}\n", env.shown(&env.links())))?;
        }
    }
    if dry_run {
        return ui::answer("  dry run: nothing was changed\n");
    }
    Receipt::remove(host, names_links, env);
    receipt.remove_made(env);
    Ok(())
}

/// Removes our links for a host that has no file of ours, if no other host uses the links.
fn without_files(host: &Host, dry_run: bool, env: &Env) -> anyhow::Result<()> {
    let links = env.links();
    let is_used = HOSTS.iter().any(|host| is_set_up(host, env));
    if is_used || links.symlink_metadata().is_err() {
        return ui::answer(&format!("{}: not set up\n", host.title));
    }
    ui::answer(&format!("{}:\n  {}: removed\n", host.title, env.shown(&links)))?;
    if dry_run {
        return ui::answer("  dry run: nothing was changed\n");
    }
    Receipt::remove(host, false, env);
    Receipt { made: made_for(&links, env), ..Receipt::default() }.remove_made(env);
    Ok(())
}

fn is_set_up(host: &Host, env: &Env) -> bool {
    Receipt::exists(host, env) || !by_shape(host, env).files.is_empty()
}

/// Returns the directories above a file that `init` may have made, below the home directory and
/// below the project.
fn made_for(file: &Path, env: &Env) -> Vec<PathBuf> {
    let roots: Vec<PathBuf> = env.home().into_iter().chain([env.project_root()]).collect();
    let is_below = |directory: &&Path| {
        roots.iter().any(|root| directory.starts_with(root) && *directory != root)
    };
    file.ancestors().skip(1).filter(is_below).map(Path::to_owned).collect()
}

/// Returns a receipt for files that have our pieces, found by their exact text.
///
/// The receipt leaves out files that cannot be read or parsed.
fn by_shape(host: &Host, env: &Env) -> Receipt {
    let scopes = [SetupScope::User, SetupScope::Project];
    let targets = scopes.into_iter().flat_map(|scope| SetupPlan::all(host, scope, env).targets);
    let wrote = |mut target: Target| {
        let place = Written::of(host, &target.path, env).ok()??;
        let now = place.read(&target.path, env).ok()??;
        slot::recognise(host, &mut target.pieces, Some(&now), env);
        let owned = Owned::of(Some(&now), &target.path, None, &target.pieces, env).ok()?;
        let Owned { before, pieces, .. } = owned;
        let has_ours = !pieces.is_empty();
        has_ours.then(|| Wrote { path: target.path, before, after: now, pieces: Some(pieces) })
    };
    let mut receipt = Receipt::default();
    targets.filter_map(wrote).for_each(|wrote| receipt.note(wrote));
    let removed = receipt.files.iter().filter(|wrote| wrote.before.is_none());
    let files = removed.map(|wrote| wrote.path.clone()).chain([env.links()]);
    // Only empty directories are removed later.
    receipt.made = files.flat_map(|file| made_for(&file, env)).collect();
    receipt
}

/// A file that `init` may have written.
enum Written {
    /// A file of the user. Dotfile managers replace such files by links, so links are followed.
    User,
    /// A file of a project, where links may lead anywhere.
    Project(CheckedFile),
}

impl Written {
    /// Returns the file at `path`, or `None` if `init` never writes there for this host.
    fn of(host: &Host, path: &Path, env: &Env) -> anyhow::Result<Option<Written>> {
        let files: Vec<HostFile> = host.files().collect();
        let is_path = |known: PathBuf| {
            known == path
                || path.extension().is_some_and(|kind| kind == "json" || kind == "jsonc")
                    && known.with_extension("") == path.with_extension("")
        };
        let user = files.iter().filter_map(|file| path_of(*file, SetupScope::User, env));
        if user.into_iter().any(is_path) {
            return Ok(Some(Written::User));
        }
        let normal = path.components().all(|part| part != Component::ParentDir);
        let other = path.with_extension("json");
        let root =
            files.iter().filter(|file| !file.project.is_empty() && normal).find_map(|file| {
                let is_there = path.ends_with(file.project) || other.ends_with(file.project);
                is_there
                    .then(|| path.ancestors().nth(Path::new(file.project).components().count()))?
            });
        let Some(root) = root else { return Ok(None) };
        if !root.is_dir() {
            return Ok(Some(Written::User));
        }
        let file = CheckedFile::inside(path, &[root.to_owned()]);
        Ok(Some(Written::Project(file.map_err(|why| refused(path, &why, env))?)))
    }

    fn read(&self, path: &Path, env: &Env) -> anyhow::Result<Option<String>> {
        match self {
            Written::User => text_of(path, env),
            Written::Project(file) => text_in(file, path, env),
        }
    }

    fn write(&self, path: &Path, text: &str, env: &Env) -> anyhow::Result<()> {
        match self {
            Written::User => write(path, text).with_context(|| env.shown(path).to_string()),
            Written::Project(file) => file.write(text).map_err(|why| refused(path, &why, env)),
        }
    }

    fn remove(&self, path: &Path, env: &Env) -> anyhow::Result<()> {
        match self {
            Written::User => fs::remove_file(path).with_context(|| env.shown(path).to_string()),
            Written::Project(file) => file.remove().map_err(|why| refused(path, &why, env)),
        }
    }
}

/// Returns all pieces that `init` can write into a file, in any scope.
fn pieces(host: &Host, wrote: &Wrote, env: &Env) -> Vec<LayeredPiece> {
    let in_scope = |scope| {
        let targets = SetupPlan::all(host, scope, env).targets;
        targets.into_iter().find(|target| target.path == wrote.path).map(|target| target.pieces)
    };
    // The file may belong to another project, in which `init` writes the same pieces.
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
