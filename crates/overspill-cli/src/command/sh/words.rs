//! Finds the command among the arguments of a shell.

use std::ffi::{OsStr, OsString};

/// The options without a value.
const PLAIN: [&str; 7] =
    ["--login", "--norc", "--noprofile", "--posix", "--noediting", "--verbose", "--restricted"];
/// The options with a value.
const VALUED: [&str; 2] = ["--rcfile", "--init-file"];

/// Returns the command after `-c`, as all shells of this kind take it. Returns `None` without a
/// command, for an interactive shell, or with an unknown option.
pub(super) fn command(words: &[OsString]) -> Option<&OsStr> {
    command_place(words).map(|at| words[at].as_os_str())
}

/// Returns the index of this command among the words.
pub(super) fn command_place(words: &[OsString]) -> Option<usize> {
    read(words).map(|(at, _)| at)
}

/// Tells whether the command is for a login shell.
pub(super) fn is_login(words: &[OsString]) -> bool {
    read(words).is_some_and(|(_, is_login)| is_login)
}

/// Returns the index of the command, and whether the shell is a login shell.
fn read(words: &[OsString]) -> Option<(usize, bool)> {
    let (mut at, mut has_command, mut is_login) = (0, false, false);
    while let Some(word) = words.get(at).and_then(|word| word.to_str()) {
        let letters = word.strip_prefix(['-', '+']).filter(|rest| !rest.is_empty());
        match letters {
            // After `--`, a word is not an option, even with a dash.
            _ if word == "--" => {
                at += 1;
                break;
            }
            _ if PLAIN.contains(&word) => is_login |= word == "--login",
            _ if VALUED.contains(&word) => at += 1,
            Some(letters) if letters.chars().all(|letter| letter.is_ascii_alphabetic()) => {
                if letters.contains(['i', 's']) {
                    return None;
                }
                has_command |= word.starts_with('-') && letters.contains('c');
                is_login |= word.starts_with('-') && letters.contains('l');
                // Each of these options takes a word.
                at += letters.matches(['o', 'O']).count();
            }
            Some(_) => return None,
            None => break,
        }
        at += 1;
    }
    (has_command && at < words.len()).then_some((at, is_login))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shell_command_is_found_among_the_arguments() {
        let command = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            command(&words).map(|command| command.to_str().unwrap().to_owned())
        };
        for (line, expected) in [
            ("-c x", Some("x")),
            ("-lc x name -c", Some("x")),
            ("-c -l x", Some("x")),
            ("--norc --noprofile -c x", Some("x")),
            ("-eo pipefail -c x", Some("x")),
            ("-euo pipefail -c x", Some("x")),
            ("+O extglob -c x", Some("x")),
            ("--rcfile f -c x", Some("x")),
            ("-c -- -x", Some("-x")),
            ("-c", None),
            ("-l", None),
            ("-i -c x", None),
            ("-ic x", None),
            ("-s -c x", None),
            ("script -c x", None),
            ("--version", None),
            ("--unknown -c x", None),
            ("- -c x", None),
        ] {
            assert_eq!(command(line).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn login_shell_is_recognized_by_its_arguments() {
        for (line, expected) in [
            ("-lc x", true),
            ("-c -l x", true),
            ("--login -c x", true),
            ("-c x -l", false),
            ("+l -c x", false),
            ("-c l", false),
        ] {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            assert_eq!(is_login(&words), expected, "{line}");
        }
    }
}
