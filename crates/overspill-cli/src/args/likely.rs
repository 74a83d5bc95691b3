//! Corrections of invalid command lines, for hints. The caller offers a correction only if the
//! parser accepts it.

use std::ffi::OsString;

use crate::settings::keys::Key;

/// Returns the arguments as text, and the place of `typed` among them.
fn place(words: &[OsString], typed: &str) -> Option<(Vec<String>, usize)> {
    let words: Option<Vec<String>> =
        words.iter().map(|word| word.to_str().map(str::to_owned)).collect();
    let words = words?;
    let is_it = |word: &String| word == typed || word.starts_with(&format!("{typed}="));
    let at = words.iter().skip(1).position(is_it)? + 1;
    Some((words, at))
}

/// Returns the command line with one more word that makes an unknown argument valid:
/// `read ID --lines 1:5`, `mcp -- npx server`, `run --max-lines 5 seq 9`.
pub(super) fn with_argument(words: &[OsString], command: &str, typed: &str) -> Option<Vec<String>> {
    let (mut words, at) = place(words, typed)?;
    match (command, typed.starts_with('-')) {
        ("overspill read", false) => words.insert(at, "--lines".into()),
        ("overspill mcp", false) => words.insert(at, "--".into()),
        ("overspill", true) => words.insert(1, "run".into()),
        _ => return None,
    }
    Some(words)
}

/// Returns `config get max_lines` or `config set max_lines 5` for `config max_lines` and so on.
pub(super) fn with_action(words: &[OsString], command: &str, typed: &str) -> Option<Vec<String>> {
    let (mut words, at) = place(words, typed)?;
    if command != "overspill config" {
        return None;
    }
    let (name, value) = typed.split_once('=').unwrap_or((typed, ""));
    let name = setting(name)?;
    let value = Some(value).filter(|value| !value.is_empty()).map(str::to_owned);
    words[at] = name.to_owned();
    if let Some(value) = value {
        words.insert(at + 1, value);
    }
    let action = if words.len() > at + 1 { "set" } else { "get" };
    words.insert(at, action.into());
    Some(words)
}

/// Returns `config set max_lines 5` for `config set max_lines=5`.
pub(super) fn without_equals(words: &[OsString], command: &str) -> Option<Vec<String>> {
    let (name, value) = words.last()?.to_str()?.split_once('=')?;
    if command != "overspill config set" || value.is_empty() {
        return None;
    }
    let (mut words, at) = place(words, words.last()?.to_str()?)?;
    words.splice(at.., [setting(name)?.to_owned(), value.to_owned()]);
    Some(words)
}

/// Returns the name of a setting, in any case, with dashes or underscores.
fn setting(typed: &str) -> Option<&'static str> {
    Key::named(&typed.replace('-', "_").to_lowercase()).map(Key::name)
}

/// Returns a hint that replaces an option of other programs.
pub(super) fn option(command: &str, option: &str) -> Option<&'static str> {
    Some(match (command, option) {
        ("overspill read", "-n" | "--head") => {
            "--lines :N shows the first N lines, --tail N the last N"
        }
        ("overspill read", "-f") => "--follow prints new output as it comes",
        ("overspill read", "-g" | "--grep" | "--search") => {
            "`overspill grep --help` explains how to search outputs"
        }
        ("overspill list", "-n" | "--max" | "--count") => "--limit N lists at most N outputs",
        ("overspill stats", "--since") => "--days N counts the last N days",
        _ => return None,
    })
}
