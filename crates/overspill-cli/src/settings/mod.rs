//! Settings from files and variables.
//!
//! What is not there is not read: without a file no parser runs, so that a command does not start
//! later because of settings nobody has made.

#[cfg_attr(not(feature = "bucket"), allow(dead_code, reason = "only a bucket asks for it"))]
pub(crate) mod destination;
#[cfg_attr(all(unix, not(feature = "portable-std")), path = "directory_unix.rs")]
#[cfg_attr(not(all(unix, not(feature = "portable-std"))), path = "directory_other.rs")]
pub(crate) mod directory;
pub(crate) mod edit;
mod file;
pub(crate) mod guarded;
pub(crate) mod keys;
mod listing;
mod redact;
mod resolved;
pub(crate) mod systems;
pub(crate) mod text;
pub(crate) mod value;
pub(crate) mod variables;
pub(crate) mod write;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};

use overspill::profile::Places;
use overspill::store::Disk;
use overspill::sweep::Retention;
use overspill::{Profile, Warning};

use self::destination::{DestinationFault, destination_of};
pub(crate) use self::file::{FileOwner, FoundValue, NOT_FOR_PROJECTS, SettingsFile, Values};
use self::keys::KEYS;
pub(crate) use self::listing::SettingRow;
use self::redact::{Fault, FaultKind};
pub(crate) use self::resolved::ResolvedSettings;
use self::value::{SettingValue, ValueKind};
use crate::home::Outputs;
use crate::{bucket, home, ui};

/// The name of a project's file.
pub(crate) const PROJECT_FILE: &str = ".overspill.toml";

/// Whether the warnings were printed: each process prints them once.
static SAID: Once = Once::new();

/// What files and variables say.
#[derive(Debug, Default)]
pub(crate) struct SettingSources {
    /// Where the user's file is, or would be.
    pub(crate) user_file: Option<PathBuf>,
    pub(crate) user: SettingsFile,
    /// Where the project's file is, if there is one.
    pub(crate) project_file: Option<PathBuf>,
    pub(crate) project: SettingsFile,
    pub(crate) environment: Values,
    /// What could not be used.
    pub(crate) warnings: Vec<Warning>,
    /// Project files that do not count because of their owner.
    pub(crate) notes: Vec<Warning>,
    /// Mistakes about `redact`. The warnings name them as well.
    pub(crate) faults: Vec<Fault>,
    /// Settings that say where outputs go, and are invalid; the warnings have them as well.
    pub(crate) destination: Vec<DestinationFault>,
}

impl SettingSources {
    /// Reads everything there is.
    pub(crate) fn read() -> SettingSources {
        let mut sources = SettingSources::of_user();
        let working = std::env::current_dir().unwrap_or_default();
        let search = text::of_project(PROJECT_FILE, &working);
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

    /// Reads what is the user's own: the file and the variables. A project has no say in where
    /// outputs are kept.
    pub(crate) fn of_user() -> SettingSources {
        let mut sources =
            SettingSources { user_file: home::user_file(), ..SettingSources::default() };
        sources.read_user_file();
        sources.read_variables();
        let destination = sources.destination_warnings();
        sources.warnings.splice(..0, destination);
        sources.warn_of_faults();
        sources
    }

    /// Looks for variables that are not there for anything, too.
    pub(crate) fn with_unknown_variables(mut self) -> SettingSources {
        self.warnings.extend(variables::unknown());
        self
    }

    fn read_user_file(&mut self) {
        let named = home::variable(variables::CONFIG);
        let fault = |key: &str, place: String, message: &str| {
            let warning = Warning { key: key.into(), place: Some(place), message: message.into() };
            Fault { kind: FaultKind::File, warning }
        };
        let Some(path) = self.user_file.clone() else {
            // A relative name means nothing where the working directory is gone.
            let place = named.map(|named| named.to_string_lossy().into_owned());
            let message = "the working directory cannot be found";
            self.faults.extend(place.map(|place| fault(variables::CONFIG, place, message)));
            return;
        };
        match text::of_user(&path) {
            Err(warning) => self.faults.push(Fault { kind: FaultKind::File, warning }),
            Ok(Some(text)) => {
                let parsed = SettingsFile::parse(&text, &path, FileOwner::User);
                self.user = parsed.file;
                self.warnings.extend(parsed.warnings);
                self.faults.extend(parsed.faults);
                self.destination.extend(parsed.destination);
            }
            // A file that was asked for by name and is not there is worth a word.
            Ok(None) if named.is_some() && !path.exists() => {
                let place = path.display().to_string();
                self.faults.push(fault(variables::CONFIG, place, "there is no such file"));
            }
            Ok(None) => {}
        }
    }

    fn read_variables(&mut self) {
        for key in KEYS {
            let found = key
                .variables()
                .into_iter()
                .find_map(|name| home::variable(&name).map(|set| (name, set)));
            let Some((variable, set)) = found else { continue };
            let written = set.to_string_lossy().into_owned();
            let value = match key.kind {
                // A path is a path, whatever its bytes; here it is from where we are.
                ValueKind::Directory => std::path::absolute(&set).ok().map(SettingValue::Directory),
                kind => kind.parse(&written),
            };
            match value {
                Some(value) => {
                    let written = if key.kind == ValueKind::Redact {
                        value.written(key.kind)
                    } else {
                        written
                    };
                    self.environment.insert(key.name, FoundValue { value, written, line: None });
                }
                None => {
                    let allowed = key.kind.allowed();
                    let shown = ui::escaped(&format!("{written:?}"), 40);
                    let message = format!("{shown} is not {allowed}");
                    let warning = Warning { key: variable, place: None, message };
                    match key.kind {
                        ValueKind::Redact => {
                            self.faults.push(Fault { kind: FaultKind::Variable, warning });
                        }
                        ValueKind::Pattern => {
                            self.faults.push(Fault { kind: FaultKind::Pattern, warning });
                        }
                        _ => match destination_of(key.name) {
                            Some(key) => self.destination.push(DestinationFault {
                                key,
                                written,
                                in_variable: true,
                                warning,
                            }),
                            None => self.warnings.push(warning),
                        },
                    }
                }
            }
        }
    }

    /// Says what could not be used, once, whoever asks.
    pub(crate) fn say_warnings(&self) {
        if !self.warnings.is_empty() {
            SAID.call_once(|| ui::warn(&self.warnings));
        }
    }

    /// Says all that could not be used, and which project files do not count.
    pub(crate) fn say_everything(&self) {
        SAID.call_once(|| {
            ui::warn_of_all(&self.warnings);
            ui::note_all(&self.notes);
        });
    }

    /// Returns what the user has set outside of the layers of a call.
    pub(crate) fn own(&self, name: &str) -> Option<&SettingValue> {
        // An invalid variable does not fall back to a file that names another place.
        let in_file = || self.user.values.get(name).filter(|_| !self.is_hidden(name));
        let found = self.environment.get(name).or_else(in_file);
        found.map(|found| &found.value)
    }

    /// Returns the profile that is set, or our own.
    pub(crate) fn profile(&self) -> Profile {
        match self.own("profile") {
            Some(SettingValue::Profile(name)) => Profile::named(name).unwrap_or(Profile::OWN),
            _ => Profile::OWN,
        }
    }

    /// Returns the directory that outputs are saved in, or why there is none.
    pub(crate) fn directory(&self, profile: &Profile, places: &Places) -> Result<PathBuf, String> {
        let (path, is_set) = match self.own("store.dir") {
            Some(SettingValue::Directory(path)) => (expanded(path, &places.home), true),
            _ => (profile.directory.within(places), false),
        };
        match (path.is_absolute(), is_set) {
            (true, _) => Ok(path),
            (false, true) => Err(format!("{}: there is no home directory", path.display())),
            (false, false) => {
                Err("there is no home directory, and OVERSPILL_DIR is not set".into())
            }
        }
    }

    /// Returns the store of a profile, or why there is none. What is set holds for any profile.
    pub(crate) fn disk(&self, profile: &Profile, places: &Places) -> Result<Disk, String> {
        let directory = self.directory(profile, places)?;
        let mut options = profile.disk_options(places, overspill::Clock::default());
        // Only where a project expects its own files may they write something for Git.
        options.git_ignored &= self.own("store.dir").is_none();
        if let Some(SettingValue::Most(most)) = self.own("store.max_output") {
            options.most_per_output = Option::from(*most).unwrap_or(u64::MAX);
        }
        if let Some(SettingValue::Most(most)) = self.own("store.keep_free") {
            options.keep_free = Option::from(*most).unwrap_or(0);
        }
        if let Some(SettingValue::Durability(durability)) = self.own("store.durability") {
            options.durability = *durability;
        }
        Ok(Disk::new(directory, options))
    }

    /// Returns where outputs of a profile are: in the bucket, if one is set and the profile is our own,
    /// otherwise in its directory.
    pub(crate) fn store(&self, profile: &Profile, places: &Places) -> Result<Outputs, String> {
        match bucket::of(self, profile, places)? {
            Some(bucket) => Ok(bucket),
            None => Ok(Arc::new(self.disk(profile, places)?)),
        }
    }

    /// Returns the bucket that is set, as it is written.
    pub(crate) fn bucket(&self) -> Option<&str> {
        self.text("store.bucket")
    }

    /// Returns a setting that is a text.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        match self.own(name) {
            Some(SettingValue::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Returns how long outputs stay.
    pub(crate) fn retention(&self, profile: &Profile) -> Retention {
        let mut retention = profile.retention;
        match self.own("store.quota") {
            Some(SettingValue::Most(most)) => retention.quota = Option::from(*most),
            // One machine does not decide how much there may be of all.
            _ if bucket::holds(self, profile) => retention.quota = None,
            _ => {}
        }
        if let Some(SettingValue::Age(age)) = self.own("store.retention") {
            retention.unused_for = *age;
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
