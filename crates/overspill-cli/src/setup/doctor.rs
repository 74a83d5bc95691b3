//! The checks of `overspill doctor`: the program, the settings, the store, the bucket and the
//! hosts.

use std::path::Path;
use std::process::{Command, Stdio};

use super::findings::{Findings, How};
use super::plan::{self, LayeredPiece, SetupLayer, SetupPlan, SetupScope};
use super::receipt::Receipt;
use super::trial::Trial;
use super::{found, on_path, overridden, slot, text_of, wrappers};
use crate::bucket::{self, Finding};
use crate::command::doctor::DoctorArgs;
use crate::command::push;
use crate::env::{Env, is_script_for};
use crate::hosts::{HOSTS, Host};
use crate::installed;
use crate::settings::SettingSources;
use crate::settings::keys::Key;
use crate::settings::variables::ACTIVE;
use crate::ui;
use overspill::{Call, Outcome, Profile};

/// The fix for a store that does not work.
const STORE_FIX: &str =
    "repair that directory, or choose another: `overspill config set store.dir ~/DIRECTORY`";

/// Runs all checks, prints the findings, and tells whether everything works.
pub(crate) fn doctor(args: &DoctorArgs, env: &Env) -> anyhow::Result<bool> {
    let mut findings = Findings::default();
    look_at_program(&mut findings, env);
    look_at_settings(&mut findings, env);
    look_at_store(&mut findings, env);
    look_at_pipelines(&mut findings, env);
    let hosts: Vec<&Host> = HOSTS.iter().filter(|host| Receipt::exists(host, env)).collect();
    for host in &hosts {
        look_at_host(&mut findings, host, env);
    }
    for wrapper in wrappers::found(env) {
        let how = if wrapper.keeps_raw { How::Well } else { How::Note };
        findings.add(wrapper.name, how, wrapper.said);
    }
    if hosts.is_empty() {
        findings.add(
            "agents",
            How::Note,
            "no agent is set up; `overspill init` lists the agents on this machine",
        );
    }
    let text = if args.json { findings.as_json() } else { findings.as_lines(env.colors()) };
    ui::answer(&text).map(|()| findings.is_well())
}

/// Checks the file of this program, other programs of the same name, and the links that hosts use.
fn look_at_program(findings: &mut Findings, env: &Env) {
    let version = env!("CARGO_PKG_VERSION");
    let Ok(own) = env.executable() else {
        return findings.add("program", How::Wrong, "its path cannot be found");
    };
    let told = installed::version(Some(&own));
    findings.add("program", How::Well, format!("{} {told}", env.shown(&own)));
    let real = |path: &Path| path.canonicalize().ok();
    let is_ours = |other: &Path| match real(other).zip(real(&own)) {
        Some((first, own)) => first == own || is_script_for(&first, &own),
        None => false,
    };
    if let Some(other) = on_path("overspill", env)
        && !is_ours(&other)
    {
        let theirs = Command::new(&other).arg("--version").output();
        let theirs = theirs.map(|told| String::from_utf8_lossy(&told.stdout).trim().to_owned());
        let theirs = theirs.unwrap_or_else(|error| ui::reason(&error));
        let is_same = theirs.split(' ').nth(1) == Some(version);
        let how = if is_same { How::Note } else { How::Wrong };
        findings.add(
            "program",
            how,
            format!("PATH has another overspill: {} ({theirs})", env.shown(&other)),
        );
        findings.fix("remove that program, or put the directory of this one first in PATH");
    }
    let links = std::fs::read_dir(env.links()).into_iter().flatten().flatten();
    for link in links.map(|entry| entry.path()).filter(|path| path.is_symlink()) {
        let target = link.canonicalize();
        if target.as_ref().ok() != own.canonicalize().ok().as_ref() {
            let said = match target {
                Ok(_) => "the link leads to another program".to_owned(),
                Err(_) => {
                    let gone = std::fs::read_link(&link).unwrap_or_default();
                    format!("the program moved: {} is gone", env.shown(&gone))
                }
            };
            findings.add(&env.shown(&link), How::Wrong, said);
            findings.fix("run `overspill init` again for your agents");
        }
    }
}

/// Runs a pipeline that hides a failure, in the same way as a host, and checks the report.
fn look_at_pipelines(findings: &mut Findings, env: &Env) {
    const WHAT: &str = "pipelines";
    let Ok(own) = env.executable() else { return };
    let trial = Command::new(own)
        .args(["sh", "-c", "false | tail -1"])
        .env_remove(ACTIVE)
        .stdin(Stdio::null())
        .output();
    let is_off = SettingSources::read(env).choice(Key::Pipelines) == Some("off");
    let (how, said) = match trial {
        Ok(trial) if String::from_utf8_lossy(&trial.stdout).contains("exited with code 1") => {
            (How::Well, "bash reports failures that a pipe hides".to_owned())
        }
        _ if is_off => {
            (How::Note, "failures that a pipe hides are not reported: `pipelines = off`".into())
        }
        Ok(_) => (
            How::Note,
            "failures that a pipe hides are not reported: this needs bash and /proc".into(),
        ),
        Err(error) => (How::Note, ui::reason(&error)),
    };
    findings.add(WHAT, how, said);
}

/// Checks the settings files, and lists the settings of the project.
fn look_at_settings(findings: &mut Findings, env: &Env) {
    let resolved = SettingSources::read(env).with_unknown_variables().resolved(None);
    for warning in resolved.sources.warnings.iter().take(100) {
        findings.add("settings", How::Wrong, ui::warning(warning));
        findings.fix("correct or remove it; `overspill config` lists the settings");
    }
    for note in &resolved.sources.notes {
        findings.add("settings", How::Note, ui::warning(note));
    }
    let user = resolved.sources.user_file.as_deref();
    let user =
        user.filter(|file| file.exists()).map_or_else(|| "defaults".into(), |file| env.shown(file));
    findings.add("settings", How::Well, user);
    for row in resolved.rows(None).iter().filter(|row| row.origin == "project") {
        let said = format!("{} = {} by {}", row.address, row.written, row.place_text());
        findings.add("project", How::Note, ui::escaped(&said, 200));
    }
}

/// Checks the bucket, if one is set. Then saves and removes a trial output, and reports the used
/// space.
fn look_at_store(findings: &mut Findings, env: &Env) {
    let resolved = SettingSources::of_user(env).resolved(Some(Profile::OWN));
    let retention = resolved.sources.retention(&Profile::OWN);
    let in_bucket = bucket::holds(&resolved.sources, &Profile::OWN);
    if in_bucket {
        look_at_bucket(findings, env);
    }
    let store = match resolved.sources.store(&Profile::OWN) {
        Ok(store) => store,
        Err(why) => {
            findings.add("store", How::Wrong, why);
            return findings.fix(STORE_FIX);
        }
    };
    let directory = resolved.sources.directory(&Profile::OWN);
    let directory = directory.map_or_else(|why| why, |path| env.shown(&path));
    if let Some(fallback) = resolved.sources.fallback(&Profile::OWN) {
        let said = format!(
            "{}; outputs are saved in {}, which the system may empty\nhint: set HOME or OVERSPILL_DIR to a \
             directory that you can write to",
            fallback.reason,
            ui::path(&fallback.directory)
        );
        findings.add("store", How::Note, said);
    }
    let trial = "a line of a trial\n".repeat(5_000);
    let outcome = resolved.overspill();
    let outcome = outcome.process(trial.as_bytes(), &Call::new("doctor"));
    let saved = match &outcome {
        Outcome::Spilled(spilled) => spilled.saved.as_ref().map_err(ToString::to_string),
        Outcome::Whole(_) | Outcome::Masked(_) => {
            Err("outputs are not shortened: enabled = false".into())
        }
    };
    let removed =
        saved.and_then(|saved| store.delete(&saved.id).map_err(|error| error.to_string()));
    findings.judge(
        "store",
        removed.map(|_| format!("{directory}: a trial output was saved and removed")),
    );
    findings.fix(STORE_FIX);
    // Counting the outputs of a bucket takes too long, and a bucket has no quota.
    if !in_bucket && let Ok(entries) = store.list() {
        let used: u64 = entries.iter().map(|entry| entry.bytes).sum();
        let quota = retention.quota.map_or_else(|| "no quota".into(), ui::size);
        let is_full = retention.quota.is_some_and(|quota| used > quota);
        let count = ui::count(entries.len() as u64, "output");
        let said = format!("{count}, {} of {quota}", ui::size(used));
        findings.add("store", if is_full { How::Note } else { How::Well }, said);
    }
}

fn look_at_bucket(findings: &mut Findings, env: &Env) {
    let bucket = match bucket::set(env) {
        Ok(bucket) => bucket,
        Err(why) => return findings.add("bucket", How::Wrong, why.to_string()),
    };
    for check in bucket.check_rights() {
        let (how, said) = match check.finding {
            Finding::Works => (How::Well, "works".to_owned()),
            Finding::Fails(reason) => {
                (How::Wrong, format!("{reason}; needed for {}", check.needed_for))
            }
            Finding::NotTried => (How::Note, "not tried".to_owned()),
        };
        findings.add("bucket", how, format!("{}: {said}", check.what));
    }
    for one in bucket::stranded(env) {
        findings.add("bucket", How::Note, push::said(&one));
    }
}

fn look_at_host(findings: &mut Findings, host: &'static Host, env: &Env) {
    let again = format!("run `overspill init {}`", host.name);
    let place = found(host, env);
    match &place {
        Some(place) => findings.add(host.name, How::Well, format!("found: {}", env.shown(place))),
        None => findings.add(host.name, How::Note, "set up, but not found on this machine"),
    }
    let receipt = match Receipt::read(host, env) {
        Ok(receipt) => receipt,
        Err(error) => {
            findings.add(host.name, How::Wrong, error.to_string());
            return findings.fix(&again);
        }
    };
    let scopes = [SetupScope::User, SetupScope::Project];
    let targets = scopes.into_iter().flat_map(|scope| {
        let plan = SetupPlan::of(host, scope, &[SetupLayer::Base], env);
        plan.targets.into_iter().map(move |target| (scope, target))
    });
    for (scope, mut target) in targets {
        if receipt.of(&target.path).is_none() {
            continue;
        }
        let text = text_of(&target.path, env).ok().flatten().unwrap_or_default();
        slot::recognise(host, &mut target.pieces, Some(&text), env);
        if let Some(found) = slot::hidden(host, &mut target.pieces, (&target.path, scope), env) {
            let place = found.place.unwrap_or_default();
            let value = ui::escaped(&found.own.value, 160);
            let said = format!(
                "{place} names {value}, which does not run, because {} hides it",
                env.shown(&target.path)
            );
            findings.add(host.name, How::Wrong, said);
            let project = if scope == SetupScope::Project { " --project" } else { "" };
            findings.fix(&format!(
                "run `overspill init {}{project}` here; overspill then calls your program",
                host.name
            ));
        }
        for LayeredPiece { piece, .. } in &target.pieces {
            let said = format!("{}: {}", env.shown(&target.path), piece.said());
            let is_in = piece.is_satisfied(&text, &target.path);
            findings
                .judge(host.name, if is_in { Ok(said) } else { Err(format!("{said} is missing")) });
            findings.fix(&again);
        }
    }
    for (name, file) in overridden::by_environment(host, &receipt, env) {
        let said =
            format!("{name} is set in the environment, so the host does not take it from {file}");
        findings.add(host.name, How::Wrong, said);
        let then = host.then.map(|then| plan::filled(then, |word| word, env)).unwrap_or_default();
        let start = then.lines().find(|line| line.starts_with("PATH=")).unwrap_or_default();
        let or_start =
            if start.is_empty() { String::new() } else { format!(", or start it with: {start}") };
        findings.fix(&format!("unset {name}{or_start}"));
    }
    for said in overridden::by_files(host, env) {
        findings.add(host.name, How::Wrong, said);
        findings.fix("remove it from that file");
    }
    for (what, result) in Trial::of(host, env) {
        findings.judge(host.name, result.map(|said| format!("{what}: {said}")));
        findings.fix(&again);
    }
}
