//! Options that describe the call of an output, and options that choose the store of a command.

use clap::Args as ClapArgs;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use overspill::Profile;
use overspill::seeds::Preset;

use super::{Engine, profiles};
use crate::env::Env;
use crate::stores::StoreAccess;

/// Options about the call that makes an output.
#[derive(Debug, Default, ClapArgs)]
pub(crate) struct CallDetails {
    /// The id of the call. `info` shows it, and some profiles use it in file names [default: none].
    #[arg(long, value_name = "ID")]
    call_id: Option<String>,
    /// The session of the output, for `list --session` [default: $OVERSPILL_SESSION, or the session that the host names].
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Add advice about sub-agents to the notice, if the profile has such advice.
    #[arg(long)]
    delegate: bool,
    /// Set the limits and the part to show in one option. Other options override them [default:
    /// none].
    #[arg(long, value_name = "NAME", value_parser = presets())]
    preset: Option<Preset>,
}

impl CallDetails {
    /// Returns the engine with these details.
    pub(crate) fn added_to(&self, mut engine: Engine) -> Engine {
        engine.call_id = self.call_id.clone();
        if self.session.is_some() {
            engine.session = self.session.clone();
        }
        engine.options.delegate = self.delegate;
        if let Some(preset) = self.preset {
            engine.options.settings = preset.layer().updated(&engine.options.settings);
        }
        engine
    }
}

fn presets() -> impl TypedValueParser<Value = Preset> {
    let preset = |name: &str| match name {
        "code" => Ok(Preset::Code),
        "log" => Ok(Preset::Log),
        "error" => Ok(Preset::Error),
        _ => Err("unknown"),
    };
    let values = [
        ("code", "2000 lines, 50 KiB, the start"),
        ("log", "500 lines, 20 KiB, the end"),
        ("error", "100 lines, 10 KiB, the end"),
    ];
    let values = values.map(|(name, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(values).try_map(move |name| preset(&name))
}

/// Options that choose the store of a command.
#[derive(Debug, Default, ClapArgs)]
pub(crate) struct StoreArgs {
    /// Use the store of this profile [default: the setting `profile`].
    #[arg(long, value_name = "NAME", value_parser = profiles())]
    profile: Option<&'static str>,
}

impl StoreArgs {
    /// Returns the arguments for a command line; nothing if the option is not given.
    pub(crate) fn words(&self) -> impl Iterator<Item = &'static str> {
        self.profile.into_iter().flat_map(|profile| ["--profile", profile])
    }

    /// Returns the access to this store.
    pub(crate) fn access<'a>(&self, env: &'a Env) -> StoreAccess<'a> {
        StoreAccess { env, profile: self.profile.and_then(Profile::named) }
    }
}
