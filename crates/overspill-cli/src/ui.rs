//! Output for people: answers on stdout, errors, warnings and notes on stderr, tables, colours, a
//! pager and a progress bar. Commands give values, and this module writes them in one form.

mod capture;
mod color;
mod failure;
mod json;
mod pager;
mod progress;
mod quote;
mod table;

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;

use anyhow::anyhow;
use jiff::Timestamp;
use overspill::Outcome;
use overspill::internal::without_number;

use crate::process::Descriptors;
pub(crate) use capture::{captured, is_captured};
pub(crate) use color::{ColorChoice, Colors, Tone};
pub(crate) use failure::{Failure, NoSuchOutput, Place, UsageError, set_place, warn_line};
pub(crate) use json::json_line;
pub(crate) use pager::{PagerArgs, fits_screen, show_text};
pub(crate) use progress::Progress;
pub(crate) use quote::{escaped, shell_word};
pub(crate) use table::Table;

/// The number of columns of a line if standard output is not a terminal.
const WIDTH_ELSEWHERE: usize = 120;

/// Writes the outcome to standard output.
pub(crate) fn show(outcome: &Outcome) -> anyhow::Result<()> {
    say_if_silent(outcome);
    answer_bytes(outcome.bytes())
}

/// Prints on stderr how to read the rest, or why the output is not saved, if the shown text has no
/// room for a notice.
pub(crate) fn say_if_silent(outcome: &Outcome) {
    let Outcome::Spilled(spilled) = outcome else { return };
    if spilled.is_silent() {
        return say(&spilled.notice);
    }
    if let Err(error) = &spilled.saved {
        let reason = escaped(&error.to_string(), 200);
        // Only a long notice contains the reason.
        let start: String = reason.chars().take(40).collect();
        if !spilled.text.contains(&start) {
            warn_line(&format!("the output could not be saved: {reason}"));
        }
    }
}

/// Writes an answer to standard output.
pub(crate) fn answer(text: &str) -> anyhow::Result<()> {
    answer_bytes(text.as_bytes())
}

/// Like [`answer`], for bytes that may not be UTF-8.
pub(crate) fn answer_bytes(bytes: &[u8]) -> anyhow::Result<()> {
    if bytes.is_empty() || capture::take(bytes) {
        return Ok(());
    }
    let mut stdout = io::stdout().lock();
    let opened = Descriptors::check_stdout();
    written(opened.and_then(|()| stdout.write_all(bytes)).and_then(|()| stdout.flush()))
}

/// Turns the result of writing to standard output into an error with a hint.
///
/// A reader that closes the pipe early is not an error: the reader has seen enough.
pub(crate) fn written(result: io::Result<()>) -> anyhow::Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result.map_err(|error| {
            let hint = match error.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                    "free space there, or write to another place"
                }
                _ => "write to another place, such as a file",
            };
            anyhow!("cannot write to standard output: {}\n\nhint: {hint}", reason(&error))
        }),
    }
}

/// Prints the error of a command, if any, and returns the exit code: 0, 1 for a failure, 2 for
/// invalid arguments.
pub(crate) fn ended(result: anyhow::Result<()>) -> u8 {
    ended_with(result.map(|()| true))
}

/// Like [`ended`], and returns 1 also for `Ok(false)`.
pub(crate) fn ended_with(result: anyhow::Result<bool>) -> u8 {
    let is_misuse = result.as_ref().is_err_and(|error| error.is::<UsageError>());
    finished(result, if is_misuse { 2 } else { 1 })
}

/// Prints the error of a search, if any, and returns the exit code of ripgrep: 0 for a match, 1 for
/// no match, 2 for an error.
pub(crate) fn searched(result: anyhow::Result<bool>) -> u8 {
    finished(result, 2)
}

fn finished(result: anyhow::Result<bool>, failed: u8) -> u8 {
    match result {
        Ok(true) => 0,
        Ok(false) => 1,
        Err(error) => {
            Failure::of(&error).print(failed);
            failed
        }
    }
}

/// Returns the largest number of columns that a line can have.
pub(crate) fn width() -> usize {
    match terminal_size::terminal_size_of(io::stdout()) {
        Some((terminal_size::Width(columns), _)) => usize::from(columns).max(40),
        None => WIDTH_ELSEWHERE,
    }
}

/// Tells whether standard output is a terminal.
pub(crate) fn is_seen() -> bool {
    io::stdout().is_terminal()
}

/// Tells whether standard error is a terminal.
pub(crate) fn is_error_seen() -> bool {
    io::stderr().is_terminal()
}

/// Tells whether standard input is a terminal.
pub(crate) fn is_typed() -> bool {
    io::stdin().is_terminal()
}

/// Returns a size for people, such as `13.6 KiB`.
pub(crate) fn size(bytes: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{value:.1} {}", units[unit]) }
}

/// Returns the time between `then` and `now` for people, such as `5 min`.
pub(crate) fn age(then: Timestamp, now: Timestamp) -> String {
    let seconds = now.duration_since(then).as_secs();
    match seconds {
        ..0 => "0 s".into(),
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..86_400 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

/// Returns a time to the second.
pub(crate) fn time(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}

/// Returns a number with its noun, such as `1 output` or `2 outputs`.
pub(crate) fn count(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Returns foreign text as [`escaped`] does, shortened to `width` columns.
pub(crate) fn short(text: &str, width: usize) -> String {
    let line = escaped(text, width);
    if columns(&line) <= width {
        return line;
    }
    // A character can change the width of the one before it, so each start is measured as a whole.
    let room = width.saturating_sub(1);
    let ends = line.char_indices().map(|(at, char)| at + char.len_utf8());
    let end = ends.take_while(|&end| columns(&line[..end]) <= room).last().unwrap_or(0);
    format!("{}…", &line[..end])
}

/// Returns the text with lines broken between words to fit the terminal. New lines begin with
/// `indent` blanks. Text for a file or a pipe is unchanged.
pub(crate) fn wrapped(text: &str, indent: usize) -> String {
    if is_seen() { wrapped_to(text, width(), indent) } else { text.to_owned() }
}

fn wrapped_to(text: &str, width: usize, indent: usize) -> String {
    let mut all = String::new();
    for line in text.split_inclusive('\n') {
        let mut used = 0;
        for word in line.split_inclusive(' ') {
            let wide = columns(word.trim_end());
            if used > indent && used + wide > width {
                all.truncate(all.trim_end_matches(' ').len());
                all.push('\n');
                all.push_str(&" ".repeat(indent));
                used = indent;
            }
            all.push_str(word);
            used += columns(word.trim_end_matches('\n'));
        }
    }
    all
}

/// Returns the number of columns that `text` takes on a terminal.
pub(crate) fn columns(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

/// Returns a path for one line of a message, escaped as [`escaped`] does it.
pub(crate) fn path(path: &Path) -> String {
    escaped(&path.to_string_lossy(), usize::MAX)
}

/// Prints a line about the work of overspill on stderr.
pub(crate) fn say(line: &str) {
    let _ = writeln!(io::stderr(), "overspill: {}", without_number(line));
}

/// Prints warnings about invalid settings, at most a few. The call continues without these
/// settings.
pub(crate) fn warn(warnings: &[overspill::internal::settings::Warning]) {
    const MOST: usize = 5;
    let more = each("warning", warnings, MOST);
    if more > 0 {
        warn_line(&format!("and {more} more; run `overspill config` to see them"));
    }
}

/// Prints warnings about invalid settings, for commands about settings.
pub(crate) fn warn_of_all(warnings: &[overspill::internal::settings::Warning]) {
    let more = each("warning", warnings, 100);
    if more > 0 {
        warn_line(&format!("and {more} more"));
    }
}

/// Prints notes about project files that overspill ignores.
pub(crate) fn note_all(notes: &[overspill::internal::settings::Warning]) {
    each("note", notes, 20);
}

/// Prints at most `most` warnings, each on its own line, and returns the number of the others.
fn each(kind: &str, warnings: &[overspill::internal::settings::Warning], most: usize) -> usize {
    for warning in warnings.iter().take(most) {
        let line = quote::warning_line(&format!("{kind}: "), warning);
        let _ = writeln!(io::stderr(), "{line}");
    }
    warnings.len().saturating_sub(most)
}

/// Returns a warning, or a note, as `overspill doctor` shows it.
pub(crate) fn warning(warning: &overspill::internal::settings::Warning) -> String {
    quote::warning_line("", warning)
}

/// Prints warnings about damaged records that the store has found.
pub(crate) fn warn_of_damage(store: &dyn overspill::store::Store) {
    const MOST: usize = 20;
    let damage = store.warnings();
    for one in damage.iter().take(MOST) {
        warn_line(&escaped(&one.to_string(), 300));
    }
    if damage.len() > MOST {
        warn_line(&format!("{} more records are damaged", damage.len() - MOST));
    }
}

/// Returns the reason of an error of the system in a few words, without its number.
pub(crate) fn reason(error: &io::Error) -> String {
    let words = without_number(&error.to_string());
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_marks_and_emoji_are_those_of_a_terminal() {
        for (text, width) in [
            ("cafe", 4),
            ("cafe\u{301}", 4),
            ("表", 2),
            ("👩\u{200D}🔬", 2),
            ("❤\u{FE0F}", 2),
            ("zero\u{200B}width", 9),
        ] {
            assert_eq!(columns(text), width, "{text:?}");
        }
    }

    #[test]
    fn wrapped_text_breaks_between_words() {
        let text = "one two three\nfour five\n";
        assert_eq!(wrapped_to(text, 40, 2), text);
        assert_eq!(wrapped_to(text, 8, 2), "one two\n  three\nfour\n  five\n");
        assert_eq!(wrapped_to("longword x\n", 4, 2), "longword\n  x\n");
    }

    #[test]
    fn short_text_fits_the_width_with_its_ellipsis() {
        assert_eq!(short("e\u{301}e\u{301}", 4), "e\u{301}e\u{301}");
        assert_eq!(short("表e\u{301}表", 4), "表e\u{301}…");
        assert_eq!(short("表表表", 4), "表…");
    }
}
