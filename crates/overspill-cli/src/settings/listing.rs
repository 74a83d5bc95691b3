//! Every setting with its value, and where that comes from.

use std::collections::BTreeSet;
use std::path::Path;

use jiff::SignedDuration;
use overspill::{Clock, Effective, Layer, Limit, Origin, entries_of};
use serde_json::json;

use super::edit::KeyPath;
use super::file::FoundValue;
use super::keys::{KEYS, SettingKey};
use super::value::SettingValue;
use super::{ResolvedSettings, SettingsFile};
use crate::tokenizer::Tokenizer;
use crate::{bucket, home};

/// A setting, what it is and why.
#[derive(Debug)]
pub(crate) struct SettingRow {
    pub(crate) address: KeyPath,
    key: &'static SettingKey,
    pub(crate) value: SettingValue,
    /// As it was written, or as we would.
    pub(crate) written: String,
    /// The level that has its way.
    pub(crate) origin: String,
    /// The file, the variable or the profile.
    pub(crate) place: String,
    line: Option<usize>,
}

impl SettingRow {
    pub(crate) fn json(&self) -> serde_json::Value {
        json!({
            "key": self.address.to_string(),
            "value": self.value.json(self.key.kind),
            "written": self.written,
            "origin": self.origin,
            "place": self.place,
            "line": self.line,
            "also": self.key.also,
            "allowed": self.key.kind.allowed(),
            "project": self.key.project.word(),
            "help": self.key.help,
        })
    }

    /// Returns where the value comes from, for people.
    pub(crate) fn whence(&self) -> String {
        match self.line {
            Some(line) => format!("{}:{line}", self.place),
            None => self.place.clone(),
        }
    }
}

impl ResolvedSettings {
    /// Returns every setting, for a tool or in general; then what is set for single tools.
    pub(crate) fn rows(&self, tool: Option<&str>) -> Vec<SettingRow> {
        let effective = self.effective(tool);
        let general = KEYS.iter().filter(|key| tool.is_none() || key.is_per_tool());
        let mut rows: Vec<SettingRow> =
            general.map(|key| self.row(key, tool, &effective)).collect();
        for tool in self.tools().into_iter().filter(|_| tool.is_none()) {
            let effective = self.effective(Some(tool));
            let set = KEYS.iter().filter(|key| self.entry(key, Some(tool)).is_some());
            rows.extend(set.map(|key| self.row(key, Some(tool), &effective)));
        }
        rows
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
        self.settings.effective(&self.profile, tool, None, &Layer::default())
    }

    /// Returns what a file says of a tool.
    fn entry(&self, key: &SettingKey, tool: Option<&str>) -> Option<(String, &FoundValue)> {
        self.files().into_iter().find_map(|(file, path)| {
            let mut entries = entries_of(tool?).filter_map(|entry| file.tools.get(&*entry));
            Some((shown(path), entries.find_map(|entry| entry.get(key.name))?))
        })
    }

    fn row(
        &self,
        key: &'static SettingKey,
        tool: Option<&str>,
        effective: &Effective,
    ) -> SettingRow {
        let (value, origin) = match layered(key.name, effective) {
            Some((value, origin)) => (value, Some(origin)),
            None => match self.entry(key, tool) {
                Some((_, found)) => (found.value.clone(), Some(Origin::Tool)),
                None => self.not_layered(key),
            },
        };
        let [(project, project_file), (user, user_file)] = self.files();
        let found = match origin {
            Some(Origin::Tool) => self.entry(key, tool),
            Some(Origin::Environment) => {
                self.sources.environment.get(key.name).map(|found| (key.variable(), found))
            }
            Some(Origin::Project) => {
                project.values.get(key.name).map(|found| (shown(project_file), found))
            }
            Some(Origin::User) => user.values.get(key.name).map(|found| (shown(user_file), found)),
            Some(Origin::Profile | Origin::Call) | None => None,
        };
        let written = found.as_ref().map(|(_, found)| found.written.clone());
        SettingRow {
            address: KeyPath { tool: tool.map(str::to_owned), name: key.name },
            key,
            written: written.unwrap_or_else(|| value.written(key.kind)),
            value,
            origin: origin.map_or_else(|| "default".into(), |origin| origin.to_string()),
            line: found.as_ref().and_then(|(_, found)| found.line),
            place: found.map_or_else(|| self.profile.name.to_owned(), |(place, _)| place),
        }
    }

    /// Returns a setting that is the same for every call.
    fn not_layered(&self, key: &SettingKey) -> (SettingValue, Option<Origin>) {
        let sources = &self.sources;
        if key.name == "redact" {
            return self.redact();
        }
        if let Some(value) = sources.own(key.name) {
            let in_environment = sources.environment.contains_key(key.name);
            let origin = if in_environment { Origin::Environment } else { Origin::User };
            return (value.clone(), Some(origin));
        }
        let places = home::places();
        let options = self.profile.disk_options(&places, Clock::default());
        let retention = sources.retention(&self.profile);
        let most =
            |bytes: u64| SettingValue::Most(Limit::from(Some(bytes).filter(|&n| n < u64::MAX)));
        let value = match key.name {
            "profile" => SettingValue::Profile(self.profile.name),
            "tokenizer" => SettingValue::Tokenizer(Tokenizer::default()),
            "store.dir" => SettingValue::Directory(
                sources.directory(&self.profile, &places).unwrap_or_default(),
            ),
            "store.quota" => SettingValue::Most(Limit::from(retention.quota)),
            "store.max_output" => most(options.most_per_output),
            "store.keep_free" => most(options.keep_free),
            "store.retention" => SettingValue::Age(retention.unused_for),
            "structured" => SettingValue::Choice("drop"),
            "mcp.max_media" => SettingValue::Most(Limit::AtMost(crate::mcp::MAX_MEDIA)),
            "mcp.tool_prefix" => SettingValue::Prefix(crate::mcp::TOOL_PREFIX.into()),
            "mcp.outputs" => SettingValue::Choice("project"),
            "mcp.idle" => SettingValue::Age(Some(crate::mcp::IDLE)),
            "store.bucket" | "store.region" | "store.endpoint" | "store.account"
            | "redact_pattern" => SettingValue::Text("none".into()),
            "store.tenant" => SettingValue::Text(bucket::TENANT.into()),
            "store.upload_wait" => {
                SettingValue::Age(SignedDuration::try_from(bucket::UPLOAD_WAIT).ok())
            }
            "store.cache" => most(bucket::CACHE),
            _ => SettingValue::Durability(options.durability),
        };
        (value, None)
    }
}

impl ResolvedSettings {
    /// Returns what is masked. Nothing has set it where a mistake in the settings decides.
    fn redact(&self) -> (SettingValue, Option<Origin>) {
        let sources = &self.sources;
        let value =
            SettingValue::Choice(sources.redact_word(bucket::holds(sources, &self.profile)));
        let origin = if sources.own("redact") != Some(&value) {
            None
        } else if sources.environment.contains_key("redact") {
            Some(Origin::Environment)
        } else {
            Some(Origin::User)
        };
        (value, origin)
    }
}

/// Returns a setting that calls may differ in, and the level that has its way.
fn layered(name: &str, effective: &Effective) -> Option<(SettingValue, Origin)> {
    let most =
        |setting: overspill::Setting<Limit>| (SettingValue::Most(setting.value), setting.origin);
    Some(match name {
        "enabled" => (SettingValue::Switch(effective.enabled.value), effective.enabled.origin),
        "max_lines" => most(effective.max_lines),
        "max_bytes" => most(effective.max_bytes),
        "max_chars" => most(effective.max_chars),
        "max_tokens" => most(effective.max_tokens),
        "keep" => (SettingValue::Keep(effective.keep.value), effective.keep.origin),
        _ => return None,
    })
}

fn shown(path: Option<&Path>) -> String {
    path.map_or_else(String::new, |path| path.display().to_string())
}
