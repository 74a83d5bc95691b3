//! Words the line that reports hidden failures.

use overspill::core::internal::text::counted;
use overspill::internal::notice::mark_line;

use super::rules::HiddenFailure;
use crate::ui;

/// The largest number of characters of a command that a notice shows.
const LONGEST_COMMAND: usize = 60;

/// The redirections that say nothing about a command.
const ENDS: [&str; 3] = ["2>&1", "</dev/null", "< /dev/null"];

/// An output that was captured and saved.
pub(super) struct SavedCapture {
    pub(super) size: SavedSize,
    /// The command that reads the output.
    pub(super) read: String,
}

/// The saved amount of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SavedSize {
    /// All of its lines.
    Lines(u64),
    /// A part of the bytes. The lines that are not saved are not counted.
    Part { bytes: u64, total: u64 },
}

/// Returns the notice about a failure that the exit code hides.
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
    if let Some(SavedCapture { size, read }) = saved {
        let what = match *size {
            SavedSize::Lines(1) => "Its 1 line is".to_owned(),
            SavedSize::Lines(lines) => format!("Its {} are", counted(lines, "line")),
            SavedSize::Part { bytes, total } => {
                format!("{} of its {} are", number(bytes), counted(total, "byte"))
            }
        };
        text.push_str(&format!(" {what} saved: {read}"));
    }
    mark_line(None, &text)
}

/// Returns the notice about a saved output of a line in which nothing failed.
pub(super) fn capture(command: &str, saved: &SavedCapture) -> String {
    let SavedCapture { size, read } = saved;
    let what = match *size {
        SavedSize::Lines(lines) => format!("all {}", counted(lines, "line")),
        SavedSize::Part { bytes, total } => {
            format!("{} of the {}", number(bytes), counted(total, "byte"))
        }
    };
    mark_line(None, &format!("{what} of {} are saved: {read}", quoted(command)))
}

/// Returns a number with a comma between each three digits.
fn number(number: u64) -> String {
    counted(number, "").trim_end_matches('s').trim_end().to_owned()
}

/// Returns a command for a notice: on one line, without redirections at its end, not too long.
fn quoted(command: &str) -> String {
    let mut command = command.trim();
    while let Some(shorter) = ENDS.iter().find_map(|end| command.strip_suffix(end)) {
        command = shorter.trim_end();
    }
    let command = ui::short(command, LONGEST_COMMAND);
    format!("`{}`", command.replace('`', "'"))
}
