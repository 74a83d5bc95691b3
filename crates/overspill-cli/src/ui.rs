//! What people see.

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

/// How wide a line may be that nobody looks at on a terminal.
const WIDTH_ELSEWHERE: usize = 120;

/// Writes the outcome to standard output.
pub(crate) fn show(outcome: &Outcome) -> anyhow::Result<()> {
    say_if_silent(outcome);
    answer_bytes(outcome.bytes())
}

/// Says where the rest is, or why it is not saved, if the text that is shown has no room for it.
pub(crate) fn say_if_silent(outcome: &Outcome) {
    let Outcome::Spilled(spilled) = outcome else { return };
    if spilled.is_silent() {
        return say(&spilled.notice);
    }
    if let Err(error) = &spilled.saved {
        let reason = escaped(&error.to_string(), 200);
        // Only a long notice has the reason, as one line.
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

/// Like [`answer`], whatever the bytes are.
pub(crate) fn answer_bytes(bytes: &[u8]) -> anyhow::Result<()> {
    if bytes.is_empty() || capture::take(bytes) {
        return Ok(());
    }
    let mut stdout = io::stdout().lock();
    let opened = Descriptors::check_stdout();
    written(opened.and_then(|()| stdout.write_all(bytes)).and_then(|()| stdout.flush()))
}

/// Tells what became of writing to standard output.
///
/// A reader that has gone away is no mistake of ours: it has seen what it wanted.
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

/// Turns how a command ended into an exit code: 1 if something is missing or failed, 2 for invalid
/// arguments.
pub(crate) fn ended(result: anyhow::Result<()>) -> u8 {
    ended_with(result.map(|()| true))
}

/// Like [`ended`], with 1 also for an answer that found nothing.
pub(crate) fn ended_with(result: anyhow::Result<bool>) -> u8 {
    let is_misuse = result.as_ref().is_err_and(|error| error.is::<UsageError>());
    finished(result, if is_misuse { 2 } else { 1 })
}

/// Returns the exit code of a search, as ripgrep has it: 0 for a match, 1 for none, 2 for an error.
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

/// Returns how many columns a line may have.
pub(crate) fn width() -> usize {
    match terminal_size::terminal_size_of(io::stdout()) {
        Some((terminal_size::Width(columns), _)) => usize::from(columns).max(40),
        None => WIDTH_ELSEWHERE,
    }
}

/// Tells whether somebody looks at standard output.
pub(crate) fn is_seen() -> bool {
    io::stdout().is_terminal()
}

/// Returns a size as people read it.
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

/// Returns how old something is, as people say it.
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

/// Returns `count` of something, in the singular if it is one.
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

/// Returns lines of text broken between words to fit the terminal; what follows a break is indented. Text for
/// a file or a pipe stays as it is.
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

/// Returns how many columns a terminal takes for `text`.
pub(crate) fn columns(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

/// Returns a path for one line of a message, escaped as [`escaped`] does it.
pub(crate) fn path(path: &Path) -> String {
    escaped(&path.to_string_lossy(), usize::MAX)
}

/// Says something to whoever watches.
pub(crate) fn say(line: &str) {
    let _ = writeln!(io::stderr(), "overspill: {}", without_number(line));
}

/// Says which settings could not be used: a few of them. The call goes on without them.
pub(crate) fn warn(warnings: &[overspill::internal::settings::Warning]) {
    const MOST: usize = 5;
    let more = each("warning", warnings, MOST);
    if more > 0 {
        warn_line(&format!("and {more} more; run `overspill config` to see them"));
    }
}

/// Says which settings could not be used, where settings are what it is about.
pub(crate) fn warn_of_all(warnings: &[overspill::internal::settings::Warning]) {
    let more = each("warning", warnings, 100);
    if more > 0 {
        warn_line(&format!("and {more} more"));
    }
}

/// Says which project files do not count.
pub(crate) fn note_all(notes: &[overspill::internal::settings::Warning]) {
    each("note", notes, 20);
}

/// Prints at most `most` of these, each on a line of its own; returns how many are left.
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

/// Names the damaged records that a store has met.
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

/// Returns why the system refused, in a word or two, without its number.
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
