//! Handles the differences between bash and zsh.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::scan;
use crate::env::Env;
use crate::hosts::frame::{Dressing, Framed};

/// The variable that names the prelude of bash.
pub(super) const BASH_ENV: &str = "BASH_ENV";
/// The variables that change the start of bash, even with an empty value. A user who sets one would
/// notice the prelude.
const IN_THE_WAY: [&str; 4] = [BASH_ENV, "SHELLOPTS", "BASHOPTS", "POSIXLY_CORRECT"];
/// The function that keeps `$?` and gives the prelude one more event.
const KEEPER: &str = "__ovs_k";
/// The text that sets the trap of the prelude inside a subshell. It keeps `$_` as the trap of the
/// host leaves it.
const SUBSHELL_TRAP: &str = "; trap \"$__ovs_t\" DEBUG; : EXIT";

/// A shell whose lines can be watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shell {
    Bash,
    /// zsh: hidden failures are reported, and no output is captured.
    Zsh,
}

impl Shell {
    pub(super) fn of(program: &OsString) -> Option<Shell> {
        match Path::new(program).file_name().and_then(OsStr::to_str)? {
            "bash" => Some(Shell::Bash),
            "zsh" => Some(Shell::Zsh),
            _ => None,
        }
    }

    /// Tells whether the line does the same with a prelude as without.
    pub(super) fn can_watch(self, framed: &Framed) -> bool {
        match self {
            Shell::Bash => true,
            // `$_` is the argument of `eval` when `eval` begins.
            Shell::Zsh if framed.is_in_eval() => {
                !framed.inner.contains("$_") && !framed.inner.contains("${_")
            }
            Shell::Zsh => framed.is_plain() && scan::ends_inside_shell(&framed.inner),
        }
    }

    /// Tells whether options of the shell or the environment could notice the prelude.
    pub(super) fn is_in_the_way(self, options: &[OsString], env: &Env) -> bool {
        let mut options = options.iter().skip(1).map(|word| word.to_string_lossy());
        match self {
            Shell::Bash => {
                options.any(|word| is_bash_option(&word))
                    || IN_THE_WAY.iter().any(|name| env.is_set(name))
            }
            Shell::Zsh => {
                options.any(|word| {
                    let letters = word.strip_prefix('-');
                    !letters
                        .is_some_and(|letters| letters.chars().all(|char| "cefl".contains(char)))
                }) || zsh_start_files(env).any(|file| sets_traps(&file))
            }
        }
    }

    /// Returns the line for the shell, or `None` if it cannot be watched.
    pub(super) fn dressed(self, framed: &Framed, text: &str, prelude: &str) -> Option<String> {
        let keeper = scan::before_next(&framed.inner).map(|before| format!("{before}{KEEPER}"));
        // The line must work even if the prelude cannot be read, and `$_` must stay the same.
        let source = format!(". {prelude} 2>/dev/null || :");
        let first = match self {
            Shell::Bash => {
                format!(r#"{source}; {KEEPER}() {{ return "$?"; }}; : "${{__ovs_u#x}}""#)
            }
            Shell::Zsh => {
                format!(r#"__ovs_u="$_"; {source}; {KEEPER}() {{ return "$?"; }}; : "$__ovs_u""#)
            }
        };
        let dressing =
            Dressing { prelude, first: &first, keeper: keeper.as_deref(), trap: SUBSHELL_TRAP };
        match self {
            // `$_` is empty when zsh begins.
            Shell::Zsh if framed.is_plain() => Some(format!("{source}; : ''; {text}")),
            _ => framed.with(text, &dressing),
        }
    }
}

/// Returns the files that zsh reads before the line.
fn zsh_start_files(env: &Env) -> impl Iterator<Item = PathBuf> {
    let home = env.variable("ZDOTDIR").map(PathBuf::from).or_else(|| env.home());
    let own = [".zshenv", ".zprofile", ".zlogin"];
    let own = home.into_iter().flat_map(move |home| own.map(|name| home.join(name)));
    own.chain(["/etc/zsh/zshenv", "/etc/zshenv"].map(PathBuf::from))
}

/// Tells whether a start file may set a trap or an option that would show the prelude. If unsure,
/// returns `true`.
fn sets_traps(file: &Path) -> bool {
    const LARGEST: u64 = 256 << 10;
    match std::fs::metadata(file) {
        Err(_) => return false,
        Ok(found) if !found.is_file() || found.len() > LARGEST => return true,
        Ok(_) => {}
    }
    let Ok(text) = std::fs::read(file) else { return true };
    let text = String::from_utf8_lossy(&text);
    ["trap", "TRAP", "xtrace", "verbose", "set -", "emulate", "disable"]
        .iter()
        .any(|word| text.contains(word))
}

/// Tells whether an option of bash could notice the prelude.
fn is_bash_option(word: &str) -> bool {
    let letters = word.strip_prefix(['-', '+']).filter(|letters| !letters.starts_with('-'));
    letters
        .is_some_and(|letters| letters.contains(['x', 'v', 'r', 'u', 'T', 'n', 'p', 't', 'o', 'O']))
        || ["--posix", "--verbose", "--restricted"].contains(&word)
}
