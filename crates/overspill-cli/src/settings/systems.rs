//! Settings of other systems that their profiles read: variables for `unified`, JSON files for
//! `takumi`.

use std::path::{Path, PathBuf};

use overspill::internal::profile::OwnSettings;
use overspill::internal::seeds::takumi_enabled;
use overspill::internal::settings::Warning;
use overspill::seeds::from_variables;
use overspill::{Profile, Settings};
use serde_json::Value;

use super::NOT_FOR_PROJECTS;
use super::text::{self, OfProject};
use crate::env::Env;

/// The path of takumi's settings file, below the home directory or the project.
pub(crate) const TAKUMI_FILE: &str = ".takumi/config.json";

/// Adds the settings of the system that `profile` imitates. Settings of overspill override them.
///
/// Returns warnings, and notes about files that overspill ignores because of their owner.
pub(crate) fn read_their_own(
    profile: &mut Profile,
    settings: &mut Settings,
    env: &Env,
) -> (Vec<Warning>, Vec<Warning>) {
    match profile.own_settings {
        OwnSettings::ToolOutputVariables => {
            let found = from_variables(|name| env.variable(name));
            settings.environment = found.layer.updated(&settings.environment);
            profile.directory = found.profile.directory;
            profile.retention = found.profile.retention;
            (found.warnings, Vec::new())
        }
        OwnSettings::TakumiFiles => {
            let OfProject { found, mut warnings, notes } = text::of_project(TAKUMI_FILE, env);
            let global = takumi_file(env).and_then(|path| match text::of_user(&path) {
                Ok(text) => json(&text?, &path, &mut warnings),
                Err(warning) => {
                    warnings.push(warning);
                    None
                }
            });
            let project = found.and_then(|(path, text)| {
                let json = json(&text, &path, &mut warnings)?;
                if json.get("truncation") == Some(&Value::Bool(false)) {
                    let place = Some(path.display().to_string());
                    let message = NOT_FOR_PROJECTS.into();
                    warnings.push(Warning { key: "truncation".into(), place, message });
                    return None;
                }
                Some(json)
            });
            let (enabled, more) = takumi_enabled(global.as_ref(), project.as_ref());
            warnings.extend(more);
            if !enabled {
                settings.user.enabled.get_or_insert(false);
            }
            (warnings, notes)
        }
        OwnSettings::None => (Vec::new(), Vec::new()),
    }
}

/// Returns takumi's file in the home directory.
pub(crate) fn takumi_file(env: &Env) -> Option<PathBuf> {
    env.home().map(|home| home.join(TAKUMI_FILE))
}

fn json(text: &str, path: &Path, warnings: &mut Vec<Warning>) -> Option<Value> {
    let parsed = serde_json::from_str(text);
    parsed
        .map_err(|error| {
            let place = Some(format!("{}:{}:{}", path.display(), error.line(), error.column()));
            let message = "it does not parse, so overspill ignores the file".into();
            warnings.push(Warning { key: "not JSON".into(), place, message });
        })
        .ok()
}
