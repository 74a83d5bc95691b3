//! Answers the questions that only lines for zsh raise.

use super::{Ground, Scanner};

/// The commands that bash and zsh run themselves.
const BUILTINS: [&str; 13] = [
    "echo", "printf", "exit", "true", "false", ":", "cd", "pwd", "test", "[", "return", "unset",
    "wait",
];

/// Tells whether the shell still runs after the last command of a line. `false` if the scanner is
/// unsure.
///
/// A shell without traps replaces itself by a last command that is not a builtin and not a
/// pipeline. A signal that ends such a command would look different with a trap.
pub(in super::super) fn ends_inside_shell(line: &str) -> bool {
    let mut scanner = Scanner::new(line);
    if scanner.walk().is_err() {
        return false;
    }
    scanner.end_list(0, Ground::Fore);
    scanner.last.is_some_and(|(last, pipes)| pipes > 0 || is_builtin(last))
}

/// Tells whether the shell runs this command itself.
pub(super) fn is_builtin(command: &str) -> bool {
    command.split_whitespace().next().is_some_and(|name| BUILTINS.contains(&name))
}

/// Returns the stages of the only pipeline of a line that has `count` stages.
pub(in super::super) fn stages_of(line: &str, count: usize) -> Option<Vec<&str>> {
    let mut scanner = Scanner::new(line);
    scanner.walk().ok()?;
    scanner.end_list(0, Ground::Fore);
    let mut fitting = scanner.pipelines.into_iter().filter(|stages| stages.len() == count);
    let stages = fitting.next().filter(|_| fitting.next().is_none())?;
    Some(stages.into_iter().map(|stage| line[stage].trim()).collect())
}
