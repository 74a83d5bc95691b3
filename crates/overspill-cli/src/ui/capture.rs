//! Runs a command for the page of `overspill view`: its answer goes into memory, not to the terminal.

use std::cell::RefCell;

thread_local! {
    static CAPTURED: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

/// Runs a command on this thread. Returns its exit code, and the text that it would print to
/// standard output. An error becomes an object in that text, as with `--json`. Warnings and
/// progress bars are dropped.
pub(crate) fn captured(run: impl FnOnce() -> u8) -> (u8, Vec<u8>) {
    CAPTURED.with_borrow_mut(|answer| *answer = Some(Vec::new()));
    let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
    let answer = CAPTURED.take().unwrap_or_default();
    (ended.unwrap_or(101), answer)
}

/// Tells whether the answer of this thread goes into memory.
pub(crate) fn is_captured() -> bool {
    CAPTURED.with_borrow(Option::is_some)
}

/// Keeps a part of an answer in memory. Returns false if this thread prints its answers.
pub(super) fn take(bytes: &[u8]) -> bool {
    CAPTURED
        .with_borrow_mut(|answer| answer.as_mut().map(|it| it.extend_from_slice(bytes)).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui;

    #[test]
    fn captured_command_leaves_answer_and_error_in_memory() {
        let (code, answer) = captured(|| {
            ui::answer("a line\n").unwrap();
            ui::ended(Err(anyhow::anyhow!("no x\n\nhint: make one")))
        });
        let error = r#"{"version":1,"error":{"message":"no x","hint":"make one","exit":1}}"#;
        assert_eq!((code, String::from_utf8(answer).unwrap()), (1, format!("a line\n{error}\n")));
        assert!(!is_captured());
    }

    #[test]
    fn captured_panic_is_an_exit_code() {
        assert_eq!(captured(|| panic!("for a test")).0, 101);
        assert!(!is_captured());
    }
}
