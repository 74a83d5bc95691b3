//! `overspill config set` and `unset`: change one value in a settings file, and keep its other
//! text.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use overspill::internal::seeds::takumi_set;
use overspill::internal::settings::{CallKind, ProjectRule};

use super::ConfigArgs;
use crate::env::Env;
use crate::settings::checked_file::{CheckedFile, Refused};
use crate::settings::edit::{self, KeyPath};
use crate::settings::value::{SettingValue, ValueKind};
use crate::settings::write::write;
use crate::settings::{
    FileOwner, NOT_FOR_PROJECTS, SettingRow, SettingSources, SettingsFile, text,
};
use crate::ui::{self, UsageError};

pub(super) fn set(args: &ConfigArgs, typed: &str, value: &str, env: &Env) -> anyhow::Result<()> {
    let path = args.file(env)?;
    if args.is_takumi() {
        if args.project && value == "false" {
            bail!(UsageError(format!("{typed}: {NOT_FOR_PROJECTS}")));
        }
        return set_takumi(&Destination::of(args, path, env)?, typed, value);
    }
    let address = args.address(typed)?;
    let kind = address.key.kind();
    if args.project && address.key.row().project == ProjectRule::Ignored {
        bail!(UsageError(format!("{address}: {NOT_FOR_PROJECTS}")));
    }
    let Some(meant) = kind.parse(value) else {
        let (allowed, example) = (kind.allowed(), kind.example());
        bail!(UsageError(format!(
            "{address}: {value:?} is not {allowed}\n\nhint: try `overspill config set {address} {example}`"
        )));
    };
    let destination = Destination::of(args, path.clone(), env)?;
    let before = destination.text()?;
    let after = edit::set(&before, &address, &toml(kind, value))
        .map_err(|reason| unreadable(&path, &reason))?;
    let file = checked(&after, &path, owner(args), &address, Some(&meant))?;
    if args.project {
        tightens(file, &path, &address, env)?;
    }
    destination.put(&after)?;
    if !args.json {
        ui::say(&format!("{address} = {value} in {}", ui::path(&path)));
    }
    // Another file or a variable may set the value, too.
    let row = row_in_use(args, &address, env);
    if let Some(row) = row.iter().find(|row| row.value != meant) {
        let (written, place) = (ui::escaped(&row.written, 60), ui::escaped(&row.place_text(), 200));
        ui::warn_line(&format!("{written} still applies: {} in {place}", row.origin));
    }
    print_json(args, row)
}

/// Returns the row of the value in use, after a change.
fn row_in_use(args: &ConfigArgs, address: &KeyPath, env: &Env) -> Option<SettingRow> {
    let rows = args.resolved(env).rows(address.tool.as_deref());
    rows.into_iter().find(|row| row.address == *address)
}

/// Prints the value in use as JSON, if `--json` is given.
fn print_json(args: &ConfigArgs, row: Option<SettingRow>) -> anyhow::Result<()> {
    match row.filter(|_| args.json) {
        Some(row) => ui::answer(&ui::json_line(row.json())),
        None => Ok(()),
    }
}

pub(super) fn unset(args: &ConfigArgs, typed: &str, env: &Env) -> anyhow::Result<()> {
    let path = args.file(env)?;
    if args.is_takumi() {
        bail!(UsageError(
            "the files of takumi cannot unset a value; they have only true and false".into()
        ));
    }
    let address = args.address(typed)?;
    let destination = Destination::of(args, path.clone(), env)?;
    let before = destination.text()?;
    let after = edit::unset(&before, &address)
        .map_err(|reason| unreadable(&path, &reason))?
        .with_context(|| format!("{} does not set {address}\n\nhint: `overspill config get {address}` shows its value", ui::path(&path)))?;
    checked(&after, &path, owner(args), &address, None)?;
    destination.put(&after)?;
    print_json(args, row_in_use(args, &address, env))
}

/// The file to change. overspill does not follow a project's file that is a link.
pub(super) struct Destination {
    path: PathBuf,
    project_file: Option<CheckedFile>,
}

impl Destination {
    pub(super) fn of(args: &ConfigArgs, path: PathBuf, env: &Env) -> anyhow::Result<Destination> {
        if !args.project {
            return Ok(Destination { path, project_file: None });
        }
        env.directory().context("the working directory")?;
        let project_file = CheckedFile::unlinked(&path, &[env.project_root()]);
        let project_file = Some(project_file.map_err(|why| refused(&path, &why))?);
        Ok(Destination { path, project_file })
    }

    /// Returns the text of the file, which is empty if there is no file.
    pub(super) fn text(&self) -> anyhow::Result<String> {
        let path = &self.path;
        let Some(project_file) = &self.project_file else { return text_of(path) };
        match project_file.open().map_err(|why| refused(path, &why))? {
            Some((file, _)) => {
                text::read_open(file).map_err(|reason| anyhow!("{}: {reason}", ui::path(path)))
            }
            None => Ok(String::new()),
        }
    }

    pub(super) fn put(&self, text: &str) -> anyhow::Result<()> {
        let path = &self.path;
        match &self.project_file {
            Some(project_file) => project_file.write(text).map_err(|why| refused(path, &why)),
            None => write(path, text)
                .map_err(|error| anyhow!("{}: {}", ui::path(path), ui::reason(&error))),
        }
    }
}

fn refused(path: &Path, why: &Refused) -> anyhow::Error {
    anyhow!("{}: {why}{}", ui::path(path), why.hint())
}

/// Returns the error for a file that cannot be changed as it is.
fn unreadable(path: &Path, reason: &str) -> anyhow::Error {
    anyhow!("{}: {reason}\n\nhint: `overspill config edit` opens the file", ui::path(path))
}

pub(super) fn owner(args: &ConfigArgs) -> FileOwner {
    if args.project { FileOwner::Project } else { FileOwner::User }
}

/// Returns the value as a file has it: numbers and switches bare, all others in quotes.
fn toml(kind: ValueKind, value: &str) -> toml_edit::Value {
    match (kind, value.parse::<i64>(), value.parse::<bool>()) {
        (ValueKind::Call(CallKind::Count | CallKind::Bytes), Ok(number), _) => number.into(),
        (ValueKind::Call(CallKind::Switch), _, Ok(on)) => on.into(),
        _ => value.into(),
    }
}

/// Returns the text of a file, which is empty if the file does not exist.
fn text_of(path: &Path) -> anyhow::Result<String> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(String::new()),
        // A link may lead to a file that does not exist yet.
        Ok(metadata) if metadata.is_symlink() && !path.exists() => return Ok(String::new()),
        _ => {}
    }
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        // Reading a pipe may take for ever, and a new file in its place would destroy it.
        return Err(anyhow!(
            "{}: not a regular file, so nothing can be set there\n\nhint: name another file in OVERSPILL_CONFIG; `overspill config path` shows the paths",
            ui::path(path)
        ));
    }
    text::read(path).map_err(|reason| anyhow!("{}: {reason}", ui::path(path)))
}

/// Checks that the changed text has the value that was set, before the text replaces the old one.
fn checked(
    after: &str,
    path: &Path,
    owner: FileOwner,
    address: &KeyPath,
    meant: Option<&SettingValue>,
) -> anyhow::Result<SettingsFile> {
    let file = SettingsFile::parse(after, path, owner).file;
    if file.get(address).map(|found| &found.value) != meant {
        bail!(
            "{}: overspill cannot change {address} in this file\n\nhint: `overspill config edit` opens the file",
            ui::path(path)
        );
    }
    Ok(file)
}

/// Refuses a value that a project may not set: overspill would ignore it.
fn tightens(file: SettingsFile, path: &Path, address: &KeyPath, env: &Env) -> anyhow::Result<()> {
    let project_file = Some(path.to_owned());
    let sources = SettingSources { project: file, project_file, ..SettingSources::of_user(env) };
    let resolved = sources.resolved(None);
    if resolved.sources.project.get(address).is_some() {
        return Ok(());
    }
    let key = address.to_string();
    let why = resolved.sources.warnings.into_iter().find(|warning| warning.key == key);
    let why = why.map_or_else(String::new, |warning| warning.message);
    bail!(UsageError(format!("{address}: {why}")))
}

/// Sets the only setting that takumi's files have.
fn set_takumi(destination: &Destination, key: &str, value: &str) -> anyhow::Result<()> {
    let path = &destination.path;
    let before = destination.text()?;
    let json = match before.trim() {
        "" => serde_json::Value::Null,
        text => {
            serde_json::from_str(text).map_err(|error| anyhow!("{}: {error}", ui::path(path)))?
        }
    };
    let after = takumi_set(&json, key, value).map_err(|refused| UsageError(refused.to_string()))?;
    destination.put(&format!("{after:#}\n"))?;
    ui::say(&format!("{key} = {value} in {}", ui::path(path)));
    Ok(())
}
