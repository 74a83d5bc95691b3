//! Lists every setting with its value and its origin, for `overspill config`.

use std::collections::BTreeSet;
use std::path::Path;

use jiff::SignedDuration;
use overspill::internal::settings::{CallValue, Effective, Origin, entries_of};
use overspill::store::Durability;
use overspill::{Clock, Layer};
use serde_json::json;

use super::edit::KeyPath;
use super::file::FoundValue;
use super::keys::{Key, rule_word};
use super::value::SettingValue;
use super::{ResolvedSettings, SettingsFile};
use crate::bucket;
use crate::tokenizer::Tokenizer;

/// A setting, its value and the origin of the value.
#[derive(Debug)]
pub(crate) struct SettingRow {
    pub(crate) address: KeyPath,
    pub(crate) value: SettingValue,
    /// The text of the value, as the user or overspill writes it.
    pub(crate) written: String,
    /// The level that the value comes from.
    pub(crate) origin: String,
    /// The file, the variable or the profile.
    pub(crate) place: String,
    line: Option<usize>,
}

impl SettingRow {
    pub(crate) fn json(&self) -> serde_json::Value {
        let row = self.address.key.row();
        json!({
            "key": self.address.to_string(),
            "value": self.value.json(row.kind),
            "written": self.written,
            "origin": self.origin,
            "place": self.place,
            "line": self.line,
            "also": row.also,
            "allowed": row.kind.allowed(),
            "project": rule_word(row.project),
            "help": row.help,
        })
    }

    /// Tells whether a file or a variable sets the value.
    pub(crate) fn is_changed(&self) -> bool {
        !matches!(self.origin.as_str(), "default" | "profile")
    }

    /// Returns the place of the value for people, such as `FILE:LINE`.
    pub(crate) fn place_text(&self) -> String {
        match self.line {
            Some(line) => format!("{}:{line}", self.place),
            None => self.place.clone(),
        }
    }
}

impl ResolvedSettings {
    /// Returns every setting, for a tool or in general, followed by the settings of single tools.
    pub(crate) fn rows(&self, tool: Option<&str>) -> Vec<SettingRow> {
        let effective = self.effective(tool);
        let general = Key::all().filter(|key| tool.is_none() || key.is_per_tool());
        let mut rows: Vec<SettingRow> =
            general.map(|key| self.row(key, tool, &effective)).collect();
        for tool in self.tools().into_iter().filter(|_| tool.is_none()) {
            let effective = self.effective(Some(tool));
            let set = Key::all().filter(|key| self.entry(*key, Some(tool)).is_some());
            rows.extend(set.map(|key| self.row(key, Some(tool), &effective)));
        }
        rows
    }

    /// Returns the row of a setting that the project's file sets.
    pub(crate) fn project_row(&self, address: &KeyPath) -> Option<SettingRow> {
        let found = self.sources.project.get(address)?;
        Some(SettingRow {
            address: address.clone(),
            value: found.value.clone(),
            written: found.written.clone(),
            origin: Origin::Project.to_string(),
            place: shown(self.sources.project_file.as_deref()),
            line: found.line,
        })
    }

    fn files(&self) -> [(&SettingsFile, Option<&Path>); 2] {
        let sources = &self.sources;
        [
            (&sources.project, sources.project_file.as_deref()),
            (&sources.user, sources.user_file.as_deref()),
        ]
    }

    fn tools(&self) -> BTreeSet<&str> {
        self.files().iter().flat_map(|(file, _)| file.tools.keys()).map(String::as_str).collect()
    }

    fn effective(&self, tool: Option<&str>) -> Effective {
        self.settings.effective(&self.profile, tool, None, &Layer::new())
    }

    /// Returns the value that a file has for a tool.
    fn entry(&self, key: Key, tool: Option<&str>) -> Option<(String, &FoundValue)> {
        self.files().into_iter().find_map(|(file, path)| {
            let mut entries = entries_of(tool?).filter_map(|entry| file.tools.get(&*entry));
            Some((shown(path), entries.find_map(|entry| entry.get(&key))?))
        })
    }

    fn row(&self, key: Key, tool: Option<&str>, effective: &Effective) -> SettingRow {
        let (value, origin) = self.value(key, tool, effective);
        let [(project, project_file), (user, user_file)] = self.files();
        let found = match origin {
            Some(Origin::Tool) => self.entry(key, tool),
            Some(Origin::Environment) => {
                self.sources.environment.get(&key).map(|found| (key.variable(), found))
            }
            Some(Origin::Project) => {
                project.values.get(&key).map(|found| (shown(project_file), found))
            }
            Some(Origin::User) => user.values.get(&key).map(|found| (shown(user_file), found)),
            Some(Origin::Profile | Origin::Call) | None => None,
        };
        let written = found.as_ref().map(|(_, found)| found.written.clone());
        SettingRow {
            address: KeyPath { tool: tool.map(str::to_owned), key },
            written: written.unwrap_or_else(|| value.written(key.kind())),
            value,
            origin: origin.map_or_else(|| "default".into(), |origin| origin.to_string()),
            line: found.as_ref().and_then(|(_, found)| found.line),
            place: found.map_or_else(|| self.profile.name.to_owned(), |(place, _)| place),
        }
    }

    /// Returns the value of a setting and the level that sets it. A default has no level.
    fn value(
        &self,
        key: Key,
        tool: Option<&str>,
        effective: &Effective,
    ) -> (SettingValue, Option<Origin>) {
        let sources = &self.sources;
        let options = self.profile.disk_options(Some(sources.env.places()), Clock::default());
        let retention = sources.retention(&self.profile);
        let limit = |limit: Option<u64>| SettingValue::Call(CallValue::Limit(limit.into()));
        let bytes = |bytes: u64| limit(Some(bytes).filter(|&n| n < u64::MAX));
        let default = match key {
            Key::Call(setting) => {
                let set = effective.get(setting);
                return (SettingValue::Call(set.value), Some(set.origin));
            }
            Key::Redact => {
                SettingValue::Choice(sources.redact_word(bucket::holds(sources, &self.profile)))
            }
            Key::Profile => SettingValue::Choice(self.profile.name),
            Key::Tokenizer => SettingValue::Choice(Tokenizer::default().name()),
            Key::StoreDir => {
                SettingValue::Directory(sources.directory(&self.profile).unwrap_or_default())
            }
            Key::StoreQuota => limit(retention.quota),
            Key::StoreMaxOutput => bytes(options.most_per_output),
            Key::StoreKeepFree => bytes(options.keep_free),
            Key::StoreRetention => SettingValue::Duration(retention.unused_for),
            Key::StoreDurability => SettingValue::Choice(match options.durability {
                Durability::Full => "full",
                Durability::None => "none",
            }),
            Key::Structured => SettingValue::Choice("drop"),
            // `run --shell` has another default, which the help of the setting mentions.
            Key::Pipelines => SettingValue::Choice("full"),
            Key::McpMaxMedia => bytes(crate::mcp::MAX_MEDIA),
            Key::McpToolPrefix => SettingValue::Text(crate::mcp::TOOL_PREFIX.into()),
            Key::McpOutputs => SettingValue::Choice("project"),
            Key::McpIdle => SettingValue::Duration(Some(crate::mcp::IDLE)),
            Key::StoreBucket
            | Key::StoreRegion
            | Key::StoreEndpoint
            | Key::StoreAccount
            | Key::RedactPattern => SettingValue::Text("none".into()),
            Key::StoreTenant => SettingValue::Text(bucket::TENANT.into()),
            Key::StoreUploadWait => {
                SettingValue::Duration(SignedDuration::try_from(bucket::UPLOAD_WAIT).ok())
            }
            Key::StoreCache => bytes(bucket::CACHE),
        };
        if let Some((_, found)) = self.entry(key, tool) {
            return (found.value.clone(), Some(Origin::Tool));
        }
        let in_variable = sources.environment.contains_key(&key);
        let origin = if in_variable { Origin::Environment } else { Origin::User };
        match sources.own(key) {
            // With a mistake in the settings, overspill may mask more than the setting says.
            Some(set) if key != Key::Redact || *set == default => (set.clone(), Some(origin)),
            _ => (default, None),
        }
    }
}

fn shown(path: Option<&Path>) -> String {
    path.map_or_else(String::new, |path| path.display().to_string())
}
