//! Reads the five environment variables of the profile `unified`.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Component, Path};

use overspill_core::Keep;

use crate::profile::{Directory, Profile};
use crate::settings::Warning;
use crate::sweep::Retention;
use crate::{Layer, Limit, Overspill, OverspillBuilder, Settings};

/// The profile `unified` with the values of its variables.
#[derive(Debug, Clone)]
pub struct UnifiedVariables {
    /// [`Profile::UNIFIED`] with the directory below the project's root, and with the number of
    /// days after which an unused file is removed.
    pub profile: Profile,
    /// Limits and direction.
    pub layer: Layer,
    /// A warning for each variable with an invalid value. The default applies instead.
    pub warnings: Vec<Warning>,
}

/// Reads `TOOL_OUTPUT_MAX_LINES`, `TOOL_OUTPUT_MAX_BYTES`, `TOOL_OUTPUT_TRUNCATE_DIRECTION`,
/// `TOOL_OUTPUT_DIR` and `TOOL_OUTPUT_RETENTION_DAYS`. `variable` returns the value of a variable.
///
/// ```
/// use overspill::Places;
/// use overspill::seeds::from_variables;
///
/// let variable = |name: &str| std::env::var_os(name);
/// let found = from_variables(variable);
/// for warning in &found.warnings {
///     eprintln!("{warning}");
/// }
/// let places = Places::from_env(variable, std::env::current_dir()?);
/// let overspill = found.builder().places(places).build();
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn from_variables(variable: impl Fn(&str) -> Option<OsString>) -> UnifiedVariables {
    let mut warnings = Vec::new();
    let mut warn = |key: &str, value: &OsString, allowed: &str| {
        let message = format!("{value:?} is not {allowed}");
        warnings.push(Warning { key: key.to_owned(), place: None, message });
    };
    let mut limit = |key: &str| {
        let value = variable(key)?;
        let limit = value.to_str().and_then(whole_number);
        if limit.is_none() {
            warn(key, &value, "a whole number, 0 or more");
        }
        limit.map(Limit::AtMost)
    };
    let max_lines = limit("TOOL_OUTPUT_MAX_LINES");
    let max_bytes = limit("TOOL_OUTPUT_MAX_BYTES");
    let direction = "TOOL_OUTPUT_TRUNCATE_DIRECTION";
    let keep = variable(direction).map(|value| {
        match value.to_string_lossy().trim().to_lowercase().as_str() {
            "tail" => Keep::Tail,
            "head" => Keep::Head,
            _ => {
                warn(direction, &value, "head or tail");
                Keep::Head
            }
        }
    });
    let days = "TOOL_OUTPUT_RETENTION_DAYS";
    let retention_days = variable(days).and_then(|value| {
        let found = value.to_str().and_then(whole_number).filter(|days| *days >= 1);
        if found.is_none() {
            warn(days, &value, "a whole number, 1 or more");
        }
        found.map(|days| u32::try_from(days).unwrap_or(u32::MAX))
    });
    let directory = variable("TOOL_OUTPUT_DIR").and_then(|value| {
        let directory = value.to_str().and_then(below_project);
        if directory.is_none() {
            warn("TOOL_OUTPUT_DIR", &value, "a directory below the project's root");
        }
        directory
    });
    let mut profile = Profile::UNIFIED;
    if let Some(directory) = directory {
        profile.directory = Directory::Project(Cow::Owned(directory));
    }
    if let Some(days) = retention_days {
        profile.retention = Retention::days(days);
    }
    let layer = Layer { max_lines, max_bytes, keep, ..Layer::default() };
    UnifiedVariables { profile, layer, warnings }
}

impl UnifiedVariables {
    /// Returns a builder with the profile and the settings. Add a store.
    pub fn builder(self) -> OverspillBuilder {
        let settings = Settings { environment: self.layer, ..Settings::default() };
        Overspill::builder().profile(self.profile).settings(settings)
    }
}

/// Parses a whole number that is not negative. A number beyond `u64` becomes the largest one.
fn whole_number(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.strip_prefix('+').unwrap_or(text);
    let is_zero = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte == b'0');
    match digits.strip_prefix('-') {
        Some(digits) => is_zero(digits).then_some(0),
        None if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) => None,
        None => Some(digits.parse().unwrap_or(u64::MAX)),
    }
}

/// Returns a relative path without `.` and `..`. Returns `None` if the path leaves its directory.
fn below_project(path: &str) -> Option<String> {
    let mut steps = Vec::new();
    for component in Path::new(path).components() {
        match component {
            Component::Normal(step) => steps.push(step.to_string_lossy()),
            Component::CurDir => {}
            Component::ParentDir => drop(steps.pop()?),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    (!steps.is_empty()).then(|| steps.join("/"))
}
