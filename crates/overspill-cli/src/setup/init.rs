//! `overspill init`

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::{Value, json};

use super::plan::{self, Extras, SetupPlan, SetupScope, Target};
use super::receipt::{Receipt, Wrote};
use super::{before, found, named, piece::SetupPiece, shown, system, text_of};
use crate::hosts::{HOSTS, Host};
use crate::settings::guarded::{self, GuardedFile, Refused};
use crate::settings::text;
use crate::settings::write::write;
use crate::{home, ui};

/// Sets up host agents, so that everything they run is bounded.
///
/// Without a name it lists the hosts that are on this machine. Shows what it changes, keeps everything
/// else in a file as it is, and notes how each file was: `overspill uninstall` gives it back byte for byte.
/// Nothing is allowed to a host that it was not before, but to read saved outputs.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill init
  overspill init claude-code codex
  overspill init gemini --mcp --dry-run
  overspill init opencode --project")]
pub(crate) struct InitArgs {
    /// Hosts, such as `claude-code` or `codex`.
    #[arg(value_name = "HOST")]
    hosts: Vec<String>,
    /// In the settings of this project, for you alone where the host knows such a file.
    #[arg(long, conflicts_with = "user")]
    project: bool,
    /// In your own settings, which is the default.
    #[arg(long)]
    user: bool,
    /// Only show what would be changed.
    #[arg(long)]
    dry_run: bool,
    /// Put the proxy in front of the host's MCP servers, too.
    #[arg(long)]
    mcp: bool,
    /// Add the second layer: hooks or a plugin for what is no command.
    #[arg(long)]
    hooks: bool,
    /// Add a paragraph to the host's file of rules.
    #[arg(long)]
    rules: bool,
    /// Write a plugin for the host into this directory, and nothing else.
    #[arg(long, value_name = "DIR")]
    plugin: Option<PathBuf>,
    /// Write for hosts that are not found here, and over files of the same name.
    #[arg(long)]
    force: bool,
    /// As JSON.
    #[arg(long)]
    json: bool,
}

/// A file that is to be changed.
struct Change {
    target: Target,
    /// The file of a project, in which links may lead anywhere.
    guarded: Option<GuardedFile>,
    now: Option<String>,
    before: Option<String>,
    after: String,
}

pub(crate) fn init(args: &InitArgs) -> u8 {
    ui::ended(try_init(args))
}

fn try_init(args: &InitArgs) -> anyhow::Result<()> {
    let hosts = named(&args.hosts)?;
    if hosts.is_empty() {
        return list(args.json);
    }
    if home::config_directory().as_os_str().is_empty() {
        anyhow::bail!("there is no home directory to keep our links in");
    }
    if let Some(directory) = &args.plugin {
        return hosts.into_iter().try_for_each(|host| bundle(host, directory, args.dry_run));
    }
    if let Some(host) = hosts.iter().find(|host| !args.force && found::found(host).is_none()) {
        let program = host.programs.join(" or ");
        anyhow::bail!(
            "{} is not installed here: no {program} in the PATH, and no {}\n\nhint: `overspill init {} \
             --force` writes its settings anyway",
            host.title,
            host.home.replace("$config", "~/.config"),
            host.name
        );
    }
    // All of it is thought through before anything is written.
    let planned =
        hosts.into_iter().map(|host| planned(host, args)).collect::<Result<Vec<_>, _>>()?;
    let mut all = Vec::new();
    for (host, plan, changes) in planned {
        if !args.dry_run {
            carry_out(host, &plan, &changes)?;
        }
        if args.json {
            all.push(as_json(host, &changes, args.dry_run));
        } else {
            ui::answer(&said(host, &changes, args))?;
        }
    }
    if args.json { ui::answer(&ui::json_line(Value::Array(all))) } else { Ok(()) }
}

type Planned = (&'static Host, SetupPlan, Vec<Change>);

fn planned(host: &'static Host, args: &InitArgs) -> anyhow::Result<Planned> {
    let scope = if args.project { SetupScope::Project } else { SetupScope::User };
    let extras = Extras { hooks: args.hooks, servers: args.mcp, rules: args.rules };
    let mut plan = SetupPlan::of(host, scope, extras);
    if scope == SetupScope::Project && plan.targets.is_empty() && !host.steps.is_empty() {
        anyhow::bail!("{} has no settings of a project that we could use", host.title);
    }
    let receipt = Receipt::read(host);
    let program = plan::links().join("overspill").to_string_lossy().into_owned();
    let everything = SetupPlan::all(host, scope);
    let mut changes = Vec::new();
    for target in std::mem::take(&mut plan.targets) {
        let shown = shown(&target.path);
        let guarded = match scope {
            SetupScope::Project => Some(guarded(&target.path)?),
            SetupScope::User => None,
        };
        let now = match &guarded {
            Some(file) => text_in(file, &target.path)?,
            None => text_of(&target.path)?,
        };
        let wrote = receipt.of(&target.path);
        let wrong = |why: String| ui::UsageError(format!("{shown}: {why}; it was left as it is"));
        let is_ours = wrote.is_some() || args.force || now.is_none();
        if !is_ours
            && let [SetupPiece::Whole(text)] = &target.pieces[..]
            && now.as_ref() != Some(text)
        {
            anyhow::bail!(
                "{shown}: there is another file of this name\n\nhint: --force replaces it"
            );
        }
        // What was asked for another time stays: only pieces of ours that are here now are put anew.
        let possible = everything.targets.iter().find(|other| other.path == target.path);
        let possible = possible.map_or(&target.pieces[..], |other| &other.pieces[..]);
        let kept = possible.iter().filter(|piece| {
            let is_there = now.as_ref().is_some_and(|now| wrote.is_some() && piece.is_in(now));
            is_there || target.pieces.contains(piece)
        });
        let kept: Vec<SetupPiece> = kept.cloned().collect();
        let before = before(now.as_deref(), &target.path, possible, wrote).map_err(wrong)?;
        let mut after = before.clone().unwrap_or_default();
        for piece in &kept {
            after = piece.put(&after, &target.path, &program).map_err(wrong)?;
        }
        changes.push(Change { target, guarded, now, before, after });
    }
    let old = changes.iter().find_map(|change| {
        let before = change.before.as_deref()?;
        change.target.pieces.iter().find_map(|piece| piece.old(before))
    });
    for (_, text) in &mut plan.scripts {
        *text = text.replace("@BEFORE@", &home::quoted(old.as_deref().unwrap_or_default()));
    }
    Ok((host, plan, changes))
}

/// Writes everything. The receipt comes first: whatever happens then can be taken back.
fn carry_out(host: &Host, plan: &SetupPlan, changes: &[Change]) -> anyhow::Result<()> {
    let links = plan::links();
    fs::create_dir_all(&links).with_context(|| shown(&links))?;
    let program = std::env::current_exe().context("where this program is")?;
    for name in &plan.links {
        let link = links.join(name);
        system::link(&program, &link).with_context(|| shown(&link))?;
    }
    for (name, text) in &plan.scripts {
        let path = links.join(name);
        write(&path, text).with_context(|| shown(&path))?;
    }
    let mut receipt = Receipt::read(host);
    for change in changes {
        let Change { target, before, after, .. } = change;
        let (path, before, after) = (target.path.clone(), before.clone(), after.clone());
        receipt.note(Wrote { path, before, after });
    }
    receipt.write(host)?;
    for Change { target, guarded, now, after, .. } in changes {
        if now.as_ref() == Some(after) {
            continue;
        }
        match guarded {
            Some(file) => file.write(after).map_err(|why| refused(&target.path, &why))?,
            None => write(&target.path, after).with_context(|| shown(&target.path))?,
        }
    }
    Ok(())
}

/// Resolves a file of the project: a link in a checkout may lead anywhere.
fn guarded(path: &Path) -> anyhow::Result<GuardedFile> {
    let root = home::project_root(&std::env::current_dir().context("the working directory")?);
    GuardedFile::inside(path, &[root]).map_err(|why| refused(path, &why))
}

/// Reads a file of the project. Returns `None` if there is none.
pub(super) fn text_in(file: &GuardedFile, path: &Path) -> anyhow::Result<Option<String>> {
    let open = file.open().map_err(|why| refused(path, &why))?;
    let text = open.map(|(file, _)| text::read_open(file)).transpose();
    Ok(text.map_err(|why| ui::UsageError(format!("{}: {why}", shown(path))))?)
}

pub(super) fn refused(path: &Path, why: &Refused) -> anyhow::Error {
    anyhow::anyhow!("{}: {why}{}", shown(path), why.hint())
}

fn said(host: &Host, changes: &[Change], args: &InitArgs) -> String {
    let mut text = format!("{}: {}\n", host.title, host.how);
    for Change { target, now, after, .. } in changes {
        let state = match (now.as_ref() == Some(after), args.dry_run) {
            (true, _) => "as it is to be",
            (false, true) => "would be changed",
            (false, false) => "changed",
        };
        text.push_str(&format!("  {} ({state})\n", shown(&target.path)));
        for piece in &target.pieces {
            text.push_str(&format!("    {}\n", piece.said()));
        }
    }
    if args.mcp && !changes.iter().any(|change| change.target.pieces.contains(&SetupPiece::Servers))
    {
        text.push_str("  there is no file with MCP servers\n");
    }
    if let Some(then) = host.then {
        for line in plan::filled(then, |word| word).lines() {
            text.push_str(&format!("  {line}\n"));
        }
    }
    text
}

fn as_json(host: &Host, changes: &[Change], dry_run: bool) -> Value {
    let files = changes.iter().map(|Change { target, now, after, .. }| {
        let pieces: Vec<String> = target.pieces.iter().map(SetupPiece::said).collect();
        json!({"path": target.path, "changes": now.as_ref() != Some(after), "pieces": pieces})
    });
    let files: Vec<Value> = files.collect();
    let then = host.then.map(|then| plan::filled(then, |word| word));
    json!({"host": host.name, "how": host.how, "dry_run": dry_run, "files": files, "then": then})
}

/// Lists the hosts that are here.
fn list(is_json: bool) -> anyhow::Result<()> {
    let mut rows = Vec::new();
    for host in HOSTS {
        let place = found::found(host);
        rows.push((host, place, Receipt::exists(host)));
    }
    if is_json {
        let all = rows.iter().map(|(host, place, is_set_up)| {
            json!({"host": host.name, "title": host.title, "found": place, "set_up": is_set_up, "how": host.how})
        });
        return ui::answer(&ui::json_line(all.collect()));
    }
    let mut table = ui::Table::new(&["HOST", "SET UP", "HOW", "FOUND"]);
    for (host, place, is_set_up) in
        rows.iter().filter(|(_, place, set_up)| place.is_some() || *set_up)
    {
        let place = place.as_deref().map_or_else(|| "not here".into(), shown);
        let set_up = if *is_set_up { "yes" } else { "no" };
        table.row(vec![host.name.into(), set_up.into(), host.how.into(), place]);
    }
    let here = table.text(ui::width());
    let others: Vec<&str> = rows
        .iter()
        .filter(|(_, place, set_up)| place.is_none() && !set_up)
        .map(|(host, ..)| host.name)
        .collect();
    let others = match others.is_empty() {
        true => String::new(),
        false => format!("not found here: {}\n", others.join(", ")),
    };
    ui::answer(&format!("{here}{others}\nhint: `overspill init HOST` sets one up\n"))
}

/// Writes a plugin that a host loads from a directory.
fn bundle(host: &Host, directory: &std::path::Path, dry_run: bool) -> anyhow::Result<()> {
    if host.bundle.is_empty() {
        anyhow::bail!("{} takes no plugin of this kind", host.title);
    }
    if !dry_run {
        let links = plan::links();
        fs::create_dir_all(&links).with_context(|| shown(&links))?;
        let program = std::env::current_exe().context("where this program is")?;
        system::link(&program, &links.join("overspill")).with_context(|| shown(&links))?;
    }
    for (name, text) in host.bundle {
        let path = directory.join(name);
        if !dry_run {
            let file = guarded::absolute(&path).and_then(|path| {
                GuardedFile::named_unlinked(&path)?.write(&plan::filled(text, plan::escaped))
            });
            file.map_err(|why| refused(&path, &why))?;
        }
        ui::answer(&format!("{}\n", path.display()))?;
    }
    Ok(())
}
