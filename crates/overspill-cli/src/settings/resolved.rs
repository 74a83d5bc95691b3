//! What holds, once it is known for which profile.

use overspill::notice::ReaderAbilities;
use overspill::store::Nowhere;
use overspill::{Effective, Layer, Limit, Overspill, Profile, Setting, Settings, Warning};

use super::file::{Values, is_looser};
use super::value::SettingValue;
use super::{SettingSources, systems};
use crate::{bucket, home, program};

/// The settings that hold.
#[derive(Debug)]
pub(crate) struct ResolvedSettings {
    pub(crate) profile: Profile,
    pub(crate) settings: Settings,
    /// Without what a project may not do.
    pub(crate) sources: SettingSources,
}

impl SettingSources {
    /// Settles what holds for `profile`, or for the one that is set.
    pub(crate) fn in_force(mut self, profile: Option<Profile>) -> ResolvedSettings {
        let mut profile = profile.unwrap_or_else(|| self.profile());
        let mut settings = Settings {
            user: self.user.layer(),
            environment: super::file::layer(&self.environment),
            ..Settings::default()
        };
        let (warnings, notes) = systems::read_their_own(&mut profile, &mut settings);
        self.warnings.extend(warnings);
        self.notes.extend(notes);
        if let Some(SettingValue::Tokenizer(tokenizer)) = self.own("tokenizer") {
            profile.policy.tokens = tokenizer.tokens();
        }
        self.drop_what_is_looser(&profile, &settings);
        settings.project = self.project.layer();
        ResolvedSettings { profile, settings, sources: self }
    }

    /// Leaves out what a project may not set because it is looser than what holds without it.
    fn drop_what_is_looser(&mut self, profile: &Profile, without: &Settings) {
        let place = self.project_file.as_deref().map(|path| path.display().to_string());
        let mut drop = |values: &mut Values, table: &str, trusted: Effective| {
            values.retain(|name, found| {
                let Some(limit) = looser(name, &found.value, &trusted) else { return true };
                let line = found.line.unwrap_or_default();
                self.warnings.push(Warning {
                    key: format!("{table}{name}"),
                    place: place.as_ref().map(|place| format!("{place}:{line}")),
                    message: format!("ignored: a project file cannot raise your limit of {limit}"),
                });
                false
            });
        };
        let nothing = Layer::default();
        // A variable is stronger than the project's general settings in any case.
        let no_variables = Settings { environment: Layer::default(), ..without.clone() };
        let trusted = no_variables.effective(profile, None, None, &nothing);
        drop(&mut self.project.values, "", trusted);
        for (tool, values) in &mut self.project.tools {
            let trusted = without.effective(profile, Some(tool), None, &nothing);
            drop(values, &format!("tools.{tool}."), trusted);
        }
    }
}

/// Returns what holds, if `value` is looser than that.
fn looser(name: &str, value: &SettingValue, trusted: &Effective) -> Option<String> {
    let limit = |setting: Setting<Limit>| match value {
        SettingValue::Most(most) if is_looser(*most, setting.value) => {
            Option::<u64>::from(setting.value).map(|limit| limit.to_string())
        }
        _ => None,
    };
    match name {
        "max_lines" => limit(trusted.max_lines),
        "max_bytes" => limit(trusted.max_bytes),
        "max_chars" => limit(trusted.max_chars),
        "max_tokens" => limit(trusted.max_tokens),
        _ => None,
    }
}

impl ResolvedSettings {
    /// Makes the engine of it.
    pub(crate) fn overspill(self) -> Overspill {
        self.sources.say_warnings();
        let retention = self.sources.retention(&self.profile);
        let is_bucket = bucket::holds(&self.sources, &self.profile);
        let redact = self.sources.redact(is_bucket);
        let store = self.sources.store(&self.profile, &home::places());
        // Without a place for it the output is not saved; that is no reason not to run.
        let overspill = match store {
            Ok(store) => Overspill::sharing(self.profile, store),
            Err(reason) => Overspill::new(self.profile, Nowhere::because(reason)),
        };
        let overspill = overspill.with_redaction(redact);
        let overspill = overspill.with_settings(self.settings).with_retention(retention);
        // In a bucket there is nothing to open.
        let reach = ReaderAbilities { files: !is_bucket, ..ReaderAbilities::default() };
        // Whoever reads this has run us, and so can run us again.
        overspill.with_reach(reach).with_program(program::word)
    }
}
