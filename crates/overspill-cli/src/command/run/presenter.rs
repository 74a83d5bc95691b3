//! Shows a stream: live, at the end, or its start at once.

use std::io::{self, ErrorKind, Write};
use std::time::{Duration, Instant};

use overspill::core::{Limits, Policy};
use overspill::{Outcome, Spilled};

use super::live_view::{LiveView, Newest};
use super::replaced::Replaced;
use super::runs::Runs;
use super::screen::Screen;
use super::streamed_head::StreamedHead;
use crate::hosts::TaskFile;
use crate::process::{self, Descriptors, Stream, Wanted};
use crate::ui;

/// The output that overspill shows before the command has ended.
#[derive(Debug, Clone)]
pub(crate) enum Shows {
    /// Everything on a terminal. Elsewhere the start, and updates while the command still runs.
    Usual,
    /// Everything on a terminal. Elsewhere the part of the start that every preview contains.
    Start,
    /// Everything within the limit, on a terminal that a host reads.
    Screen,
    /// Everything, without a limit.
    All,
    /// Everything, in a file of a host. If the host waits for the command, the preview replaces the
    /// output at the end.
    File(TaskFile),
}

/// The longest time of all waits for a reader of two pipes.
const READ_WITHIN: Duration = Duration::from_millis(200);

/// The destination of a stream, and the way to show it.
pub(super) struct Presenter {
    to: Stream,
    shown: Shown,
    /// The first write error, and the stream of the write.
    lost: Option<(Stream, io::Error)>,
    /// The number of bytes that were written.
    written: u64,
    /// Tells whether the reader gets the written bytes, and nothing replaces them later.
    counts: bool,
    /// Tells whether the output so far does not end with a line feed.
    is_mid_line: bool,
}

/// The way to show a stream.
enum Shown {
    /// All of it, live.
    Live,
    /// Nothing yet: the outcome is shown at the end.
    Held,
    /// The start live, the rest at the end.
    Head(StreamedHead),
    /// The start after a moment, and updates at intervals.
    Watched(LiveView),
    /// The start on a terminal that a host reads, and the rest or the preview at the end.
    Screen(Screen),
    /// All of it, live, into the file of a host if there is one.
    Through(Option<Replaced>),
}

impl Presenter {
    /// Creates a presenter. `first` contains the limits of the text that is shown before the exit
    /// code is known.
    pub(super) fn new(to: Stream, shows: &Shows, policy: &Policy, first: Limits) -> Presenter {
        let is_terminal = || match to {
            Stream::Out => ui::is_seen(),
            Stream::Err => ui::is_error_seen(),
        };
        let shown = match shows {
            Shows::Screen => Shown::Screen(Screen::within(policy)),
            Shows::All => Shown::Through(None),
            Shows::File(file) => Shown::Through(Some(Replaced::new(file.clone()))),
            _ if is_terminal() => Shown::Live,
            Shows::Start => Shown::Head(StreamedHead::within(policy)),
            Shows::Usual => Shown::Watched(LiveView::within(first)),
        };
        let counts = !matches!(shown, Shown::Live | Shown::Through(Some(_)));
        Presenter { to, shown, lost: None, written: 0, counts, is_mid_line: false }
    }

    pub(super) fn is_live(&self) -> bool {
        matches!(self.shown, Shown::Live)
    }

    /// Tells whether this is standard output.
    pub(super) fn is_main(&self) -> bool {
        self.to == Stream::Out
    }

    /// Shows a line of overspill after the output.
    pub(super) fn show_after(&mut self, outcome: &Outcome, notice: &str) {
        if notice.is_empty() {
            return;
        }
        if self.is_live() {
            return ui::say(notice.trim_end());
        }
        let is_mid_line = outcome.bytes().last().is_some_and(|byte| *byte != b'\n');
        let before = if is_mid_line { "\n" } else { "" };
        let written = write(self.to, format!("{before}{notice}").as_bytes());
        self.note(self.to, written);
    }

    /// Returns the number of shown bytes that the preview does not contain.
    pub(super) fn sent_before(&self) -> u64 {
        match &self.shown {
            Shown::Watched(view) => view.used_bytes(),
            Shown::Live | Shown::Held | Shown::Head(_) | Shown::Screen(_) | Shown::Through(_) => 0,
        }
    }

    /// Returns the room that is left within `limits`, if something was shown.
    pub(super) fn left_of(&self, limits: &Limits) -> Option<Limits> {
        match &self.shown {
            Shown::Watched(view) => view.left_of(limits),
            _ => None,
        }
    }

    /// Shows the part of `bytes` that can be shown at once.
    pub(super) fn take(&mut self, bytes: &[u8], runs: Option<&Runs>) -> Wanted {
        let written = match &mut self.shown {
            Shown::Held => Ok(0),
            Shown::Watched(view) => {
                let at = view.shown_from_start();
                let shown = view.take(bytes);
                return self.write_parts(runs, at, &bytes[..shown]);
            }
            Shown::Through(_) => write(self.to, bytes),
            Shown::Live => {
                self.is_mid_line = bytes.last().map_or(self.is_mid_line, |byte| *byte != b'\n');
                write(self.to, bytes)
            }
            Shown::Head(head) => write(self.to, head.take(bytes)),
            Shown::Screen(screen) => write(self.to, screen.take(bytes)),
        };
        self.note(self.to, written)
    }

    /// Notes the result of a write.
    pub(super) fn note(&mut self, to: Stream, written: io::Result<usize>) -> Wanted {
        match written {
            Ok(len) => {
                self.written += len as u64;
                Wanted::More
            }
            // The reader has seen enough.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Wanted::NoMore,
            // The reader does not get the output, but the command goes on.
            Err(error) => {
                self.lost.get_or_insert((to, error));
                Wanted::More
            }
        }
    }

    /// Reports a write error, if there was one; tells whether there was.
    pub(super) fn say_if_lost(&mut self) -> bool {
        let Some((to, error)) = self.lost.take() else { return false };
        let to = match to {
            Stream::Out => "standard output",
            Stream::Err => "standard error",
        };
        let why = format!("cannot write to {to}: {}", ui::reason(&error));
        ui::Failure::new(why, None).print(1);
        true
    }

    /// Tells whether something was written.
    pub(super) fn has_written(&self) -> bool {
        self.written > 0
    }

    /// Returns the number of bytes that the reader got, or `None` if that is unknown: for a
    /// terminal, or for a file that is replaced.
    pub(super) fn sent(&self) -> Option<u64> {
        Some(self.written).filter(|_| self.counts)
    }

    /// Shows the start of the output after the command has run for a moment. If the output is too
    /// large already, `line` returns the line about an output with this number of lines.
    pub(super) fn begin(&mut self, runs: Option<&Runs>, line: Option<impl Fn(u64) -> String>) {
        let Shown::Watched(view) = &mut self.shown else { return };
        let (start, lines) = (view.begin(), view.lines());
        let _ = self.write_parts(runs, 0, &start);
        if let Some(line) = line {
            self.write_ours(&line(lines));
        }
    }

    /// Shows the text after the shown part of an output that may still be short. Tells whether that
    /// was all.
    pub(super) fn show_next(&mut self, held: &[u8], runs: Option<&Runs>) -> bool {
        let Shown::Watched(view) = &mut self.shown else { return true };
        let at = view.shown_from_start();
        let next = held.get(at..).unwrap_or_default();
        let shown = view.take_next(next);
        let _ = self.write_parts(runs, at, &next[..shown]);
        shown == next.len()
    }

    /// Shows all output that was held back.
    pub(super) fn show_rest(&mut self, held: &[u8], runs: Option<&Runs>) {
        let at = self.shown_from_start();
        let _ = self.write_parts(runs, at, held.get(at..).unwrap_or_default());
    }

    /// Shows a part of the output that was held back.
    pub(super) fn show_rest_part(&mut self, bytes: &[u8]) {
        let written = write(self.to, bytes);
        self.note(self.to, written);
    }

    /// Returns the number of bytes that are shown from the start of the output, without a gap.
    pub(super) fn shown_from_start(&self) -> usize {
        match &self.shown {
            Shown::Watched(view) => view.shown_from_start(),
            Shown::Screen(screen) => screen.shown_from_start(),
            Shown::Held => 0,
            Shown::Live | Shown::Head(_) | Shown::Through(_) => usize::MAX,
        }
    }

    /// Shows that a part of the output is missing, and a line about the `lines` so far.
    pub(super) fn show_gap(&mut self, lines: u64, line: impl Fn(u64) -> String) {
        match self.shown {
            Shown::Screen(_) => self.show_rest_part(format!("[…]\n{}", line(lines)).as_bytes()),
            _ => self.show_newest(line),
        }
    }

    /// Shows everything live from now on.
    pub(super) fn pass_on(&mut self) {
        if let Shown::Watched(_) | Shown::Screen(_) = self.shown {
            self.shown = Shown::Through(None);
        }
    }

    /// Shows the newest lines of an output that is too large, and a line about it.
    pub(super) fn show_newest(&mut self, line: impl Fn(u64) -> String) {
        let Shown::Watched(view) = &mut self.shown else { return };
        let line = line(view.lines());
        let Some(Newest { text, has_gap }) = view.newest(line.len() as u64 + 8) else { return };
        let gap = if has_gap { "[…]\n" } else { "" };
        let feed = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        self.write_ours(&format!("{gap}{text}{feed}{line}"));
    }

    /// Writes whole lines that are not the unchanged text of the output.
    fn write_ours(&mut self, text: &str) {
        let Shown::Watched(view) = &mut self.shown else { return };
        let text = if view.is_mid_line() { format!("\n{text}") } else { text.to_owned() };
        view.count(text.as_bytes());
        let written = write(self.to, text.as_bytes());
        self.note(self.to, written);
    }

    /// Writes each part of the output to the stream that it came from.
    fn write_parts(&mut self, runs: Option<&Runs>, at: usize, bytes: &[u8]) -> Wanted {
        let Some(runs) = runs else {
            let written = write(self.to, bytes);
            return self.note(self.to, written);
        };
        let mut wanted = Wanted::More;
        let until = Instant::now() + READ_WITHIN;
        let mut last = None;
        for (stream, part) in runs.split(at, bytes) {
            // A reader of two pipes sees the order only if it has read one pipe before the other
            // gets bytes.
            if let Some(last) = last.replace(stream) {
                process::wait_for_reader(last, until);
            }
            if self.note(stream, write(stream, part)) == Wanted::NoMore {
                wanted = Wanted::NoMore;
            }
        }
        wanted
    }

    /// Shows the outcome, as far as it was not shown. The parts of a short output go to the streams
    /// that they came from.
    pub(super) fn show(&mut self, outcome: &Outcome, runs: Option<&Runs>, is_interrupted: bool) {
        if !self.is_live() {
            ui::say_if_silent(outcome);
        }
        if let Outcome::Whole(_) | Outcome::Masked(_) = outcome {
            let shown = match &self.shown {
                Shown::Held => Some(0),
                Shown::Watched(view) => Some(view.shown_from_start()),
                _ => None,
            };
            if let Some(shown) = shown {
                let rest = outcome.bytes().get(shown..).unwrap_or_default();
                let _ = self.write_parts(runs, shown, rest);
                self.shown = Shown::Held;
                return;
            }
        }
        let shown = match (&mut self.shown, outcome) {
            (Shown::Held, outcome) => write(self.to, outcome.bytes()),
            (Shown::Live, Outcome::Whole(_) | Outcome::Masked(_)) => Ok(0),
            (Shown::Live, Outcome::Spilled(spilled)) => {
                if self.is_mid_line {
                    let _ = writeln!(io::stderr());
                }
                ui::say(&for_a_person(spilled));
                Ok(0)
            }
            (Shown::Head(head), outcome) => write(self.to, &head.rest(outcome)),
            (Shown::Watched(view), Outcome::Spilled(spilled)) => {
                write(self.to, view.rest(spilled).as_bytes())
            }
            (Shown::Watched(_), _) | (Shown::Through(None), _) => Ok(0),
            (Shown::Through(Some(file)), Outcome::Spilled(spilled)) if !is_interrupted => {
                file.replace(&spilled.text)
            }
            (Shown::Through(Some(_)), _) => Ok(0),
            (Shown::Screen(screen), outcome) => {
                let written = write(self.to, &screen.rest(outcome));
                screen.wait_for_reader();
                written
            }
        };
        if !matches!(self.shown, Shown::Live | Shown::Through(_)) {
            self.shown = Shown::Held;
        }
        self.note(self.to, shown);
    }
}

/// Tells a person where a long output is saved. A model gets a notice instead.
fn for_a_person(spilled: &Spilled) -> String {
    let size = ui::size(spilled.total.bytes);
    match &spilled.saved {
        Ok(saved) => format!("{size} saved as {} · overspill read", saved.id.short_id()),
        Err(error) => format!("{size} not saved: {}", ui::escaped(&error.to_string(), 200)),
    }
}

/// Writes all bytes; returns their number.
pub(super) fn write(to: Stream, bytes: &[u8]) -> io::Result<usize> {
    if bytes.is_empty() {
        return Ok(0);
    }
    let write = |to: &mut dyn Write| to.write_all(bytes).and_then(|()| to.flush());
    let written = match to {
        Stream::Out => Descriptors::check_stdout().and_then(|()| write(&mut io::stdout().lock())),
        Stream::Err => write(&mut io::stderr().lock()),
    };
    written.map(|()| bytes.len())
}
