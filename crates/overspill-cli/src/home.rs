//! Where things are kept: the one place that looks at the environment for it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use overspill::store::{Disk, DiskOptions};

/// Returns what to type to run this program: its name, or the path it was run by.
pub(crate) fn program() -> String {
    let typed = std::env::args().next().unwrap_or_default();
    if typed.contains('/') { quoted(&typed) } else { "overspill".into() }
}

/// Returns the user's shell.
pub(crate) fn shell() -> OsString {
    let shell = std::env::var_os("SHELL").filter(|shell| Path::new(shell).is_absolute());
    shell.unwrap_or_else(|| "/bin/sh".into())
}

/// Returns `text` as one word of a shell.
pub(crate) fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Returns the store, or why there is none.
pub(crate) fn disk() -> Result<Disk, String> {
    root().map(|root| Disk::new(root, DiskOptions::default()))
}

/// Returns the directory that outputs are saved in.
fn root() -> Result<PathBuf, String> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    if let Some(root) = variable("OVERSPILL_DIR") {
        return std::path::absolute(root).map_err(|error| format!("OVERSPILL_DIR: {error}"));
    }
    // The specification of base directories has relative paths ignored.
    let state = variable("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    if let Some(state) = state {
        return Ok(state.join("overspill"));
    }
    match variable("HOME").or_else(|| variable("LOCALAPPDATA")) {
        Some(home) => Ok(PathBuf::from(home).join(".local/state/overspill")),
        None => Err("there is no home directory, and OVERSPILL_DIR is not set".into()),
    }
}
