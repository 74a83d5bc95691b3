//! Errors and warnings: text on stderr for people, and under `--json` an object on stdout for programs.

use std::io::{self, Write};
use std::sync::OnceLock;

use overspill::internal::without_number;
use serde_json::json;

use super::{escaped, json_line, reason};

/// The command that runs, for errors about it.
#[derive(Debug, Default)]
pub(crate) struct Place {
    /// The name of the command, such as `overspill config set`.
    pub(crate) command: String,
    /// Whether an error is also printed as JSON.
    pub(crate) json: bool,
    /// The command line that runs a program of the same name on files, if the arguments may name files.
    pub(crate) program: Option<String>,
}

static PLACE: OnceLock<Place> = OnceLock::new();

/// Sets the command that runs. The program calls this function once.
pub(crate) fn set_place(place: Place) {
    let _ = PLACE.set(place);
}

/// Invalid arguments, or arguments that contradict each other: exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UsageError(pub(crate) String);

/// An id that names no output.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct NoSuchOutput(pub(crate) String);

/// An error for people: a message with the problem and its place, and a hint what to type next.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    hint: Option<String>,
}

/// The text between the message and the hint in an [`anyhow::Error`].
const HINT: &str = "\nhint: ";

impl Failure {
    pub(crate) fn new(message: String, hint: Option<String>) -> Failure {
        Failure { message, hint }
    }

    /// Takes message and hint from the text of an error and of its causes.
    pub(crate) fn of(error: &anyhow::Error) -> Failure {
        let mut text = String::new();
        for cause in error.chain() {
            let cause = match cause.downcast_ref::<io::Error>() {
                Some(cause) => reason(cause),
                // Errors of the library contain raw paths, and have one line.
                None if cause.is::<overspill::Error>() => escaped(&cause.to_string(), usize::MAX),
                None => cause.to_string(),
            };
            let cause = without_number(&cause);
            // Some errors already end with their cause.
            if !text.to_lowercase().ends_with(&cause.to_lowercase()) {
                text = if text.is_empty() { cause } else { format!("{text}: {cause}") };
            }
        }
        let (message, hint) = match text.split_once(HINT) {
            Some((message, hint)) => (message.trim_end().to_owned(), Some(hint.to_owned())),
            None => (text, None),
        };
        let hint = hint.or_else(|| {
            let command = &PLACE.get()?.command;
            if error.is::<UsageError>() {
                return Some(format!("`{command} --help` explains it"));
            }
            let is_store = error.chain().any(|cause| cause.is::<overspill::Error>());
            is_store.then(|| "`overspill doctor` checks the installation".to_owned())
        });
        let program = PLACE.get().and_then(|place| place.program.as_ref());
        let hint = match (hint, program) {
            (Some(hint), Some(line)) if error.is::<NoSuchOutput>() => {
                Some(format!("{hint}; `{line}` runs the program"))
            }
            (hint, _) => hint,
        };
        Failure::new(message, hint)
    }

    /// Prints the error. `exit` is the exit code of the process.
    pub(crate) fn print(&self, exit: u8) {
        let Failure { message, hint } = self;
        print_lines("error: ", message);
        if let Some(hint) = hint {
            print_lines("hint: ", hint);
        }
        if super::is_captured() || PLACE.get().is_some_and(|place| place.json) {
            let error = json!({ "message": message, "hint": hint, "exit": exit });
            // The error may be that standard output cannot be written.
            let _ = super::answer(&json_line(json!({ "error": error })));
        }
    }
}

/// Prints a warning. The call continues.
pub(crate) fn warn_line(text: &str) {
    let text = without_number(text);
    match text.split_once(HINT) {
        Some((text, hint)) => {
            print_lines("warning: ", text.trim_end());
            print_lines("hint: ", hint);
        }
        None => print_lines("warning: ", &text),
    }
}

/// Prints a text on stderr with each line escaped: a path in it must not send escapes to the
/// terminal.
fn print_lines(before: &str, text: &str) {
    if super::is_captured() {
        return;
    }
    let lines: Vec<String> = text.split('\n').map(|line| escaped(line, usize::MAX)).collect();
    let _ = writeln!(io::stderr(), "{before}{}", lines.join("\n"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::{Context, anyhow};

    #[test]
    fn failure_has_the_hint_apart_and_no_error_numbers() {
        let of = |error: anyhow::Error| {
            let failure = Failure::of(&error);
            (failure.message, failure.hint)
        };
        let denied = || io::Error::from_raw_os_error(13);
        let chained: anyhow::Result<()> = Err(denied()).context("/x");
        assert_eq!(of(chained.unwrap_err()), ("/x: permission denied".into(), None));
        let store = overspill::Error::Io { path: "/x".into(), source: denied() };
        assert_eq!(of(store.into()).0, "/x: Permission denied");
        let both = of(anyhow!("no x\n\nhint: `y` makes one"));
        assert_eq!(both, ("no x".into(), Some("`y` makes one".into())));
    }
}
