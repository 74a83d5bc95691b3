//! The settings that apply: combines files, variables and the profile, and makes the engine from
//! them.

use overspill::internal::settings::{CallValue, RefusedSetting, Warning};
use overspill::internal::store::Nowhere;
use overspill::{Limit, Overspill, Profile, ReaderAbilities, Settings};

use super::edit::KeyPath;
use super::keys::Key;
use super::{SettingSources, systems};
use crate::bucket;
use crate::hosts::Host;
use crate::tokenizer::Tokenizer;

/// The settings that apply.
#[derive(Debug)]
pub(crate) struct ResolvedSettings {
    pub(crate) profile: Profile,
    pub(crate) settings: Settings,
    /// The files and variables, without the values that a project may not set.
    pub(crate) sources: SettingSources,
}

impl SettingSources {
    /// Returns the settings that apply with `profile`, or with the profile of the settings.
    pub(crate) fn resolved(mut self, profile: Option<Profile>) -> ResolvedSettings {
        let mut profile = profile.unwrap_or_else(|| self.profile());
        let mut settings = Settings {
            user: self.user.layer(),
            project: self.project.layer(),
            environment: super::file::layer(&self.environment),
        };
        let (warnings, notes) = systems::read_their_own(&mut profile, &mut settings, &self.env);
        self.warnings.extend(warnings);
        self.notes.extend(notes);
        if let Some(tokenizer) = self.choice(Key::Tokenizer).and_then(Tokenizer::named) {
            profile.policy.tokens = tokenizer.tokens();
        }
        for refused in settings.refused(&profile) {
            self.refuse(refused);
        }
        ResolvedSettings { profile, settings, sources: self }
    }

    /// Removes a value that the project may not set, and adds a warning.
    fn refuse(&mut self, refused: RefusedSetting) {
        let address = KeyPath { tool: refused.tool, key: Key::Call(refused.setting) };
        let line = self.project.remove(&address).and_then(|found| found.line).unwrap_or_default();
        let message = match refused.used {
            CallValue::Limit(Limit::AtMost(limit)) => {
                format!("ignored: a project file cannot raise your limit of {limit}")
            }
            _ => super::NOT_FOR_PROJECTS.into(),
        };
        let place = self.project_file.as_deref().map(|path| format!("{}:{line}", path.display()));
        self.warnings.push(Warning { key: address.to_string(), place, message });
    }
}

impl ResolvedSettings {
    /// Makes the engine with these settings.
    pub(crate) fn overspill(self) -> Overspill {
        self.sources.say_warnings();
        let retention = self.sources.retention(&self.profile);
        let is_bucket = bucket::holds(&self.sources, &self.profile);
        let redact = self.sources.redact(is_bucket);
        let store = self.sources.store(&self.profile);
        // Without a store, overspill still shows the output and does not save it.
        let overspill = match store {
            Ok(store) => Overspill::builder().shared_store(store),
            Err(reason) => Overspill::builder().store(Nowhere::because(reason)),
        };
        let overspill = overspill.profile(self.profile).redact(redact);
        let overspill = overspill.settings(self.settings).retention(retention);
        // A bucket has no files that a reader could open.
        let env = self.sources.env;
        let file_tool = Host::file_tool(&env).map(str::to_owned);
        let reach = ReaderAbilities { files: !is_bucket, file_tool, ..ReaderAbilities::default() };
        // The reader of this output has run overspill, and so can run `overspill read`.
        let around = env.clone();
        let overspill = overspill.host(move || Host::of_calls_around(&around));
        overspill.reader(reach).program(move || env.program_name().to_owned()).build()
    }
}
