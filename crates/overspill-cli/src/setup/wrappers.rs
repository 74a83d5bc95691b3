//! Other programs that shorten the output of commands before overspill sees it.

use toml_edit::{DocumentMut, Item};

use super::plan::{SetupLayer, SetupPlan, SetupScope};
use super::text_of;
use crate::env::Env;
use crate::hosts::HOSTS;
use crate::settings::text;

/// A program that a hook of a host puts in front of commands.
struct OutputWrapper {
    name: &'static str,
    /// Texts that its hook has in the settings of a host.
    marks: &'static [&'static str],
    /// The path of its settings file, below the directory of all settings.
    settings: &'static str,
    /// The table that decides whether the program keeps raw outputs. If a key is missing, the
    /// program ignores the file.
    raw_outputs: &'static str,
    keys: &'static [&'static str],
    /// The key and the value with which the program keeps all raw outputs.
    keeps_all: [&'static str; 2],
    /// The command that writes all settings with their defaults.
    make_settings: &'static str,
    /// Commands whose raw output the program never keeps, and the setting that leaves them to
    /// overspill.
    drops: &'static str,
    leave: &'static str,
}

const WRAPPERS: [OutputWrapper; 1] = [OutputWrapper {
    name: "rtk",
    marks: &["rtk-rewrite.sh", "rtk hook "],
    settings: "rtk/config.toml",
    raw_outputs: "tee",
    keys: &["enabled", "mode", "max_files", "max_file_size"],
    keeps_all: ["mode", "always"],
    make_settings: "rtk config --create",
    drops: "git, find, grep and ls",
    leave: "hooks.exclude_commands",
}];

/// A finding of `doctor` about a wrapper.
pub(super) struct FoundWrapper {
    pub(super) name: &'static str,
    pub(super) keeps_raw: bool,
    pub(super) said: String,
}

/// Finds wrappers in the settings of all hosts.
pub(super) fn found(env: &Env) -> Vec<FoundWrapper> {
    WRAPPERS.iter().filter_map(|wrapper| wrapper.look(env)).collect()
}

impl OutputWrapper {
    fn look(&self, env: &Env) -> Option<FoundWrapper> {
        let plans = HOSTS
            .iter()
            .map(|host| SetupPlan::of(host, SetupScope::User, &[SetupLayer::Base], env));
        let mut paths = plans.flat_map(|plan| plan.targets).map(|target| target.path);
        let has_hook = |text: &str| self.marks.iter().any(|mark| text.contains(mark));
        let path = paths.find(|path| {
            text_of(path, env).is_ok_and(|text| text.is_some_and(|text| has_hook(&text)))
        })?;
        let (name, place) = (self.name, env.shown(&path));
        let settings = env.config_home().join(self.settings);
        let set = text::read(&settings).ok().and_then(|text| text.parse::<DocumentMut>().ok());
        let table = set.as_ref().and_then(|set| set.get(self.raw_outputs));
        let (keeps_raw, kept) = self.keeps(table, &env.shown(&settings));
        let said =
            format!("{place} runs commands through {name}, which shortens them first; {kept}");
        Some(FoundWrapper { name, keeps_raw, said })
    }

    /// Tells whether the program keeps all raw outputs that it can keep, with a sentence about it.
    fn keeps(&self, table: Option<&Item>, settings: &str) -> (bool, String) {
        let OutputWrapper { name, raw_outputs, make_settings, drops, leave, .. } = *self;
        let [key, value] = self.keeps_all;
        let has = |key: &&&str| table.is_some_and(|table| table.get(key).is_some());
        let missing: Vec<&str> = self.keys.iter().filter(|key| !has(key)).copied().collect();
        let is_set = |table: &Item| {
            let is_on = table.get("enabled").and_then(Item::as_bool) == Some(true);
            is_on && table.get(key).and_then(Item::as_str) == Some(value)
        };
        match table {
            Some(_) if !missing.is_empty() => {
                let missing = missing.join(", ");
                (
                    false,
                    format!(
                        "{name} keeps no raw output, because [{raw_outputs}] in {settings} lacks {missing}"
                    ),
                )
            }
            Some(table) if is_set(table) => {
                let said = format!(
                    "{name} keeps raw outputs, but none of {drops}: {leave} leaves these to overspill"
                );
                (true, said)
            }
            _ => {
                let first = if table.is_none() {
                    format!("run `{make_settings}` and ")
                } else {
                    String::new()
                };
                let said = format!(
                    "overspill saves the short output; to keep raw ones, {first}put `{key} = \"{value}\"` below `[{raw_outputs}]` in {settings}"
                );
                (false, said)
            }
        }
    }
}
