//! Finds the settings that apply to a call.

use overspill_core::{KindHint, Limits, Policy};

use super::{CallSetting, CallValue, KindSetting, Layer, Origin, ProjectRule, entries_of};
use crate::Profile;

/// The layers between the profile and the call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// The user's file.
    pub user: Layer,
    /// The project's file. It comes with a checkout and is not trusted: each setting has a
    /// [`ProjectRule`].
    pub project: Layer,
    /// The environment. It has no entries for tools.
    pub environment: Layer,
}

impl From<Layer> for Settings {
    /// Returns the settings of a user, without a project and an environment.
    fn from(user: Layer) -> Settings {
        Settings { user, ..Settings::default() }
    }
}

/// A value and the level that it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// The value.
    pub value: CallValue,
    /// The level of the value.
    pub origin: Origin,
}

/// The settings that apply to one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effective {
    settings: [Setting; CallSetting::ALL.len()],
    /// The values of the project that are not allowed.
    pub refused: Vec<RefusedSetting>,
}

/// A value of a project that is not allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedSetting {
    /// The tool of the project's entry. `None` for its general settings.
    pub tool: Option<String>,
    /// The setting.
    pub setting: CallSetting,
    /// The value in the project's file.
    pub asked: CallValue,
    /// The value that applies without the project.
    pub used: CallValue,
}

impl Settings {
    /// Returns the settings that apply to a call of `tool`. The tool may have `declared` settings.
    pub fn effective(
        &self,
        profile: &Profile,
        tool: Option<&str>,
        declared: Option<&Layer>,
        call: &Layer,
    ) -> Effective {
        let entry_of = |layer: &Layer| {
            entries_of(tool?)
                .find_map(|name| layer.tools.get_key_value(&*name))
                .map(|(name, entry)| (name.clone(), entry.clone()))
        };
        // Only one entry applies, so that all settings of a tool are in one place.
        let of_user = entry_of(&self.user).map(|(_, entry)| entry);
        let entry = of_user.or_else(|| declared.cloned());
        // The profile's entry is a default, so every value of the user overrides it.
        let built_in = tool.filter(|_| entry.is_none()).and_then(|tool| profile.tool(tool));
        let base = Layer::from(&profile.policy).enabled(true);
        let base = base.updated(&built_in.unwrap_or_default());
        let mut entry = entry.unwrap_or_default();
        let trusted = base.updated(&self.user);
        let mut refused = Vec::new();
        let project = allowed(&self.project, &trusted, None, &mut refused);
        // A project's entry is added, because the project cannot remove the user's entry.
        if let Some((name, wanted)) = entry_of(&self.project) {
            let without = trusted.updated(&self.environment).updated(&entry);
            entry = entry.updated(&allowed(&wanted, &without, Some(&name), &mut refused));
        }
        let layers = [
            (Origin::Call, call),
            (Origin::Tool, &entry),
            (Origin::Environment, &self.environment),
            (Origin::Project, &project),
            (Origin::User, &self.user),
            (Origin::Profile, &base),
        ];
        let strongest = |setting: CallSetting| {
            let set = |(origin, layer): &(Origin, &Layer)| {
                layer.get(setting).map(|value| Setting { value, origin: *origin })
            };
            let default = Setting { value: setting.field().default, origin: Origin::Profile };
            layers.iter().find_map(set).unwrap_or(default)
        };
        Effective { settings: CallSetting::ALL.map(strongest), refused }
    }

    /// Returns all values of the project that are not allowed, the general ones and those for
    /// tools.
    pub fn refused(&self, profile: &Profile) -> Vec<RefusedSetting> {
        let nothing = Layer::new();
        let mut refused = self.effective(profile, None, None, &nothing).refused;
        for tool in self.project.tools.keys() {
            let of_tool = self.effective(profile, Some(tool), None, &nothing).refused;
            refused.extend(of_tool.into_iter().filter(|one| one.tool.as_ref() == Some(tool)));
        }
        refused
    }
}

/// Returns the settings of a project that the rules allow. `without` has the values that apply
/// without the project.
fn allowed(
    project: &Layer,
    without: &Layer,
    tool: Option<&str>,
    refused: &mut Vec<RefusedSetting>,
) -> Layer {
    let mut allowed = Layer::new();
    for setting in CallSetting::ALL {
        let Some(asked) = project.get(setting) else { continue };
        let used = without.get(setting).unwrap_or(setting.field().default);
        let is_allowed = match setting.field().project {
            ProjectRule::Sets => true,
            ProjectRule::Tightens => !asked.is_looser_than(used),
            ProjectRule::Ignored => false,
        };
        if is_allowed {
            allowed.set(setting, Some(asked));
        } else if asked != used {
            let tool = tool.map(str::to_owned);
            refused.push(RefusedSetting { tool, setting, asked, used });
        }
    }
    allowed
}

impl Effective {
    /// Returns a setting and the level that it comes from.
    pub fn get(&self, setting: CallSetting) -> Setting {
        self.settings[setting as usize]
    }

    /// Returns these settings as one level with all values.
    pub fn layer(&self) -> Layer {
        let mut layer = Layer::new();
        for setting in CallSetting::ALL {
            layer.set(setting, Some(self.get(setting).value));
        }
        layer
    }

    /// Tells whether outputs are shortened at all.
    pub fn is_enabled(&self) -> bool {
        self.get(CallSetting::Enabled).value == CallValue::Switch(true)
    }

    /// Returns the size over which an output is always cut. It is unlimited if the ceiling is
    /// switched off.
    pub fn ceiling(&self, profile: &Profile) -> Limits {
        match self.get(CallSetting::Ceiling).value {
            CallValue::Switch(false) => Limits::NONE,
            _ => profile.ceiling,
        }
    }

    /// Returns the profile's policy with these settings.
    pub fn policy(&self, profile: &Profile) -> Policy {
        let layer = self.layer();
        let limits = layer.limits();
        // Some profiles shorten only above a trigger that is larger than their limits. Limits of
        // the user replace both.
        let is_changed = limits != profile.policy.limits;
        let trigger = if is_changed { limits } else { profile.policy.trigger };
        let keep = layer.keep.unwrap_or(profile.policy.keep);
        let forced = match layer.kind {
            Some(KindSetting::Only(kind)) => Some(kind),
            Some(KindSetting::Auto) | None => profile.policy.hint.forced,
        };
        let hint = KindHint { forced, ..profile.policy.hint };
        let fill = layer.fill.unwrap_or(profile.policy.fill);
        Policy { trigger, limits, keep, hint, fill, ..profile.policy.clone() }
    }
}
