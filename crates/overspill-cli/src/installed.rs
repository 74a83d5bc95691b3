//! Tells how this program was installed.
//!
//! All channels ship the same program, so the program itself does not know its channel. Each
//! package has a file beside the program, `share/overspill/installed-by`, with the name of the
//! channel and the version: `pip 0.2.0`. Another channel may have replaced the program, so a file
//! of another version does not count. `cargo install` writes its own list.

use std::fs;
use std::path::Path;

/// The file below the prefix that names the channel.
const MARKER: &str = "share/overspill/installed-by";
/// The list that `cargo install` writes below the prefix.
const CARGO_LIST: &str = ".crates.toml";
const CHANNELS: [&str; 4] = ["pip", "npm", "deb", "archive"];

/// Returns the channel that installed this program, if it is known.
pub(crate) fn channel(program: &Path) -> Option<&'static str> {
    let prefix = program.parent()?.parent()?;
    let version = env!("CARGO_PKG_VERSION");
    if let Ok(marker) = fs::read_to_string(prefix.join(MARKER)) {
        let (name, marked) = marker.trim().split_once(' ')?;
        return CHANNELS.into_iter().find(|known| *known == name && marked == version);
    }
    let list = fs::read_to_string(prefix.join(CARGO_LIST)).ok()?;
    list.contains(&format!("\"overspill-cli {version} ")).then_some("cargo")
}

/// Returns the version, and the channel in brackets if it is known.
pub(crate) fn version(program: Option<&Path>) -> String {
    let version = env!("CARGO_PKG_VERSION");
    match program.and_then(channel) {
        Some(channel) => format!("{version} ({channel})"),
        None => version.to_owned(),
    }
}

/// A cache from which uv or npm runs a program without installing it. The cache can be emptied at
/// any time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProgramCache {
    /// The command that runs programs from the cache.
    pub(crate) runner: &'static str,
    /// The command that installs the program permanently.
    pub(crate) install: &'static str,
}

/// Returns the cache from which a program runs; `None` if it is installed.
pub(crate) fn cache(program: &Path) -> Option<ProgramCache> {
    let has = |is_wanted: fn(&str) -> bool| {
        program.iter().any(|name| name.to_str().is_some_and(is_wanted))
    };
    if has(|name| name.starts_with("archive-v")) {
        return Some(ProgramCache { runner: "uvx", install: "uv tool install overspill" });
    }
    let npx = ProgramCache { runner: "npx", install: "npm install -g overspill" };
    has(|name| name == "_npx").then_some(npx)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(file: &str, text: &str) -> Option<&'static str> {
        let prefix = tempfile::tempdir().unwrap();
        let path = prefix.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        channel(&prefix.path().join("bin/overspill"))
    }

    #[test]
    fn marker_of_this_version_names_the_channel() {
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(told(MARKER, &format!("pip {version}\n")), Some("pip"));
        assert_eq!(told(MARKER, "pip 0.1.0\n"), None);
        assert_eq!(told(MARKER, &format!("\u{1b}[31m {version}\n")), None);
        assert_eq!(told(MARKER, ""), None);
    }

    #[test]
    fn list_of_cargo_counts_for_this_version_only() {
        let list = |version: &str| {
            format!("[v1]\n\"overspill-cli {version} (path+file:///x)\" = [\"overspill\"]\n")
        };
        assert_eq!(told(CARGO_LIST, &list(env!("CARGO_PKG_VERSION"))), Some("cargo"));
        assert_eq!(told(CARGO_LIST, &list("0.1.0")), None);
        assert_eq!(told("other", ""), None);
    }

    #[test]
    fn program_in_a_cache_is_found_by_its_path() {
        let runner = |path: &str| cache(Path::new(path)).map(|cache| cache.runner);
        assert_eq!(runner("/home/ada/.cache/uv/archive-v0/FDUl/bin/overspill"), Some("uvx"));
        let npx = "/home/ada/.npm/_npx/5f0c/node_modules/overspill-linux-x64-gnu/bin/overspill";
        assert_eq!(runner(npx), Some("npx"));
        assert_eq!(runner("/home/ada/.local/share/uv/tools/overspill/bin/overspill"), None);
        assert_eq!(runner("/usr/lib/node_modules/overspill/bin/overspill"), None);
    }
}
