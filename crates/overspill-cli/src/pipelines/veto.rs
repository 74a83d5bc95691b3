//! Finds lines that overspill does not watch, because they could notice the prelude.

use super::shell::Shell;

/// The words that show the traps, the variables or the exit codes of the shell, or that change
/// them.
const WORDS: [&str; 7] = [
    "PIPESTATUS",
    "BASH_ENV",
    "BASH_COMMAND",
    "BASH_EXECUTION_STRING",
    "POSIXLY_CORRECT",
    "ulimit",
    "compgen",
];
/// The same words for zsh.
const ZSH_WORDS: [&str; 18] = [
    // The EXIT trap of the prelude would hide the trap of a subshell.
    "trap",
    "pipestatus",
    "ZSH_DEBUG_CMD",
    "ZSH_EXECUTION_STRING",
    "ZSH_EVAL_CONTEXT",
    "TRAPDEBUG",
    "TRAPEXIT",
    "TRAPZERR",
    "zshexit",
    "zshexit_functions",
    "setopt",
    "unsetopt",
    "emulate",
    "functions",
    "parameters",
    "limit",
    "disable",
    "zcompile",
];
/// The names of shell options. They count only in a line that can set an option: `cargo test
/// --verbose` sets none.
const OPTIONS: [&str; 11] = [
    "allexport",
    "restricted",
    "pipefail",
    "nounset",
    "xtrace",
    "verbose",
    "noexec",
    "posix",
    "extdebug",
    "functrace",
    "onecmd",
];
/// The words of a line that can set an option.
const SETTERS: [&str; 4] = ["set", "shopt", "SHELLOPTS", "BASHOPTS"];
/// The traps that the prelude sets, or that it would fire. They count only in a line with `trap`.
const TRAPS: [&str; 2] = ["DEBUG", "ERR"];
/// The options of `set` that show the prelude, or that break it.
const SET_OPTIONS: [char; 8] = ['x', 'v', 'u', 'T', 'n', 't', 'a', 'r'];
/// The builtins that list the state of the shell if they have no argument.
const LISTS_ALONE: [&str; 3] = ["set", "trap", "local"];
/// The largest number of bytes of a watched line.
const LONGEST_LINE: usize = 128 * 1024;

/// Tells whether a line has a pipe and nothing that could notice the prelude.
pub(super) fn may_be_watched(line: &str, shell: Shell) -> bool {
    let words: &[&str] = match shell {
        Shell::Bash => &[],
        Shell::Zsh => &ZSH_WORDS,
    };
    line.len() <= LONGEST_LINE && has_pipe(line) && !is_vetoed(line, words)
}

/// Tells whether a line may have a pipe.
pub(super) fn has_pipe(line: &str) -> bool {
    let bytes = line.as_bytes();
    let at = |index: usize| bytes.get(index).copied();
    memchr::memchr_iter(b'|', bytes).any(|found| {
        let before = found.checked_sub(1).and_then(at);
        at(found + 1) != Some(b'|') && before != Some(b'|') && before != Some(b'>')
    })
}

fn is_vetoed(line: &str, words: &[&str]) -> bool {
    let is_letter = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let names = || line.split(|char| !is_letter(char));
    let has = |words: &[&str]| names().any(|name| words.contains(&name));
    line.contains("${!_")
        || names().any(|name| WORDS.contains(&name) || name.starts_with("__ovs"))
        || has(words)
        || has(&OPTIONS) && has(&SETTERS)
        || has(&TRAPS) && has(&["trap"])
        || line.split([';', '|', '&', '(', ')', '{', '}', '\n', '`']).any(shows_state)
}

/// Tells whether a simple command lists the state of the shell, or sets an option that shows it.
fn shows_state(command: &str) -> bool {
    let mut words = command.split_whitespace().skip_while(|word| {
        ["builtin", "command", "then", "do", "else", "!", "time"].contains(word)
    });
    let Some(name) = words.next() else { return false };
    let rest: Vec<&str> = words.take_while(|word| !word.starts_with(['>', '<', '#'])).collect();
    match name {
        "enable" => true,
        "set" if rest.iter().any(|word| is_set_option(word)) => true,
        "trap" | "declare" | "typeset" if rest.first().is_some_and(|word| lists(word)) => true,
        // Options alone list variables.
        "declare" | "typeset" => rest.iter().all(|word| word.starts_with(['-', '+'])),
        name => LISTS_ALONE.contains(&name) && rest.is_empty(),
    }
}

fn is_set_option(word: &str) -> bool {
    let letters = word.strip_prefix(['-', '+']).filter(|letters| !letters.starts_with('-'));
    // `set -o` alone lists the options; the name decides about `set -o NAME`.
    letters.is_some_and(|letters| letters.contains(SET_OPTIONS))
}

fn lists(word: &str) -> bool {
    let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
    letters.is_some_and(|letters| letters.contains(['p', 'f', 'F', 'l']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may_be_watched(line: &str) -> bool {
        super::may_be_watched(line, Shell::Bash)
    }

    #[test]
    fn only_lines_with_a_pipe_are_watched() {
        for (line, expected) in [
            ("cargo test | tail -5", true),
            ("a |& b", true),
            ("a || b", false),
            ("a >| b", false),
            ("a", false),
            ("a || b | c", true),
        ] {
            assert_eq!(may_be_watched(line), expected, "{line}");
        }
    }

    #[test]
    fn lines_that_could_notice_the_prelude_are_not_watched() {
        for line in [
            "a | b; echo ${PIPESTATUS[0]}",
            "set -o pipefail; a | b",
            "set -euo pipefail; a | b",
            "set -x; a | b",
            "set -eu; a | b",
            "a | b; set",
            "set | wc -l",
            "trap; a | b",
            "(trap) | b",
            "trap -p | cat",
            "declare -f | cat",
            "declare | cat",
            "false | cat; declare -a | wc -l",
            "trap 'x' DEBUG; a | b",
            "trap 'x' ERR; a | b",
            "shopt -s extdebug; a | b",
            "name=pipefail; set -o $name; a | b",
            "ulimit -f 0; a | b",
            "compgen -v | wc -l",
            "a | b; echo $__ovs_n",
            "enable -n trap; a | b",
        ] {
            assert!(!may_be_watched(line), "{line}");
        }
    }

    #[test]
    fn common_lines_are_watched() {
        for line in [
            "set -e; make 2>&1 | tail -3",
            "trap 'rm -f x' EXIT; a | b",
            "declare -i n=5; a | b",
            "set -- a b; echo \"$1\" | cat",
            "git log --set-upstream | tail",
            "cargo test --verbose 2>&1 | tail -1",
            "DEBUG=1 npm test | tail",
            "pytest --log-level=DEBUG | tail",
            "ls /usr/share/posix | wc -l",
            "grep -c ERR log | cat",
            "systemctl enable x | cat",
        ] {
            assert!(may_be_watched(line), "{line}");
        }
    }
}
