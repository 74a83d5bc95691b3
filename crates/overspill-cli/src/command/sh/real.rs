//! Finds the real shell for which `overspill sh` stands in.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::words;
use crate::env::Env;
use crate::hosts::{self, Host, SHELLS, SlotKind};
use crate::settings::variables;

/// The directories in which to look for shells after the PATH.
const USUAL: [&str; 2] = ["/bin", "/usr/bin"];

/// Returns the shell of this name that is not overspill.
pub(super) fn named(name: &str, env: &Env) -> PathBuf {
    let usual = USUAL.iter().map(|directory| Path::new(directory).join(name));
    let mut all = env.on_path(name).chain(usual).filter(|path| path.is_absolute());
    all.find(|path| is_real(path, env)).unwrap_or_else(|| Path::new("/bin").join(name))
}

/// Returns the shell that the user's alias of a host names, or the shell of this name.
pub(super) fn chosen(name: &str, env: &Env) -> PathBuf {
    // If `SHELL` is not a link of overspill, this variable comes from another host.
    let is_alias =
        env.variable("SHELL").is_some_and(|shell| Path::new(&shell).starts_with(env.links()));
    let own = env.variable(variables::SHELL).filter(|_| is_alias).map(PathBuf::from);
    let own = own.filter(|path| path.is_absolute() && is_real(path, env));
    own.unwrap_or_else(|| named(name, env))
}

/// Returns the shell that a host would run itself, if the host calls overspill by the path that
/// `init` has put into its settings.
pub(super) fn in_slot(link: &Path, name: &str, words: &[OsString], env: &Env) -> Option<PathBuf> {
    // A script or another host that uses only the name wants exactly this shell.
    let is_slot =
        link.is_absolute() && words::command(words).is_some() && !hosts::is_already_shortened(env);
    let mut hosts = Host::around(env).filter(|host| is_slot && host.slot == Some(SlotKind::Shell));
    let rule = hosts.next()?.shell;
    let own = rule.of_user(env).filter(|shell| is_real(shell, env));
    let own = own.filter(|_| hosts.all(|other| other.shell == rule))?;
    // The text around a command for a login shell is written for the shell with the name of the
    // link.
    let fits = !words::is_login(words) || own.file_name() == Some(OsStr::new(name));
    fits.then_some(own)
}

/// Returns the user's own shell, or another shell of the same name if it is gone.
pub(super) fn at(own: &Path, env: &Env) -> PathBuf {
    let name = own.file_name().and_then(OsStr::to_str).unwrap_or("bash");
    let is_there = own.is_absolute() && is_real(own, env);
    if is_there { own.to_owned() } else { named(name, env) }
}

/// Returns the shell for a whole line of Claude Code: the shell for which its first file was made.
pub(super) fn of_line(line: &OsStr, env: &Env) -> PathBuf {
    let line = line.to_string_lossy();
    let made_for = SHELLS.iter().find(|shell| line.contains(&format!("/snapshot-{shell}-")));
    let is_meant = |shell: &PathBuf| {
        let name = shell.file_name().and_then(OsStr::to_str).unwrap_or_default();
        shell.is_absolute()
            && made_for.map_or(["bash", "zsh"].contains(&name), |made| *made == name)
    };
    let chosen = ["CLAUDE_CODE_SHELL", "SHELL"].into_iter().filter_map(|name| env.variable(name));
    let mut chosen = chosen.map(PathBuf::from).filter(is_meant);
    let shell = chosen.find(|shell| is_real(shell, env));
    shell.unwrap_or_else(|| named(made_for.unwrap_or(&"bash"), env))
}

/// Tells whether a file exists and leads neither to this program nor to another version of
/// overspill: two versions that took each other for the real shell would call each other endlessly.
fn is_real(path: &Path, env: &Env) -> bool {
    let Ok(file) = std::fs::canonicalize(path) else { return false };
    let own = env.executable().ok();
    file.is_file() && file.file_stem() != Some(OsStr::new("overspill")) && Some(file) != own
}
