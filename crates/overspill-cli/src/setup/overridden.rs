//! Finds settings that override ours, for `doctor`.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::piece::SetupPiece;
use super::plan::{self, LayeredPiece, SetupLayer, SetupPlan, SetupScope};
use super::receipt::Receipt;
use crate::env::Env;
use crate::hosts::{Host, OwnSlot, SetupStep};
use crate::jsonc::Jsonc;

/// Returns the environment variables that override our file of variables, each with the path of
/// that file.
pub(super) fn by_environment(host: &Host, receipt: &Receipt, env: &Env) -> Vec<(String, String)> {
    let plan = SetupPlan::of(host, SetupScope::User, &[SetupLayer::Base], env);
    let mut all = Vec::new();
    for target in plan.targets.iter().filter(|target| receipt.of(&target.path).is_some()) {
        for LayeredPiece { piece, .. } in &target.pieces {
            if let SetupPiece::Variable { name, value } = piece
                && env.variable(name).is_some_and(|set| set != value.as_str())
            {
                all.push((name.clone(), env.shown(&target.path)));
            }
        }
    }
    all
}

/// Returns a sentence for each file that overrides ours: the files of the project, and the file
/// that a variable names.
pub(super) fn by_files(host: &Host, env: &Env) -> Vec<String> {
    let mut said = Vec::new();
    let named = host.settings_variable.and_then(|name| env.variable(name)).map(PathBuf::from);
    for step in host.steps {
        if let (Some(file), SetupStep::Json { path, value, .. }) = (&named, step) {
            said.extend(other_value(file, path, value, env));
        }
    }
    for directory in env.project_directories() {
        for step in host.steps {
            match step {
                SetupStep::Json { path, value, .. } => {
                    for file in host.overrides.iter().map(|name| directory.join(name)) {
                        said.extend(other_value(&file, path, value, env));
                    }
                }
                SetupStep::Variable { name, .. } => {
                    let files = host.overrides.iter().map(|name| directory.join(name));
                    said.extend(files.filter(|file| file.is_file()).map(|file| {
                        format!(
                            "{} hides the file of `init`, and does not set {name} for overspill",
                            env.shown(&file)
                        )
                    }));
                }
                _ => {}
            }
        }
    }
    said
}

fn other_value(file: &Path, path: &[&str], ours: &str, env: &Env) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    let json = Jsonc::parse(&text).ok()?;
    let value = json.value_of(json.get(path)?)?;
    let ours: Value = serde_json::from_str(&plan::filled(ours, plan::escaped, env)).ok()?;
    let said = format!("{} sets {} to {value}", env.shown(file), path.join("."));
    // The value may be our link for a program of the user.
    let is_ours = value == ours
        || value.as_str().map(Path::new).is_some_and(|value| {
            OwnSlot::at(value).is_some() || value.parent() == Some(&env.links())
        });
    (!is_ours).then_some(said)
}
