//! `overspill init`: changes the settings of hosts, so that they run commands through overspill.

use std::fs;
use std::path::Path;

use anyhow::Context;
use serde_json::{Value, json};

use super::list::list;
use super::owned::{self, Owned};
use super::plan::{self, LayeredPiece, SetupLayer, SetupPlan, SetupScope, Target};
use super::receipt::{Receipt, Wrote};
use super::{found, named, piece::SetupPiece, slot, system, text_of};
use crate::command::init::InitArgs;
use crate::env::Env;
use crate::hosts::{Host, SlotKind};
use crate::installed;
use crate::settings::checked_file::{self, CheckedFile, Refused};
use crate::settings::text;
use crate::settings::write::write;
use crate::ui;

/// A change of one file.
struct Change {
    target: Target,
    /// The file again, if it belongs to a project, where links may lead anywhere.
    checked: Option<CheckedFile>,
    now: Option<String>,
    before: Option<String>,
    after: Option<String>,
    /// Our pieces in the file.
    pieces: Vec<LayeredPiece>,
    /// The user's own shell or prefix, which overspill calls.
    own: Option<slot::Chained>,
}

impl Change {
    /// Returns a line for each requested piece, without pieces for which the file has no place.
    fn said(&self) -> Vec<String> {
        let (after, path) = (self.after.as_deref().unwrap_or_default(), &self.target.path);
        let is_said =
            |one: &&LayeredPiece| !one.piece.has_need() || one.piece.is_in(after, path, None);
        self.target.pieces.iter().filter(is_said).map(|one| one.piece.said()).collect()
    }
}

/// Sets up the hosts that are named, or lists the hosts on this machine.
pub(crate) fn init(args: &InitArgs, env: &Env) -> anyhow::Result<()> {
    let hosts = named(&args.hosts, "init")?;
    if hosts.is_empty() {
        return list(args.json, env);
    }
    if env.config_directory().as_os_str().is_empty() {
        anyhow::bail!(
            "there is no home directory\n\nhint: set HOME; `overspill doctor` checks the installation"
        );
    }
    refuse_cached_program(env)?;
    if let Some(directory) = &args.plugin {
        return hosts.into_iter().try_for_each(|host| bundle(host, directory, args.dry_run, env));
    }
    if let Some(host) = hosts.iter().find(|host| !args.force && found(host, env).is_none()) {
        let program = host.programs.join(" or ");
        anyhow::bail!(
            "{} is not installed here: no {program} in the PATH, and no {}\n\nhint: `overspill init {} \
             --force` writes its settings anyway",
            host.title,
            host.home.replace("$config", "~/.config"),
            host.name
        );
    }
    // After an `init` with options, `init` without options updates the links to the program.
    let needs_options = |host: &Host| host.steps.is_empty() && !Receipt::exists(host, env);
    if !args.mcp
        && !args.rules
        && let Some(host) = hosts.iter().find(|host| needs_options(host))
    {
        anyhow::bail!(
            "overspill cannot shorten the commands of {}; nothing was changed\n\nhint: `overspill init {} --mcp \
             --rules` shortens results of MCP servers, and adds a paragraph to the rules file",
            host.title,
            host.name
        );
    }
    // All changes are computed and checked before the first file is written.
    let planned =
        hosts.into_iter().map(|host| planned(host, args, env)).collect::<Result<Vec<_>, _>>()?;
    let mut all = Vec::new();
    for (host, plan, changes) in planned {
        if !args.dry_run {
            carry_out(host, &plan, &changes, env)?;
        }
        if args.json {
            all.push(as_json(host, &changes, args.dry_run, env));
        } else {
            ui::answer(&said(host, &changes, args, env))?;
        }
    }
    if args.json { ui::answer(&ui::json_line(Value::Array(all))) } else { Ok(()) }
}

type Planned = (&'static Host, SetupPlan, Vec<Change>);

fn planned(host: &'static Host, args: &InitArgs, env: &Env) -> anyhow::Result<Planned> {
    let scope = if args.project { SetupScope::Project } else { SetupScope::User };
    let layers = layers(args);
    let mut plan = SetupPlan::of(host, scope, &layers, env);
    if scope == SetupScope::Project && plan.targets.is_empty() && !host.steps.is_empty() {
        anyhow::bail!(
            "{} has no project settings that overspill can use\n\nhint: leave out --project: `overspill init {}`",
            host.title,
            host.name
        );
    }
    let receipt = Receipt::read(host, env)?;
    let everything = SetupPlan::all(host, scope, env);
    let mut changes = Vec::new();
    for mut target in std::mem::take(&mut plan.targets) {
        let shown = env.shown(&target.path);
        let checked = match scope {
            SetupScope::Project => Some(checked_file_at(&target.path, env)?),
            SetupScope::User => None,
        };
        let now = match &checked {
            Some(file) => text_in(file, &target.path, env)?,
            None => text_of(&target.path, env)?,
        };
        let wrote = receipt.of(&target.path);
        let wrong = |why: String| ui::UsageError(format!("{shown}: {why}; the file is unchanged"));
        let possible = everything.targets.iter().find(|other| other.path == target.path);
        let mut possible = possible.map_or(&target.pieces, |other| &other.pieces).clone();
        let mut there = possible.clone();
        slot::recognise(host, &mut there, now.as_deref(), env);
        let owned = Owned::of(now.as_deref(), &target.path, wrote, &there, env);
        let owned = owned.map_err(wrong)?;
        let (file, before) = ((&*target.path, scope), owned.before.as_deref());
        let own = slot::chain(host, &mut possible, file, before, env);
        slot::chain(host, &mut target.pieces, file, before, env);
        let is_whole = |one: &LayeredPiece| matches!(one.piece, SetupPiece::Whole(_));
        let is_free = now.is_none() || args.force || owned.pieces.iter().any(is_whole);
        if !is_free
            && let [LayeredPiece { piece: SetupPiece::Whole(text), .. }] = &target.pieces[..]
            && now.as_ref() != Some(text)
        {
            let what = match owned.changed.iter().any(is_whole) {
                true => "it was changed since `init` wrote it",
                false => "there is another file of this name",
            };
            anyhow::bail!("{shown}: {what}\n\nhint: --force replaces it");
        }
        let (after, pieces) =
            with_ours(now.as_deref(), &target, &possible, &owned, &layers).map_err(wrong)?;
        // Rules that this file does not need are not written, so they are not listed.
        target.pieces.retain(|one| one.layer != SetupLayer::Reading || pieces.contains(one));
        changes.push(Change { target, checked, now, before: owned.before, after, pieces, own });
    }
    let old = changes.iter().find_map(|change| {
        let before = change.before.as_deref()?;
        change.target.pieces.iter().find_map(|one| one.piece.old(before))
    });
    for (_, text) in &mut plan.scripts {
        // If the settings have no place for the variable, the alias of the host passes on the
        // user's value.
        let own = old.as_deref().map_or_else(|| "\"$OVERSPILL_BASH_ENV\"".into(), ui::shell_word);
        *text = text.replace("@BEFORE@", &own);
    }
    Ok((host, plan, changes))
}

/// Returns the text of a file with all requested pieces, and our pieces in it.
///
/// Existing pieces keep their place. Pieces of a layer that an earlier `init` added stay, and are
/// updated.
fn with_ours(
    now: Option<&str>,
    target: &Target,
    possible: &[LayeredPiece],
    owned: &Owned,
    layers: &[SetupLayer],
) -> Result<(Option<String>, Vec<LayeredPiece>), String> {
    let wanted = possible.iter().filter(|one| {
        layers.contains(&one.layer) || owned.pieces.iter().any(|own| own.layer == one.layer)
    });
    let wanted: Vec<&LayeredPiece> = wanted.collect();
    let is_wanted = |own: &&LayeredPiece| wanted.contains(own);
    let (mut ours, outdated): (Vec<&LayeredPiece>, Vec<_>) =
        owned.pieces.iter().partition(is_wanted);
    let old = owned.before.as_deref();
    let mut text = match now {
        Some(now) => owned::without(now, &target.path, outdated.into_iter().rev(), old)?,
        None => None,
    };
    for one in wanted {
        // Servers that were added later are wrapped only on request.
        let is_kept =
            matches!(one.piece, SetupPiece::Servers { .. }) && !layers.contains(&one.layer);
        let there = text.as_deref().unwrap_or_default();
        if is_kept || one.piece.is_satisfied(there, &target.path) {
            // A text that cannot be parsed has no piece.
            continue;
        }
        text = Some(one.piece.put(there, &target.path)?);
        if !ours.contains(&one) {
            ours.push(one);
        }
    }
    Ok((text, ours.into_iter().cloned().collect()))
}

/// Fails if this program runs from a cache: after the cache is emptied, every command of the agents
/// would fail.
fn refuse_cached_program(env: &Env) -> anyhow::Result<()> {
    let cache = env.executable().ok().and_then(|program| installed::cache(&program));
    let Some(cache) = cache else { return Ok(()) };
    anyhow::bail!(
        "{} runs overspill from a cache, and agents need a program that stays\n\nhint: `{}`, then run \
         `overspill init` again",
        cache.runner,
        cache.install
    )
}

/// Returns the layers that the options ask for.
fn layers(args: &InitArgs) -> Vec<SetupLayer> {
    let asked = [
        (SetupLayer::Base, true),
        (SetupLayer::Hooks, args.hooks),
        (SetupLayer::Servers, args.mcp),
        (SetupLayer::Rules, args.rules),
        (SetupLayer::Reading, args.allow_read),
    ];
    asked.into_iter().filter(|(_, is_asked)| *is_asked).map(|(layer, _)| layer).collect()
}

/// Writes the receipt, then the files. With the receipt first, `uninstall` can undo an interrupted
/// `init`.
fn carry_out(host: &Host, plan: &SetupPlan, changes: &[Change], env: &Env) -> anyhow::Result<()> {
    let links = env.links();
    let mut receipt = Receipt::read(host, env)?;
    receipt.note_missing_above(&links);
    for change in changes.iter().filter(|change| change.after.is_some()) {
        receipt.note_missing_above(&change.target.path);
    }
    fs::create_dir_all(&links).with_context(|| env.shown(&links))?;
    let program = env.executable().context("where this program is")?;
    for name in &plan.links {
        let link = links.join(name);
        system::link(&program, &link).with_context(|| env.shown(&link))?;
    }
    for (name, text) in &plan.scripts {
        let path = links.join(name);
        write(&path, text).with_context(|| env.shown(&path))?;
    }
    for own in changes.iter().filter_map(|change| Some(&change.own.as_ref()?.own)) {
        let (path, text) = own.file(env);
        let directory = path.parent().unwrap_or(&links);
        fs::create_dir_all(directory).with_context(|| env.shown(directory))?;
        system::make_private(&path).with_context(|| env.shown(&path))?;
        write(&path, &text).with_context(|| env.shown(&path))?;
        let link = own.link(env);
        system::link(&program, &link).with_context(|| env.shown(&link))?;
    }
    for change in changes {
        let Change { target, before, after, pieces, .. } = change;
        let path = target.path.clone();
        let (before, after) = (before.clone(), after.clone().unwrap_or_default());
        receipt.note(Wrote { path, before, after, pieces: Some(pieces.clone()) });
    }
    receipt.write(host, env)?;
    for Change { target, checked, now, after, .. } in changes {
        let Some(after) = after.as_ref().filter(|after| now.as_ref() != Some(after)) else {
            continue;
        };
        match checked {
            Some(file) => file.write(after).map_err(|why| refused(&target.path, &why, env))?,
            None => write(&target.path, after).with_context(|| env.shown(&target.path))?,
        }
    }
    Ok(())
}

/// Resolves and checks a file of the project: a link in a checkout may lead anywhere.
fn checked_file_at(path: &Path, env: &Env) -> anyhow::Result<CheckedFile> {
    env.directory().context("the working directory")?;
    CheckedFile::inside(path, &[env.project_root()]).map_err(|why| refused(path, &why, env))
}

/// Reads a file of the project. Returns `None` if the file does not exist.
pub(super) fn text_in(
    file: &CheckedFile,
    path: &Path,
    env: &Env,
) -> anyhow::Result<Option<String>> {
    let open = file.open().map_err(|why| refused(path, &why, env))?;
    let text = open.map(|(file, _)| text::read_open(file)).transpose();
    Ok(text.map_err(|why| ui::UsageError(format!("{}: {why}", env.shown(path))))?)
}

pub(super) fn refused(path: &Path, why: &Refused, env: &Env) -> anyhow::Error {
    anyhow::anyhow!("{}: {why}{}", env.shown(path), why.hint())
}

fn said(host: &Host, changes: &[Change], args: &InitArgs, env: &Env) -> String {
    let mut text = format!("{}: {}\n", host.title, host.how);
    for change in changes {
        let Change { target, now, after, own, .. } = change;
        let state = match (now == after, args.dry_run) {
            (true, _) => "already set up",
            (false, true) => "would be changed",
            (false, false) => "changed",
        };
        text.push_str(&format!("  {} ({state})\n", env.shown(&target.path)));
        for piece in change.said() {
            text.push_str(&format!("    {piece}\n"));
        }
        if let Some(slot::Chained { own, place }) = own {
            let kind = match own.kind {
                SlotKind::Shell => "shell",
                SlotKind::Prefix => "prefix",
            };
            let value = ui::escaped(&own.value, 160);
            let place = place.as_ref().map(|place| format!(" (set in {place})"));
            let place = place.unwrap_or_default();
            let line = format!("your own {kind} still runs every command: {value}{place}");
            text.push_str(&format!("    {line}\n"));
        }
    }
    let is_server = |one: &LayeredPiece| one.layer == SetupLayer::Servers;
    if args.mcp && !changes.iter().any(|change| change.target.pieces.iter().any(is_server)) {
        text.push_str("  no file with MCP servers was found\n");
    }
    if args.allow_read {
        let is_rule = |one: &&LayeredPiece| one.layer == SetupLayer::Reading;
        let rules = changes.iter().flat_map(|change| change.pieces.iter().filter(is_rule));
        text.push_str(&match (host.reading.is_empty(), rules.count()) {
            (true, _) => format!("  --allow-read adds no rule: {}\n", host.no_reading),
            (false, 0) => {
                "  --allow-read adds no rule: with your settings the agent never asks before a command\n".into()
            }
            (false, _) => {
                "  --allow-read: the agent runs `overspill read`, `grep` and `list` without asking you\n"
                    .into()
            }
        });
    }
    let is_written = !args.dry_run && changes.iter().any(|change| change.now != change.after);
    if is_written {
        text.push_str(&format!("  restart {} to use it\n", host.title));
    }
    if let Some(then) = host.then {
        for line in plan::filled(then, |word| word, env).lines() {
            text.push_str(&format!("  {line}\n"));
        }
    }
    ui::wrapped(&text, 6)
}

fn as_json(host: &Host, changes: &[Change], dry_run: bool, env: &Env) -> Value {
    let files = changes.iter().map(|change| {
        let Change { target, now, after, own, .. } = change;
        let pieces = change.said();
        let own = own.as_ref().map(|chained| &chained.own.value);
        json!({"path": target.path, "changes": now != after, "pieces": pieces, "own": own})
    });
    let files: Vec<Value> = files.collect();
    let then = host.then.map(|then| plan::filled(then, |word| word, env));
    json!({"host": host.name, "how": host.how, "dry_run": dry_run, "files": files, "then": then})
}

/// Writes a plugin that a host loads from a directory.
fn bundle(host: &Host, directory: &Path, dry_run: bool, env: &Env) -> anyhow::Result<()> {
    if host.bundle.is_empty() {
        anyhow::bail!(
            "{} has no plugin that `--plugin` can write\n\nhint: `overspill init {}` sets it up",
            host.title,
            host.name
        );
    }
    if !dry_run {
        let links = env.links();
        fs::create_dir_all(&links).with_context(|| env.shown(&links))?;
        let program = env.executable().context("where this program is")?;
        system::link(&program, &links.join("overspill")).with_context(|| env.shown(&links))?;
    }
    for (name, text) in host.bundle {
        let path = directory.join(name);
        if !dry_run {
            let file = checked_file::absolute(&path, env).and_then(|path| {
                CheckedFile::named_unlinked(&path, env)?.write(&plan::filled(
                    text,
                    plan::escaped,
                    env,
                ))
            });
            file.map_err(|why| refused(&path, &why, env))?;
        }
        ui::answer(&format!("{}\n", path.display()))?;
    }
    Ok(())
}
