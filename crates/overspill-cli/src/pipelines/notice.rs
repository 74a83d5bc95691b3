//! Words the line that reports hidden failures.

use overspill::core::internal::text::counted;
use overspill::internal::notice::mark_line;

use super::rules::HiddenFailure;
use crate::ui;

/// The longest command in a notice, in characters.
const LONGEST_COMMAND: usize = 60;

/// Redirections that say nothing about a command.
const ENDS: [&str; 3] = ["2>&1", "</dev/null", "< /dev/null"];

/// An output that was captured and saved.
pub(super) struct SavedCapture {
    pub(super) lines: u64,
    /// The words that read it.
    pub(super) read: String,
}

/// Words a failure that the exit code hides.
pub(super) fn failure(
    failure: &HiddenFailure,
    others: usize,
    saved: Option<&SavedCapture>,
) -> String {
    let HiddenFailure { command, code, last, .. } = failure;
    let last = last
        .as_ref()
        .map_or_else(|| "the last command's".into(), |last| format!("{}'s", quoted(last)));
    let subject = command
        .as_ref()
        .map_or_else(|| "A command before the last `|`".into(), |command| quoted(command));
    let mut text = format!("{subject} exited with code {code}; the exit code 0 is {last}.");
    match others {
        0 => {}
        1 => text.push_str(" One more pipeline of the line hid a failure."),
        others => text.push_str(&format!(" {others} more pipelines of the line hid a failure.")),
    }
    if let Some(SavedCapture { lines, read }) = saved {
        let verb = if *lines == 1 { "is" } else { "are" };
        text.push_str(&format!(" Its {} {verb} saved: {read}", counted(*lines, "line")));
    }
    mark_line(None, &text)
}

/// Words a capture of a line in which nothing failed.
pub(super) fn capture(command: &str, saved: &SavedCapture) -> String {
    let SavedCapture { lines, read } = saved;
    mark_line(
        None,
        &format!("all {} of {} are saved: {read}", counted(*lines, "line"), quoted(command)),
    )
}

/// Returns a command as it stands in a notice: on one line, without redirections at its end, not too long.
fn quoted(command: &str) -> String {
    let mut command = command.trim();
    while let Some(shorter) = ENDS.iter().find_map(|end| command.strip_suffix(end)) {
        command = shorter.trim_end();
    }
    let command = ui::short(command, LONGEST_COMMAND);
    format!("`{}`", command.replace('`', "'"))
}
