//! Variables that move the files of a host to another directory.

use std::path::PathBuf;

use crate::env::Env;

/// A variable, the start of the paths that it moves, and their start below the directory that it names.
const MOVED: [(&str, &str, &str); 4] = [
    ("CLAUDE_CONFIG_DIR", "~/.claude/", ""),
    ("CLAUDE_CONFIG_DIR", "~/.claude.json", ".claude.json"),
    ("CODEX_HOME", "~/.codex/", ""),
    ("GEMINI_CLI_HOME", "~/.gemini/", ".gemini/"),
];

/// Returns the real path of a host's file whose path begins with `~/`.
pub(crate) fn below_home(path: &str, env: &Env) -> Option<PathBuf> {
    let moved = MOVED.into_iter().find_map(|(variable, start, below)| {
        let is_directory = start.strip_suffix('/') == Some(path);
        let rest = if is_directory { "" } else { path.strip_prefix(start)? };
        let directory = PathBuf::from(env.variable(variable)?);
        directory.is_absolute().then(|| directory.join(format!("{below}{rest}")))
    });
    moved.or_else(|| Some(env.home()?.join(path.strip_prefix("~/")?)))
}

/// Returns the variable that moves a file of a host.
pub(crate) fn moving_variable(path: &str) -> Option<&'static str> {
    let moved = MOVED.into_iter().find(|(_, start, _)| path.starts_with(start));
    moved.map(|(variable, ..)| variable)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn variable_of_a_host_moves_its_files() {
        let env = |all: &[(&str, &str)]| Env::of_table(all, Path::new("/"));
        let home = ("HOME", "/h");
        let at = |path: &str, variable: (&str, &str)| below_home(path, &env(&[home, variable]));
        for (path, variable, moved) in [
            ("~/.codex/config.toml", ("CODEX_HOME", "/c"), "/c/config.toml"),
            ("~/.claude/settings.json", ("CLAUDE_CONFIG_DIR", "/c"), "/c/settings.json"),
            ("~/.claude.json", ("CLAUDE_CONFIG_DIR", "/c"), "/c/.claude.json"),
            ("~/.gemini/.env", ("GEMINI_CLI_HOME", "/c"), "/c/.gemini/.env"),
            ("~/.gemini", ("GEMINI_CLI_HOME", "/c"), "/c/.gemini/"),
            ("~/.gemini/.env", ("CODEX_HOME", "/c"), "/h/.gemini/.env"),
            ("~/.codex/config.toml", ("CODEX_HOME", "c"), "/h/.codex/config.toml"),
            ("~/.codex/config.toml", ("CODEX_HOME", ""), "/h/.codex/config.toml"),
        ] {
            assert_eq!(at(path, variable), Some(PathBuf::from(moved)));
        }
        assert_eq!(moving_variable("~/.codex/config.toml"), Some("CODEX_HOME"));
        assert_eq!(moving_variable("~/.cursor/mcp.json"), None);
    }
}
