//! `overspill config edit`: opens a settings file in the editor, and checks it afterwards.

use std::process::Command;

use anyhow::{anyhow, bail};
use overspill::internal::settings::ProjectRule;

use super::ConfigArgs;
use super::change::{Destination, owner};
use crate::env::Env;
use crate::settings::keys::{Area, Key};
use crate::settings::{FileOwner, SettingsFile};
use crate::ui;

/// The editor if no variable names one.
const DEFAULT_EDITOR: &str = "vi";

/// Opens the settings file in the editor, and checks it afterwards. Creates the file if it does not
/// exist.
pub(super) fn edit(args: &ConfigArgs, env: &Env) -> anyhow::Result<()> {
    let path = args.file(env)?;
    let destination = Destination::of(args, path.clone(), env)?;
    if !path.exists() && !args.is_takumi() {
        destination.put(&template(owner(args)))?;
    }
    let editor = env.variable("VISUAL").or_else(|| env.variable("EDITOR"));
    let editor = editor.unwrap_or_else(|| DEFAULT_EDITOR.into());
    let shown = ui::short(&editor.to_string_lossy(), 60);
    // The variable may have options, as git allows it.
    let line = format!("{} \"$@\"", editor.to_string_lossy());
    let status = Command::new("/bin/sh").arg("-c").arg(line).arg(&editor).arg(&path).status();
    let status = status.map_err(|error| anyhow!("{shown}: {}", ui::reason(&error)))?;
    if !status.success() {
        bail!(
            "the editor `{shown}` failed: {status}\n\nhint: set EDITOR to the command of your editor; \
             `overspill config path` shows the file"
        );
    }
    if args.is_takumi() {
        return Ok(());
    }
    let text = destination.text()?;
    let parsed = SettingsFile::parse(&text, &path, owner(args));
    let mut warnings = parsed.warnings;
    warnings.extend(parsed.faults.into_iter().map(|fault| fault.warning));
    if warnings.is_empty() {
        return ui::answer(&format!("{}: no mistakes\n", env.shown(&path)));
    }
    let rows: String =
        warnings.iter().map(|warning| format!("\n  {}", ui::warning(warning))).collect();
    let again = if args.project { "config edit --project" } else { "config edit" };
    bail!(
        "{}: {}{rows}\n\nhint: `overspill {again}` opens the file again",
        env.shown(&path),
        ui::count(warnings.len() as u64, "mistake")
    )
}

/// Tells whether a file may set this setting.
fn may_set(owner: FileOwner, key: Key) -> bool {
    owner == FileOwner::User || key.row().project != ProjectRule::Ignored
}

/// Returns the text of a new file, in which every setting is a comment.
fn template(owner: FileOwner) -> String {
    let mut text = match owner {
        FileOwner::User => "# Your settings of overspill.",
        FileOwner::Project => {
            "# The settings of overspill for this project. A project can lower limits."
        }
    }
    .to_owned();
    text.push_str(" Remove the `#` before a setting to set it.\n");
    text.push_str("# `overspill config list` shows the values in use.\n");
    for area in Area::ALL {
        let keys: Vec<Key> =
            Key::all().filter(|key| key.area() == area && may_set(owner, *key)).collect();
        if keys.is_empty() {
            continue;
        }
        text.push_str(&format!("\n# {}\n", area.title()));
        for key in keys {
            let example = key.kind().example().trim_matches('\'');
            let is_bare = example.parse::<i64>().is_ok() || example == "true";
            let value = if is_bare { example.to_owned() } else { format!("{example:?}") };
            text.push_str(&format!("# {} = {value}  # {}\n", key.name(), key.row().help));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn template_is_valid_with_and_without_its_comment_signs() {
        for owner in [FileOwner::User, FileOwner::Project] {
            let text = template(owner);
            assert!(text.lines().all(|line| line.is_empty() || line.starts_with('#')), "{text}");
            let is_setting = |line: &&str| line.starts_with("# ") && line.contains(" = ");
            let set: Vec<&str> = text.lines().filter(is_setting).map(|line| &line[2..]).collect();
            let path = std::path::Path::new("/x/config.toml");
            let parsed = SettingsFile::parse(&(set.join("\n") + "\n"), path, owner);
            assert!(parsed.warnings.is_empty(), "{:?}", parsed.warnings);
            let expected = Key::all().filter(|key| may_set(owner, *key)).count();
            assert_eq!(parsed.file.values.len(), expected, "{set:?}");
        }
    }
}
