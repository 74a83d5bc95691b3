//! Finds the settings that apply to a call.

use overspill_core::Policy;

use super::{CallSetting, CallValue, Layer, Origin, ProjectRule, entries_of};
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

/// A value and the level that it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// The value.
    pub value: CallValue,
    /// The level that it comes from.
    pub origin: Origin,
}

/// The settings that apply to one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effective {
    settings: [Setting; CallSetting::ALL.len()],
    /// The values that the project asked for and did not get.
    pub refused: Vec<RefusedSetting>,
}

/// A value that a project asked for and did not get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedSetting {
    /// The project's entry for a tool; none for its general settings.
    pub tool: Option<String>,
    /// The setting.
    pub setting: CallSetting,
    /// The value that the project asked for.
    pub asked: CallValue,
    /// The value that applies without the project.
    pub used: CallValue,
}

impl Settings {
    /// Returns the settings that apply to a call of `tool`, which may have `declared` settings of its own.
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
        let base = Layer::from(&profile.policy).enabled(true);
        let trusted = base.updated(&self.user);
        let mut refused = Vec::new();
        let project = allowed(&self.project, &trusted, None, &mut refused);
        // Only one entry applies, so that all settings of a tool stand in one place.
        let of_user = entry_of(&self.user).map(|(_, entry)| entry);
        let built_in = || tool.and_then(|tool| profile.tool(tool));
        let mut entry = of_user.or_else(|| declared.cloned()).or_else(built_in).unwrap_or_default();
        // A project's entry is added to it: the project cannot remove the user's entry.
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

    /// Returns all values that the project asks for and does not get, in general and for its tools.
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

/// Returns the settings of a project that its rules allow. `without` has every value that applies
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

    /// Returns these settings as one level that sets everything.
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

    /// Returns the profile's policy with these settings.
    pub fn policy(&self, profile: &Profile) -> Policy {
        let layer = self.layer();
        let limits = layer.limits();
        // Some profiles shorten only above a trigger that is larger than their limits. Limits of the user
        // replace both.
        let is_changed = limits != profile.policy.limits;
        let trigger = if is_changed { limits } else { profile.policy.trigger };
        let keep = layer.keep.unwrap_or(profile.policy.keep);
        Policy { trigger, limits, keep, ..profile.policy.clone() }
    }
}

#[cfg(test)]
mod tests {
    use overspill_core::Keep;

    use super::*;
    use crate::Limit;

    const LINES: CallSetting = CallSetting::MaxLines;

    fn lines(limit: u64) -> Layer {
        Layer::new().max_lines(limit)
    }

    fn at_most(limit: u64) -> CallValue {
        CallValue::Limit(Limit::AtMost(limit))
    }

    fn effective(settings: &Settings, tool: &str) -> Effective {
        settings.effective(&Profile::OWN, Some(tool), None, &Layer::new())
    }

    fn lines_of(settings: &Settings, tool: &str) -> CallValue {
        effective(settings, tool).get(LINES).value
    }

    #[test]
    fn strongest_level_that_sets_a_value_wins() {
        let mut settings = Settings { user: lines(2), ..Settings::default() };
        let found = |settings: &Settings| {
            let Setting { value, origin } = effective(settings, "bash").get(LINES);
            (value, origin)
        };
        assert_eq!(found(&Settings::default()), (at_most(2000), Origin::Profile));
        assert_eq!(found(&settings), (at_most(2), Origin::User));
        settings.project = lines(1);
        assert_eq!(found(&settings), (at_most(1), Origin::Project));
        settings.environment = lines(4);
        assert_eq!(found(&settings), (at_most(4), Origin::Environment));
        settings.user = settings.user.tool("bash", lines(5));
        assert_eq!(found(&settings), (at_most(5), Origin::Tool));
        let called = settings.effective(&Profile::OWN, Some("bash"), None, &lines(6)).get(LINES);
        assert_eq!((called.value, called.origin), (at_most(6), Origin::Call));
    }

    #[test]
    fn project_tightens_and_cannot_loosen() {
        let with = |project: Layer| {
            let settings = Settings { user: lines(10), project, ..Settings::default() };
            let effective = effective(&settings, "bash");
            assert!(effective.is_enabled());
            (effective.get(LINES), effective.refused)
        };
        let (set, refused) = with(lines(5).keep(Keep::Tail));
        assert_eq!((set.value, set.origin), (at_most(5), Origin::Project));
        assert_eq!(refused, []);
        for asked in [Limit::AtMost(11), Limit::Unlimited] {
            let (set, refused) = with(Layer::new().max_lines(asked));
            assert_eq!((set.value, set.origin), (at_most(10), Origin::User));
            let (asked, used) = (CallValue::Limit(asked), at_most(10));
            assert_eq!(refused, [RefusedSetting { tool: None, setting: LINES, asked, used }]);
        }
        let (_, refused) = with(Layer::new().enabled(false));
        assert_eq!(refused[0].setting, CallSetting::Enabled);
        let (_, refused) = with(Layer::new().tool("bash", Layer::new().enabled(false)));
        assert_eq!(refused[0].tool.as_deref(), Some("bash"));
        let (set, _) = with(Layer::new().tool("bash", lines(50)));
        assert_eq!((set.value, set.origin), (at_most(10), Origin::User));
    }

    #[test]
    fn refused_has_the_general_settings_and_those_of_all_tools() {
        let project = lines(50).tool("a", lines(60)).tool("b", lines(3)).tool("c", lines(70));
        let settings = Settings { user: lines(10), project, ..Settings::default() };
        let refused = settings.refused(&Profile::OWN).into_iter();
        let refused: Vec<_> = refused.map(|one| (one.tool, one.asked)).collect();
        let of = |tool: &str, limit| (Some(tool.to_owned()), at_most(limit));
        assert_eq!(refused, [(None, at_most(50)), of("a", 60), of("c", 70)]);
    }

    #[test]
    fn project_cannot_loosen_an_entry_for_a_tool_or_a_variable() {
        let bash = |layer: Layer| Layer::new().tool("bash", layer);
        let mut settings = Settings { user: bash(lines(10)), ..Settings::default() };
        settings.project = bash(lines(50));
        assert_eq!(lines_of(&settings, "bash"), at_most(10));
        settings.project = bash(Layer::new().keep(Keep::Tail));
        assert_eq!(lines_of(&settings, "bash"), at_most(10));
        settings.project = bash(lines(5));
        assert_eq!(lines_of(&settings, "bash"), at_most(5));
        let environment = lines(4);
        let settings = Settings { project: bash(lines(50)), environment, ..Settings::default() };
        assert_eq!(lines_of(&settings, "bash"), at_most(4));
    }

    #[test]
    fn only_one_entry_for_a_tool_applies() {
        let mut settings = Settings::default();
        let of = |settings: &Settings, declared: Option<&Layer>| {
            let effective =
                settings.effective(&Profile::AGENT_V2, Some("bash"), declared, &Layer::new());
            (effective.get(LINES).value, effective.layer().keep)
        };
        assert_eq!(of(&settings, None), (at_most(500), Some(Keep::Tail)));
        assert_eq!(of(&settings, Some(&lines(7))), (at_most(7), Some(Keep::Head)));
        settings.user = settings.user.tool("bash", lines(5));
        assert_eq!(of(&settings, Some(&lines(7))), (at_most(5), Some(Keep::Head)));
    }

    #[test]
    fn entry_of_a_server_applies_to_its_tools_without_an_entry() {
        let user = Layer::new().tool("srv/*", lines(6)).tool("srv/own", Layer::new());
        let mut settings = Settings { user, ..Settings::default() };
        for tool in ["srv/t", "srv/a/b", "srv", "srv/*"] {
            assert_eq!(lines_of(&settings, tool), at_most(6), "{tool}");
        }
        for other in ["srv/own", "sr", "other/t"] {
            assert_eq!(lines_of(&settings, other), at_most(2000), "{other}");
        }
        settings.project = Layer::new().tool("srv/*", lines(50));
        assert_eq!(lines_of(&settings, "srv/t"), at_most(6));
        settings.project = Layer::new().tool("srv/*", lines(5));
        assert_eq!(lines_of(&settings, "srv/t"), at_most(5));
    }

    #[test]
    fn every_setting_is_listed_set_and_read_back() {
        for (place, setting) in CallSetting::ALL.into_iter().enumerate() {
            assert_eq!(setting as usize, place);
            let mut layer = Layer::new();
            assert_eq!(layer.get(setting), None);
            layer.set(setting, Some(setting.field().default));
            assert_eq!(layer.get(setting), Some(setting.field().default), "{setting:?}");
            assert_eq!(Layer::new().updated(&layer), layer);
            layer.set(setting, None);
            assert_eq!(layer, Layer::new());
        }
    }
}
