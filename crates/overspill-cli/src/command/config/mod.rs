//! `overspill config`: shows and changes settings.

mod change;
mod check;
mod editor;
mod show;

use std::path::PathBuf;

use anyhow::{Context, bail};
use overspill::Profile;
use overspill::internal::profile::OwnSettings;

use crate::args::profiles;
use crate::env::Env;
use crate::settings::edit::KeyPath;
use crate::settings::systems::{TAKUMI_FILE, takumi_file};
use crate::settings::{PROJECT_FILE, ResolvedSettings, SettingSources, text};
use crate::ui::{self, UsageError};

/// Shows and changes settings.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill config list
  overspill config --changed
  overspill config edit
  overspill config set max_lines 500
  overspill config set tools.bash.keep tail
  overspill config set --project max_lines 300
  overspill config get store.dir

From weakest to strongest: profile, your file, project file, OVERSPILL_ variables, entries for a tool, options of a \
call. `overspill help settings` explains this, and docs/settings.md describes every setting.")]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    action: Option<Action>,
    /// Use the project's file, `.overspill.toml` [default: your own file].
    #[arg(long, global = true)]
    project: bool,
    /// Use the settings of this tool, such as `bash` [default: those of all tools].
    #[arg(long, global = true, value_name = "NAME")]
    tool: Option<String>,
    /// Show only settings that differ from the default.
    #[arg(long)]
    changed: bool,
    /// Use the defaults of this profile. The profile `takumi` also has its own settings files
    /// [default: the setting `profile`].
    #[arg(long, global = true, value_name = "NAME", value_parser = profiles())]
    profile: Option<&'static str>,
    /// Print JSON.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Prints the value in use.
    #[command(
        after_help = "Examples:\n  overspill config get max_lines\n  overspill config get tools.bash.keep\n  overspill config get store.dir --json"
    )]
    Get {
        /// A setting: `max_lines`, `store.dir`, `tools.bash.keep`.
        key: String,
    },
    /// Sets a value in your settings file, or in that of the project.
    #[command(
        after_help = "Examples:\n  overspill config set max_lines 500\n  overspill config set --tool bash keep tail\n  overspill config set --project max_lines 300"
    )]
    Set {
        /// A setting, such as `max_lines`.
        key: String,
        /// The new value, such as `500`, `50KiB`, `7d` or `none`.
        #[arg(allow_hyphen_values = true)]
        value: String,
    },
    /// Removes a value from a settings file, so that the default applies.
    #[command(
        after_help = "Examples:\n  overspill config unset max_lines\n  overspill config unset --project max_lines"
    )]
    Unset {
        /// A setting, such as `max_lines`.
        key: String,
    },
    /// Opens a settings file in your editor, and checks it afterwards.
    #[command(after_help = "Examples:\n  overspill config edit\n  overspill config edit --project")]
    Edit,
    /// Shows every setting, its value, and where it is set.
    #[command(
        after_help = "Examples:\n  overspill config list\n  overspill config list --changed\n  overspill config list --json | jq -r .key"
    )]
    List {
        /// Show only settings that differ from the default.
        #[arg(long)]
        changed: bool,
    },
    /// Tests the access to the bucket, and reports missing rights.
    #[command(after_help = "Examples:\n  overspill config check\n  overspill config check --json")]
    Check,
    /// Shows the paths of the settings files.
    #[command(after_help = "Examples:\n  overspill config path\n  overspill config path --project")]
    Path,
}

pub(crate) fn run(args: &ConfigArgs, env: &Env) -> u8 {
    if let Some(option) = args.without_meaning() {
        return ui::ended(
            Err(UsageError(format!("{option} has no effect on this command")).into()),
        );
    }
    if let Some(Action::Check) = &args.action {
        return ui::ended_with(check::check(args.json, env));
    }
    ui::ended(match &args.action {
        None | Some(Action::Check) => show::list(args, args.changed, env),
        Some(Action::List { changed }) => show::list(args, *changed || args.changed, env),
        Some(Action::Edit) => editor::edit(args, env),
        Some(Action::Get { key }) => show::get(args, key, env),
        Some(Action::Set { key, value }) => change::set(args, key, value, env),
        Some(Action::Unset { key }) => change::unset(args, key, env),
        Some(Action::Path) => show::path(args, env),
    })
}

impl ConfigArgs {
    /// Returns an option that has no effect on the action.
    fn without_meaning(&self) -> Option<&'static str> {
        let (is_check, is_path) =
            (matches!(self.action, Some(Action::Check)), matches!(self.action, Some(Action::Path)));
        if self.json && (matches!(self.action, Some(Action::Edit)) || self.is_takumi()) {
            return Some("--json");
        }
        let tool = self.tool.is_some() && (is_check || is_path);
        let others = [("--project", self.project), ("--profile", self.profile.is_some())];
        let other = others.into_iter().find(|(_, given)| is_check && *given);
        if tool { Some("--tool") } else { other.map(|(option, _)| option) }
    }

    fn resolved(&self, env: &Env) -> ResolvedSettings {
        let sources = SettingSources::read(env).with_unknown_variables();
        let resolved = sources.resolved(self.profile.and_then(Profile::named));
        resolved.sources.say_everything();
        resolved
    }

    fn address(&self, key: &str) -> Result<KeyPath, UsageError> {
        KeyPath::of(key, self.tool.as_deref()).map_err(UsageError)
    }

    fn is_takumi(&self) -> bool {
        let named = self.profile.and_then(Profile::named);
        named.is_some_and(|profile| profile.own_settings == OwnSettings::TakumiFiles)
    }

    /// Returns the path of the settings file, which may not exist yet.
    fn file(&self, env: &Env) -> anyhow::Result<PathBuf> {
        if self.project {
            return self.project_file(env);
        }
        let file = if self.is_takumi() { takumi_file(env) } else { env.user_file() };
        file.context("there is no home directory for the settings file\n\nhint: set HOME, or name a file with OVERSPILL_CONFIG; \
             `overspill config path` shows the files in use")
    }

    /// Returns the path of the project's file: the nearest file that exists, else a file in the
    /// project's root.
    fn project_file(&self, env: &Env) -> anyhow::Result<PathBuf> {
        let name = if self.is_takumi() { TAKUMI_FILE } else { PROJECT_FILE };
        let working = env.directory().context("the working directory")?;
        if env.project_directories().next().is_none() {
            bail!(
                "{}: this directory is not in a project, so its settings are not read\n\nhint: leave out --project to \
                 use your own settings file; `overspill config path` shows it",
                ui::path(working)
            );
        }
        let files = text::trusted_directories(env).map(|directory| directory.join(name));
        let mut files = files.filter(|file| file.is_file() && text::stranger_of(file).is_none());
        if let Some(nearest) = files.next() {
            return Ok(nearest);
        }
        let root = env.project_root();
        let file = root.join(name);
        let is_trusted = text::trusted_directories(env).any(|directory| directory == root);
        if !is_trusted || text::stranger_of(&file).is_some() {
            bail!(
                "{}: another user owns this file or its directory, so it is not read\n\nhint: change \
                 the owner, or leave out --project to use your own settings file",
                ui::path(&file)
            );
        }
        Ok(file)
    }
}
