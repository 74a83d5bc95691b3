//! Reads settings from files and variables, and combines them with the profile.
//!
//! Without a settings file no parser runs, so that a command starts quickly.

pub(crate) mod checked_file;
#[cfg_attr(not(feature = "bucket"), allow(dead_code, reason = "only a bucket asks for it"))]
pub(crate) mod destination;
#[cfg_attr(all(unix, not(feature = "portable-std")), path = "directory_unix.rs")]
#[cfg_attr(not(all(unix, not(feature = "portable-std"))), path = "directory_other.rs")]
pub(crate) mod directory;
pub(crate) mod edit;
mod fallback;
mod file;
#[cfg(feature = "fuzz")]
pub(crate) mod fuzz;
pub(crate) mod keys;
mod listing;
mod redact;
mod resolved;
pub(crate) mod systems;
pub(crate) mod text;
pub(crate) mod units;
pub(crate) mod value;
pub(crate) mod variables;
pub(crate) mod write;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};

use jiff::SignedDuration;
use overspill::internal::settings::{CallValue, Warning};
use overspill::store::{Disk, Durability};
use overspill::{Limit, Profile, Retention};

use self::destination::DestinationFault;
pub(crate) use self::fallback::Fallback;
pub(crate) use self::file::{FileOwner, FileValues, FoundValue, NOT_FOR_PROJECTS, SettingsFile};
use self::keys::Key;
pub(crate) use self::listing::SettingRow;
use self::redact::{Fault, FaultKind};
pub(crate) use self::resolved::ResolvedSettings;
use self::text::ClosedDirectory;
use self::value::{SettingValue, ValueKind};
use crate::env::Env;
use crate::stores::Outputs;
use crate::{bucket, ui};

/// The name of a project's file.
pub(crate) const PROJECT_FILE: &str = ".overspill.toml";

/// Whether the warnings were printed: each process prints them once.
static SAID: Once = Once::new();

/// The settings in files and variables.
#[derive(Debug)]
pub(crate) struct SettingSources {
    /// The environment with variables and directories.
    pub(crate) env: Env,
    /// The path of the user's file, which may not exist.
    pub(crate) user_file: Option<PathBuf>,
    pub(crate) user: SettingsFile,
    /// The path of the project's file, if it exists.
    pub(crate) project_file: Option<PathBuf>,
    pub(crate) project: SettingsFile,
    pub(crate) environment: FileValues,
    /// Warnings about invalid settings.
    pub(crate) warnings: Vec<Warning>,
    /// Notes about project files that overspill ignores because of their owner, and about a home
    /// directory that overspill cannot enter. Only `config` and `doctor` print them.
    pub(crate) notes: Vec<Warning>,
    /// Mistakes about `redact`. The warnings name them as well.
    pub(crate) faults: Vec<Fault>,
    /// Warnings about unknown variables that have nothing to do with `redact`.
    pub(crate) unknown_variables: Vec<Warning>,
    /// Invalid settings of the destination of uploads. The warnings have them as well.
    pub(crate) destination: Vec<DestinationFault>,
}

impl SettingSources {
    /// Reads the user's file, the variables and the project's file.
    pub(crate) fn read(env: &Env) -> SettingSources {
        let mut sources = SettingSources::of_user(env);
        let search = text::of_project(PROJECT_FILE, env);
        sources.warnings.extend(search.warnings);
        sources.notes.extend(search.notes);
        if let Some((path, text)) = search.found {
            let parsed = SettingsFile::parse(&text, &path, FileOwner::Project);
            sources.project = parsed.file;
            sources.warnings.extend(parsed.warnings);
            sources.project_file = Some(path);
        }
        sources
    }

    /// Reads the user's file and the variables. It is for settings of the store, which a project
    /// cannot set.
    pub(crate) fn of_user(env: &Env) -> SettingSources {
        let mut sources = SettingSources {
            env: env.clone(),
            user_file: env.user_file(),
            user: SettingsFile::default(),
            project_file: None,
            project: SettingsFile::default(),
            environment: FileValues::default(),
            warnings: Vec::new(),
            notes: Vec::new(),
            faults: Vec::new(),
            unknown_variables: Vec::new(),
            destination: Vec::new(),
        };
        sources.read_user_file();
        // The environment is copied once, not once for each setting.
        let variables: Vec<(OsString, OsString)> = env.variables().collect();
        sources.read_variables(&variables);
        sources.find_unknown_variables(&variables);
        let destination = sources.destination_warnings();
        sources.warnings.splice(..0, destination);
        sources.warn_of_faults();
        sources
    }

    /// Adds the warnings about unknown variables. Only `config` and `doctor` print them.
    pub(crate) fn with_unknown_variables(mut self) -> SettingSources {
        self.warnings.append(&mut self.unknown_variables);
        self
    }

    fn read_user_file(&mut self) {
        let named = self.env.variable(variables::CONFIG);
        let fault = |key: &str, place: String, message: &str| {
            let warning = Warning { key: key.into(), place: Some(place), message: message.into() };
            Fault { kind: FaultKind::File, warning }
        };
        let Some(path) = self.user_file.clone() else {
            // A relative path needs a working directory.
            let place = named.map(|named| named.to_string_lossy().into_owned());
            let message = "the working directory cannot be found";
            self.faults.extend(place.map(|place| fault(variables::CONFIG, place, message)));
            return;
        };
        match text::of_user(&path) {
            Err(warning) => match text::closed_above(&path).filter(|_| named.is_none()) {
                // Settings in a directory of another user do not count. The home counts as missing.
                Some(ClosedDirectory { is_ours: false }) => {}
                Some(_) => self.faults.push(Fault { kind: FaultKind::Closed, warning }),
                None => self.faults.push(Fault { kind: FaultKind::File, warning }),
            },
            Ok(Some(text)) => {
                let parsed = SettingsFile::parse(&text, &path, FileOwner::User);
                self.user = parsed.file;
                self.warnings.extend(parsed.warnings);
                self.faults.extend(parsed.faults);
                self.destination.extend(parsed.destination);
            }
            // The user named this file, so a missing file is a mistake.
            Ok(None) if named.is_some() && !path.exists() => {
                let place = path.display().to_string();
                self.faults.push(fault(variables::CONFIG, place, "there is no such file"));
            }
            Ok(None) => {}
        }
    }

    fn read_variables(&mut self, variables: &[(OsString, OsString)]) {
        let is_ours = |(name, _): &&(OsString, OsString)| variables::is_ours(name);
        let ours: Vec<&(OsString, OsString)> = variables.iter().filter(is_ours).collect();
        if ours.is_empty() {
            return;
        }
        let value_of = |name: &str| ours.iter().find(|(set, _)| set == name).map(|(_, set)| set);
        for key in Key::all() {
            let found = key.variables().find_map(|name| value_of(&name).map(|set| (name, set)));
            let Some((variable, set)) = found else { continue };
            let (kind, written) = (key.kind(), set.to_string_lossy().into_owned());
            let value = match kind {
                // A path can have any bytes. It starts at the working directory.
                ValueKind::Directory => {
                    self.env.absolute(Path::new(set)).ok().map(SettingValue::Directory)
                }
                kind => kind.parse(&written),
            };
            if let Some(value) = value {
                let is_redact = key == Key::Redact;
                let written = if is_redact { value.written(kind) } else { written };
                self.environment.insert(key, FoundValue { value, written, line: None });
                continue;
            }
            let shown = ui::escaped(&format!("{written:?}"), 40);
            let message = format!("{shown} is not {}", kind.allowed());
            let warning = Warning { key: variable, place: None, message };
            match key {
                Key::Redact => self.faults.push(Fault { kind: FaultKind::Variable, warning }),
                Key::RedactPattern => self.faults.push(Fault { kind: FaultKind::Pattern, warning }),
                key if key.is_destination() => {
                    let in_variable = true;
                    self.destination.push(DestinationFault { key, written, in_variable, warning });
                }
                _ => self.warnings.push(warning),
            }
        }
    }

    /// Finds unknown variables. A misspelt variable of `redact` counts as an invalid one.
    fn find_unknown_variables(&mut self, variables: &[(OsString, OsString)]) {
        for (warning, fault) in variables::unknown(variables) {
            match fault {
                Some(kind) => self.faults.push(Fault { kind, warning }),
                None => self.unknown_variables.push(warning),
            }
        }
    }

    /// Prints the warnings once in a process.
    pub(crate) fn say_warnings(&self) {
        if !self.warnings.is_empty() {
            SAID.call_once(|| ui::warn(&self.warnings));
        }
    }

    /// Prints all warnings, and the notes about project files that do not count.
    pub(crate) fn say_everything(&self) {
        SAID.call_once(|| {
            ui::warn_of_all(&self.warnings);
            ui::note_all(&self.notes);
        });
    }

    /// Returns the user's value of a setting that is the same for all calls.
    pub(crate) fn own(&self, key: Key) -> Option<&SettingValue> {
        // An invalid variable does not fall back to a file that names another place.
        let in_file = || self.user.values.get(&key).filter(|_| !self.is_hidden(key));
        let found = self.environment.get(&key).or_else(in_file);
        found.map(|found| &found.value)
    }

    /// Returns the user's value of a setting that is a limit.
    pub(crate) fn limit(&self, key: Key) -> Option<Limit> {
        match self.own(key)? {
            SettingValue::Call(CallValue::Limit(limit)) => Some(*limit),
            _ => None,
        }
    }

    /// Returns the user's value of a setting that is a time. The inner `None` means no limit.
    pub(crate) fn duration(&self, key: Key) -> Option<Option<SignedDuration>> {
        if let SettingValue::Duration(duration) = self.own(key)? { Some(*duration) } else { None }
    }

    /// Returns the user's value of a setting that is a word of a fixed list.
    pub(crate) fn choice(&self, key: Key) -> Option<&'static str> {
        if let SettingValue::Choice(word) = self.own(key)? { Some(word) } else { None }
    }

    /// Returns the user's value of a setting that is a text.
    pub(crate) fn text(&self, key: Key) -> Option<&str> {
        if let SettingValue::Text(text) = self.own(key)? { Some(text) } else { None }
    }

    /// Returns the profile of the settings, or our own.
    pub(crate) fn profile(&self) -> Profile {
        self.choice(Key::Profile).and_then(Profile::named).unwrap_or(Profile::OWN)
    }

    /// Returns the directory of saved outputs. The error is the reason why no directory can be
    /// used.
    pub(crate) fn directory(&self, profile: &Profile) -> Result<PathBuf, String> {
        let places = self.env.places();
        let (path, is_set) = match self.own(Key::StoreDir) {
            Some(SettingValue::Directory(path)) => (expanded(path, &places.home), true),
            _ => (profile.directory.within(places), false),
        };
        if let Some(fallback) = self.fallback(profile) {
            return Ok(fallback.directory);
        }
        match (path.is_absolute(), is_set) {
            (true, _) => Ok(path),
            (false, true) => Err(format!("{}: there is no home directory", path.display())),
            (false, false) => {
                Err("there is no home directory, and OVERSPILL_DIR is not set".into())
            }
        }
    }

    /// Returns the directory that replaces the usual one, if the usual one cannot be used. Nothing
    /// replaces a directory that the user has named.
    pub(crate) fn fallback(&self, profile: &Profile) -> Option<Fallback> {
        // The profiles of other systems promise a fixed directory.
        if self.own(Key::StoreDir).is_some() || profile.directory != Profile::OWN.directory {
            return None;
        }
        let own = profile.directory.within(self.env.places());
        Fallback::of(&own, &self.env)
    }

    /// Returns the directory store of a profile. The error is the reason why it has none. Settings
    /// apply to every profile.
    pub(crate) fn disk(&self, profile: &Profile) -> Result<Disk, String> {
        let directory = self.directory(profile)?;
        let mut options =
            profile.disk_options(Some(self.env.places()), overspill::Clock::default());
        let project = &self.env.places().project;
        options.project = project.is_absolute().then(|| project.clone());
        // Files for Git are written only in the directory that the profile expects in a project.
        options.git_ignored &= self.own(Key::StoreDir).is_none();
        if let Some(limit) = self.limit(Key::StoreMaxOutput) {
            options.most_per_output = Option::from(limit).unwrap_or(u64::MAX);
        }
        if let Some(limit) = self.limit(Key::StoreKeepFree) {
            options.keep_free = Option::from(limit).unwrap_or(0);
        }
        match self.choice(Key::StoreDurability) {
            Some("none") => options.durability = Durability::None,
            Some(_) => options.durability = Durability::Full,
            None => {}
        }
        Ok(Disk::new(directory, options))
    }

    /// Returns the store of a profile: the bucket, if one is set and the profile is our own,
    /// otherwise its directory.
    pub(crate) fn store(&self, profile: &Profile) -> Result<Outputs, String> {
        match bucket::of(self, profile)? {
            Some(bucket) => Ok(bucket),
            None => Ok(Arc::new(self.disk(profile)?)),
        }
    }

    /// Returns the address of the bucket, as the user wrote it.
    pub(crate) fn bucket(&self) -> Option<&str> {
        self.text(Key::StoreBucket)
    }

    /// Returns the rules for the expiry of outputs.
    pub(crate) fn retention(&self, profile: &Profile) -> Retention {
        let mut retention = profile.retention;
        match self.limit(Key::StoreQuota) {
            Some(limit) => retention.quota = Option::from(limit),
            // The default quota of one machine must not delete outputs of other machines.
            None if bucket::holds(self, profile) => retention.quota = None,
            None => {}
        }
        if let Some(duration) = self.duration(Key::StoreRetention) {
            retention.unused_for = duration;
        }
        retention
    }
}

/// Returns a path with a `~` at its start replaced by the home directory.
fn expanded(path: &Path, home: &Path) -> PathBuf {
    match path.strip_prefix("~") {
        Ok(below) if home.is_absolute() => home.join(below),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_come_from_the_variables_of_the_table() {
        let variables =
            [("HOME", "/nowhere"), ("OVERSPILL_QUOTA", "5MB"), ("OVERSPILL_DIR", "saved")];
        let more = [("OVERSPILL_RETENTION", "soon"), ("OVERSPILL_MAX_LINE", "9")];
        let env = Env::of_table(&[&variables[..], &more].concat(), Path::new("/srv/work"));
        let sources = SettingSources::of_user(&env);
        assert_eq!(sources.limit(Key::StoreQuota), Some(Limit::AtMost(5_000_000)));
        assert_eq!(sources.directory(&Profile::OWN), Ok("/srv/work/saved".into()));
        let keys =
            |warnings: &[Warning]| warnings.iter().map(|it| it.key.clone()).collect::<Vec<_>>();
        assert_eq!(keys(&sources.warnings), ["OVERSPILL_RETENTION"]);
        assert_eq!(keys(&sources.unknown_variables), ["OVERSPILL_MAX_LINE"]);
    }
}
