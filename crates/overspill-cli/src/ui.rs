//! What people see.

use std::io::{self, ErrorKind, Write};

use jiff::Timestamp;
use overspill::Outcome;

/// Writes the outcome to standard output.
///
/// A reader that has gone away is no mistake of ours: it has seen what it wanted.
pub(crate) fn show(outcome: &Outcome) -> io::Result<()> {
    print(outcome.bytes())
}

/// Writes data to standard output.
pub(crate) fn print(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Turns how a command ended into an exit code: 1 for what is not there or did not work.
pub(crate) fn ended(result: anyhow::Result<()>) -> u8 {
    match result {
        Ok(()) => 0,
        Err(error) => {
            complain(&error);
            1
        }
    }
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

/// Returns how long ago something was, as people say it.
pub(crate) fn ago(then: Timestamp, now: Timestamp) -> String {
    let seconds = now.duration_since(then).as_secs();
    match seconds {
        i64::MIN..0 => "in the future".into(),
        0..60 => "just now".into(),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}

/// Returns `text` on one line, shortened to `width` characters.
pub(crate) fn short(text: &str, width: usize) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if line.chars().count() <= width {
        return line;
    }
    let start: String = line.chars().take(width.saturating_sub(1)).collect();
    format!("{start}…")
}

/// Says what to do about words we did not understand, where it is likely what was meant.
pub(crate) fn hint_after(error: &clap::Error) {
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    let is_run = words.first().is_some_and(|word| word == "run");
    let unknown = error.kind() == clap::error::ErrorKind::UnknownArgument;
    if is_run && unknown && !words.iter().any(|word| word == "--") {
        let hint = "hint: the command stands after `--`: overspill run -- COMMAND";
        let _ = writeln!(io::stderr(), "\n{hint}");
    }
}

/// Says something to whoever watches.
pub(crate) fn say(line: &str) {
    let _ = writeln!(io::stderr(), "overspill: {line}");
}

/// Says what went wrong.
pub(crate) fn complain(error: &anyhow::Error) {
    say(&format!("{error:#}"));
}

/// Says which settings could not be used. The call goes on without them.
pub(crate) fn warn(warnings: &[overspill::Warning]) {
    const MOST: usize = 20;
    for warning in warnings.iter().take(MOST) {
        say(&format!("warning: {warning}"));
    }
    if warnings.len() > MOST {
        say(&format!("warning: and {} more like these", warnings.len() - MOST));
    }
}

/// Returns why the system refused, in a word or two, without its number.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let words = text.find(" (os error").map_or(&*text, |at| &text[..at]);
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}
