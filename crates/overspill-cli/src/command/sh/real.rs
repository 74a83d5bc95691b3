//! Finds the shell that we stand in for.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::SHELLS;
use crate::home;

/// Where shells are if the PATH does not say.
const USUAL: [&str; 2] = ["/bin", "/usr/bin"];

/// Returns the shell of this name that is not us.
pub(super) fn named(name: &str) -> PathBuf {
    let path = home::variable("PATH").unwrap_or_default();
    let directories = std::env::split_paths(&path).chain(USUAL.iter().map(PathBuf::from));
    let absolute = directories.filter(|directory| directory.is_absolute());
    let mut all = absolute.map(|directory| directory.join(name));
    all.find(|path| is_real(path)).unwrap_or_else(|| Path::new("/bin").join(name))
}

/// Returns the shell for a whole line of Claude Code: the one that its first file was made for.
pub(super) fn of_line(line: &OsStr) -> PathBuf {
    let line = line.to_string_lossy();
    let made_for = SHELLS.iter().find(|shell| line.contains(&format!("/snapshot-{shell}-")));
    let is_meant = |shell: &PathBuf| {
        let name = shell.file_name().and_then(OsStr::to_str).unwrap_or_default();
        shell.is_absolute()
            && made_for.map_or(["bash", "zsh"].contains(&name), |made| *made == name)
    };
    let chosen = ["CLAUDE_CODE_SHELL", "SHELL"].into_iter().filter_map(home::variable);
    let mut chosen = chosen.map(PathBuf::from).filter(is_meant);
    chosen.find(|shell| is_real(shell)).unwrap_or_else(|| named(made_for.unwrap_or(&"bash")))
}

/// Tells whether a file is there and leads neither to us nor to another version of us: two that took
/// each other for the real shell would call each other for ever.
fn is_real(path: &Path) -> bool {
    let Ok(file) = std::fs::canonicalize(path) else { return false };
    let own = std::env::current_exe().ok();
    file.is_file() && file.file_stem() != Some(OsStr::new("overspill")) && Some(file) != own
}
