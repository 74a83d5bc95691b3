//! Reads the options of an [`Overspill`] and builds it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::SignedDuration;
use overspill::internal::notice::ToolNames;
use overspill::internal::profile::{Directory, NoticeStyle, OwnSettings};
use overspill::internal::store::Nowhere;
use overspill::seeds::from_variables;
use overspill::store::{Disk, Durability, Memory, Store};
use overspill::tool::Gates;
use overspill::{Clock, Layer, Overspill, Places, Profile, ReaderAbilities, Redact, Redaction};
use serde_json::Value;

use crate::Misuse;
use crate::keys::Keys;

/// The options of an [`Overspill`] that are plain values. They come from an object with these keys,
/// in snake or camel case: `profile`, `store`, every
/// [`CallSetting`](overspill::internal::settings::CallSetting), `tools`, `skip_tools`,
/// `trusted_tools`, `project_root`, `retention_days`, `durability`, `redact`, `redact_pattern`,
/// `program`, `read_tool`, `grep_tool`, `delegate_tool`, `files`; with the profile `klaude` also
/// `max_length`, `head_chars`, `tail_chars` and `simple`.
#[derive(Clone)]
pub struct Setup {
    /// The profile.
    pub profile: Profile,
    /// The store for outputs.
    pub store: StoreChoice,
    /// The results that pass unchanged.
    pub gates: Gates,
    layer: Layer,
    reach: ReaderAbilities,
    project_root: Option<PathBuf>,
    retention_days: Option<u64>,
    durability: Option<Durability>,
    redact: Redact,
}

/// The store for outputs.
#[derive(Debug, Clone)]
pub enum StoreChoice {
    /// The profile's usual directory.
    Default,
    /// The memory of the process.
    Memory,
    /// No store: outputs are not saved.
    Nowhere,
    /// This directory.
    Directory(PathBuf),
    /// A store of the user.
    Own(Arc<dyn Store>),
}

impl Setup {
    /// Reads the options.
    pub fn from_json(json: &Value) -> Result<Setup, Misuse> {
        let mut keys = Keys::of(json, "options")?;
        let profile = profile(&mut keys)?;
        let store =
            keys.read("store", "a directory, \"memory\" or false", |value| match value {
                Value::String(word) if word == "memory" => Some(StoreChoice::Memory),
                Value::String(path) if !path.is_empty() => {
                    Some(StoreChoice::Directory(path.into()))
                }
                Value::Bool(false) => Some(StoreChoice::Nowhere),
                _ => None,
            })?;
        let mut layer = keys.layer()?;
        keys.tools(&mut layer)?;
        let gates = Gates {
            skip: keys.names("skip_tools")?,
            trusted: keys.names("trusted_tools")?,
            ..Gates::default()
        };
        let (read, grep) = (keys.text("read_tool")?, keys.text("grep_tool")?);
        let reach = ReaderAbilities {
            program: keys.text("program")?,
            tools: read.zip(grep).map(|(read, grep)| ToolNames { read, grep }),
            files: keys.switch("files")?.unwrap_or(true),
            delegate: keys.text("delegate_tool")?,
            ..ReaderAbilities::default()
        };
        let project_root = keys.text("project_root")?.filter(|path| !path.is_empty());
        let project_root = project_root.map(PathBuf::from);
        let retention_days = keys.number("retention_days")?;
        let durability =
            keys.read("durability", "full or none", |name| match name.as_str()? {
                "full" => Some(Durability::Full),
                "none" => Some(Durability::None),
                _ => None,
            })?;
        let redact = redact(&mut keys)?;
        keys.done()?;
        let store = store.unwrap_or(StoreChoice::Default);
        Ok(Setup {
            profile,
            store,
            gates,
            layer,
            reach,
            project_root,
            retention_days,
            durability,
            redact,
        })
    }

    /// Builds the engine. `variable` returns the value of an environment variable.
    ///
    /// Our own profile saves in `OVERSPILL_DIR` if that is set, as the program does. The profile
    /// `unified` also reads its five variables `TOOL_OUTPUT_…`. Options override them.
    pub fn overspill(
        &self,
        variable: &dyn Fn(&str) -> Option<OsString>,
        working: PathBuf,
    ) -> Overspill {
        let (setup, _) = self.with_variables(variable);
        let places = setup.places(variable, working);
        let store = setup.open(&places, variable);
        let mut retention = setup.profile.retention;
        if let Some(days) = setup.retention_days {
            let hours = i64::try_from(days).unwrap_or(i64::MAX).min(1_000_000) * 24;
            retention.unused_for = Some(SignedDuration::from_hours(hours));
        }
        Overspill::builder()
            .profile(setup.profile.clone())
            .shared_store(store)
            .settings(setup.layer.clone())
            .reader(setup.reach.clone())
            .retention(retention)
            .redact(setup.redact.clone())
            .build()
    }

    /// Returns a sentence about each variable of the profile that has an invalid value. Its default
    /// applies instead.
    pub fn warnings(&self, variable: &dyn Fn(&str) -> Option<OsString>) -> Vec<String> {
        self.with_variables(variable).1
    }

    /// Returns the directory in which outputs are saved. `None` if they are saved elsewhere or not
    /// at all.
    pub fn directory(
        &self,
        variable: &dyn Fn(&str) -> Option<OsString>,
        working: PathBuf,
    ) -> Option<PathBuf> {
        let (setup, _) = self.with_variables(variable);
        setup.place(&setup.places(variable, working), variable)
    }

    fn places(&self, variable: &dyn Fn(&str) -> Option<OsString>, working: PathBuf) -> Places {
        let places = Places::from_env(variable, working);
        match &self.project_root {
            Some(root) => Places { project: places.working.join(root), ..places },
            None => places,
        }
    }

    fn with_variables(&self, variable: &dyn Fn(&str) -> Option<OsString>) -> (Setup, Vec<String>) {
        let mut setup = self.clone();
        if setup.profile.own_settings != OwnSettings::ToolOutputVariables {
            return (setup, Vec::new());
        }
        let found = from_variables(variable);
        setup.layer = found.layer.updated(&setup.layer);
        setup.profile.directory = found.profile.directory;
        setup.profile.retention = found.profile.retention;
        (setup, found.warnings.iter().map(ToString::to_string).collect())
    }

    fn open(&self, places: &Places, variable: &dyn Fn(&str) -> Option<OsString>) -> Arc<dyn Store> {
        match &self.store {
            StoreChoice::Own(store) => return store.clone(),
            StoreChoice::Memory => {
                return Arc::new(Memory::new(self.profile.names, Clock::default()));
            }
            StoreChoice::Nowhere => return Arc::new(Nowhere::because("no store was chosen")),
            StoreChoice::Directory(_) | StoreChoice::Default => {}
        }
        let Some(directory) = self.place(places, variable) else {
            let reason = "there is no home directory, and no directory was given";
            return Arc::new(Nowhere::because(reason));
        };
        let mut options = self.profile.disk_options(Some(places), Clock::default());
        options.git_ignored &= matches!(self.store, StoreChoice::Default);
        options.durability = self.durability.unwrap_or(options.durability);
        Arc::new(Disk::new(directory, options))
    }

    fn place(
        &self,
        places: &Places,
        variable: &dyn Fn(&str) -> Option<OsString>,
    ) -> Option<PathBuf> {
        // The variable replaces the directory below the user's state directory.
        let is_below_state = matches!(self.profile.directory, Directory::State(_));
        let set = variable("OVERSPILL_DIR").filter(|path| !path.is_empty() && is_below_state);
        let directory = match (&self.store, set) {
            (StoreChoice::Directory(path), _) => places.working.join(path),
            (StoreChoice::Default, Some(path)) => places.working.join(path),
            (StoreChoice::Default, None) => self.profile.directory.within(places),
            _ => return None,
        };
        directory.is_absolute().then_some(directory)
    }
}

fn redact(keys: &mut Keys) -> Result<Redact, Misuse> {
    let word = keys.read("redact", "one of off, store, all", |word| {
        let word = word.as_str()?;
        ["off", "store", "all"].into_iter().find(|known| *known == word)
    })?;
    let own = keys.text("redact_pattern")?;
    let bad = |reason| Misuse(format!("redact_pattern: {reason}"));
    if word.unwrap_or("off") == "off" && own.is_none() {
        return Ok(Redact::Off);
    }
    let rules = Arc::new(Redaction::new(own.as_deref()).map_err(bad)?);
    Ok(match word {
        Some("store") => Redact::Saved(rules),
        Some("all") => Redact::All(rules),
        _ => Redact::Off,
    })
}

fn profile(keys: &mut Keys) -> Result<Profile, Misuse> {
    let names: Vec<&str> = Profile::ALL.iter().map(|profile| profile.name).collect();
    let allowed = format!("one of {}", names.join(", "));
    let named = |value: &Value| Profile::named(value.as_str()?);
    let profile = keys.read("profile", &allowed, named)?.unwrap_or(Profile::OWN);
    // Only the notice of a preview with both ends has a number for each of them.
    if profile.words != NoticeStyle::BothEnds {
        return Ok(profile);
    }
    let max_length = keys.number("max_length")?.unwrap_or(40_000);
    if keys.switch("simple")? == Some(true) {
        return Ok(Profile::klaude_simple(max_length));
    }
    let chars = |value: &Value| value.as_u64().and_then(|chars| u32::try_from(chars).ok());
    let head = keys.read("head_chars", "a whole number", chars)?.unwrap_or(10_000);
    let tail = keys.read("tail_chars", "a whole number", chars)?.unwrap_or(10_000);
    Ok(Profile::klaude(max_length, head, tail))
}
