//! Other programs that shorten the output of commands before overspill sees it.

use toml_edit::DocumentMut;

use super::plan::{SetupLayer, SetupPlan, SetupScope};
use super::text_of;
use crate::env::Env;
use crate::hosts::HOSTS;
use crate::settings::text;

/// A program that a host's hook puts in front of commands.
struct OutputWrapper {
    name: &'static str,
    /// Texts that its hook has in the settings of a host.
    marks: &'static [&'static str],
    /// Its settings file, below the directory in which all programs keep their settings.
    settings: &'static str,
    /// The table and the key that decide whether it keeps the raw output, and the value for all outputs.
    keeps_raw: [&'static str; 3],
}

const WRAPPERS: [OutputWrapper; 1] = [OutputWrapper {
    name: "rtk",
    marks: &["rtk-rewrite.sh", "rtk hook "],
    settings: "rtk/config.toml",
    keeps_raw: ["tee", "mode", "always"],
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
        let [table, key, value] = self.keeps_raw;
        let settings = env.config_home().join(self.settings);
        let set = text::read(&settings).ok().and_then(|text| text.parse::<DocumentMut>().ok());
        let set = set.as_ref().and_then(|set| set.get(table)?.get(key)?.as_str());
        let keeps_raw = set == Some(value);
        let kept = match keeps_raw {
            true => format!("{name} keeps every raw output"),
            false => format!(
                "overspill saves the short output; to keep raw ones, put `{key} = \"{value}\"` below `[{table}]` in {}",
                env.shown(&settings)
            ),
        };
        let said =
            format!("{place} runs commands through {name}, which shortens them first; {kept}");
        Some(FoundWrapper { name, keeps_raw, said })
    }
}
