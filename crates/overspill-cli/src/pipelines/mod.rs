//! Reports failures that a pipe hides.
//!
//! In: a line for bash or zsh, such as `cargo test 2>&1 | tail -5`. Out: the same output and the
//! same exit code, and a line after the output if a stage before the last one failed. In that case
//! overspill saves the output of the first stage.
//!
//! - [`Watch::attach`] makes the shell read a prelude, whose traps report failed stages. bash
//!   reads it through BASH_ENV. zsh reads it with a command before the line. In a line for bash,
//!   `overspill tee` may follow the first stage, if `scan` is sure about the grammar.
//! - [`Watch::finish`] reads the reports. `rules` decides which failures to report, and `notice`
//!   words the report.
//!
//! docs/pipelines.md explains when overspill reports a failure and when it stays silent.

#[cfg_attr(
    not(all(target_os = "linux", not(any(feature = "portable-unix", feature = "portable-std")))),
    path = "channel_other.rs"
)]
mod channel;
mod notice;
mod report;
mod rules;
mod scan;
mod settings;
mod shell;
mod stage;
#[cfg_attr(
    not(all(target_os = "linux", not(any(feature = "portable-unix", feature = "portable-std")))),
    path = "tee_other.rs"
)]
pub(crate) mod tee;
mod veto;

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use overspill::internal::store::PipelineStatus;
use overspill::store::{Kept, OutputId};
use overspill::{Call, CallEnd, CallOptions, Layer, Limit, Overspill};

use crate::env::Env;
use crate::hosts::frame::Framed;
use crate::process::CommandSpec;
use channel::Channel;
use notice::{SavedCapture, SavedSize};
use report::{CaptureReport, PipelineReport};
use rules::{Events, HiddenFailure, Line, PlaceText};
pub(crate) use settings::{PipelineMode, PipelineSettings};
use shell::Shell;

/// The run time in milliseconds after which the output of a first stage is saved, so that the agent
/// does not have to run it again.
const LONG_MILLIS: u64 = 2_000;
/// The smallest number of bytes of a saved output that is worth a notice.
const WORTH_SAVING: u64 = 4 << 10;
/// The largest number of pipelines in a line that is captured.
const MOST_PLACES: usize = 8;

/// A line that is watched while it runs.
pub(crate) struct Watch {
    channel: Channel,
    shell: Shell,
    /// The line as the shell runs it.
    text: String,
    /// The pipelines that are captured.
    places: Vec<PlaceText>,
    /// The words with which the stages of overspill begin.
    our_stage: String,
}

/// The options of the prelude.
#[allow(dead_code, reason = "only Linux has a prelude")]
struct Prelude {
    shell: Shell,
    /// Tells whether the prelude gets an event after the last command.
    sees_end: bool,
    /// Tells whether the line itself reads the prelude, after bash has read the user's start file.
    is_sourced: bool,
    /// The words of the line that may name functions, for the shell.
    names: String,
}

/// The failures of a line, and the notice about them.
#[derive(Debug, Default)]
pub(crate) struct Watched {
    /// The line that follows the output, or an empty text without a hidden failure.
    pub(crate) notice: String,
    /// The pipelines in which a stage failed.
    pub(crate) pipelines: Vec<PipelineStatus>,
}

impl Watch {
    /// Prepares the command of a shell, whose line is the word `at`. `None` leaves the command
    /// unchanged.
    pub(crate) fn attach(
        settings: &PipelineSettings,
        default: PipelineMode,
        asked: &mut CommandSpec,
        at: usize,
        env: &Env,
    ) -> Option<Watch> {
        let line = asked.words.get(at)?.to_str()?;
        if !veto::has_pipe(line) {
            return None;
        }
        let framed = Framed::of(line);
        let shell = Shell::of(asked.words.first()?)?;
        if !veto::may_be_watched(&framed.inner, shell) {
            return None;
        }
        let mode = settings.mode.unwrap_or(default);
        if mode == PipelineMode::Off {
            return None;
        }
        if !shell.can_watch(&framed) || shell.is_in_the_way(&asked.words[..at], env) {
            return None;
        }
        let sees_end = framed.is_last() && scan::needs_event_at_end(&framed.inner);
        let names = names_of(&framed.inner);
        let prelude = Prelude { shell, sees_end, is_sourced: framed.is_in_eval(), names };
        let places = match (mode, shell) {
            (PipelineMode::Full, Shell::Bash) => scan::places(&framed.inner),
            _ => Vec::new(),
        };
        let places = if places.len() > MOST_PLACES { Vec::new() } else { places };
        let store = settings.store.clone().filter(|store| store.is_dir());
        let directory = store.unwrap_or_else(|| env.temporary_directory());
        let channel = Channel::open(&prelude, places.len(), &directory)
            .or_else(|_| Channel::open(&prelude, 0, Path::new("/")))
            .ok()?;
        let floor = settings.floor();
        let most = match places.len() {
            0 => 0,
            count => {
                share_of_disk(channel::free_space(&directory), floor, count).min(settings.most)
            }
        };
        let our_stage = format!("{} {} ", env.own_path()?, tee::NAME);
        let mut text = framed.inner.clone();
        let mut texts = Vec::new();
        for (number, place) in places.iter().enumerate().rev() {
            let Some(argument) = channel.tee_argument(number, most, floor) else {
                continue;
            };
            text.insert_str(place.after, &format!(" {our_stage}{argument} |"));
            texts.push(PlaceText::of(&framed.inner, place));
        }
        texts.reverse();
        let line = shell.dressed(&framed, &text, &channel.prelude_path())?;
        if shell == Shell::Bash && framed.reads_environment() {
            asked.variables.push((shell::BASH_ENV, channel.prelude_path().into()));
        }
        asked.words[at] = line.into();
        Some(Watch { channel, shell, text, places: texts, our_stage })
    }

    /// Reads the reports, and saves the captured output. `shown` is the number of bytes of the
    /// line's output.
    pub(crate) fn finish(self, overspill: &Overspill, call: &Call, shown: u64) -> Watched {
        let Watch { channel, shell, text, places, our_stage } = self;
        let (bytes, files) = channel.close();
        let (reports, captures) = report::read(&bytes);
        let events = match shell {
            Shell::Bash => Events::OfCommands,
            Shell::Zsh => Events::OfLists,
        };
        let line = Line { text: &text, places: &places, our_stage: &our_stage, events };
        let reports = match shell {
            Shell::Bash => reports,
            Shell::Zsh => {
                reports.into_iter().filter_map(|report| rules::of_chain(report, &line)).collect()
            }
        };
        let hidden = rules::hidden_failures(&line, &reports, &captures);
        let captured = Captured { overspill, call, places: &places, files, captures };
        let notice = match hidden.first() {
            Some(failure) => {
                let saved =
                    failure.place.and_then(|place| captured.save(place, Some(failure.code)));
                let command = failure.command.as_ref().map(|command| masked(command, overspill));
                let failure = HiddenFailure { command, ..failure.clone() };
                notice::failure(&failure, hidden.len() - 1, saved.as_ref())
            }
            None => captured.longest(shown).unwrap_or_default(),
        };
        Watched { notice, pipelines: statuses(&reports, &line, overspill) }
    }
}

/// Returns the pipelines with a failed stage, for the record.
fn statuses(reports: &[PipelineReport], line: &Line, overspill: &Overspill) -> Vec<PipelineStatus> {
    let mut statuses: Vec<PipelineStatus> = Vec::new();
    for report in reports {
        let mut status = rules::status(report, line);
        for command in status.stages.iter_mut().filter_map(|stage| stage.command.as_mut()) {
            *command = masked(command, overspill);
        }
        if !statuses.contains(&status) {
            statuses.push(status);
        }
    }
    statuses
}

/// Returns a command with its secrets masked.
fn masked(command: &str, overspill: &Overspill) -> String {
    match overspill.redaction().rules() {
        Some(rules) => rules.text(command).0.into_owned(),
        None => command.to_owned(),
    }
}

/// The output that the capturing stages of a line wrote.
struct Captured<'a> {
    overspill: &'a Overspill,
    call: &'a Call,
    places: &'a [PlaceText],
    files: Vec<File>,
    captures: Vec<CaptureReport>,
}

impl Captured<'_> {
    /// Saves the output of a first stage.
    fn save(self, place: usize, code: Option<i32>) -> Option<SavedCapture> {
        let capture = self.captures.iter().find(|capture| capture.place == place)?;
        if capture.saved == 0 {
            return None;
        }
        // The other files are closed here, which frees their space before the store needs it.
        let mut file = self.files.into_iter().nth(place)?;
        let command = self.places.get(place).map(|place| place.first.clone());
        let call = Call { command, ..self.call.clone() };
        // With a limit of one byte, every output is saved.
        let settings = Layer { max_bytes: Some(Limit::AtMost(1)), ..Layer::default() };
        let options = CallOptions { settings, ..CallOptions::default() };
        let mut spill = self.overspill.spill(call, options);
        file.seek(SeekFrom::Start(0)).ok()?;
        let mut chunk = vec![0; 256 << 10];
        let (mut lines, mut last) = (0, b'\n');
        loop {
            let len = file.read(&mut chunk).ok()?;
            let chunk = &chunk[..len];
            if chunk.is_empty() {
                break;
            }
            lines += memchr::memchr_iter(b'\n', chunk).count() as u64;
            last = chunk[len - 1];
            spill.push(chunk);
        }
        let end = code.map_or_else(CallEnd::default, CallEnd::exited);
        let outcome = spill.finish(end.interrupted(capture.saved < capture.total));
        let saved = outcome.saved()?;
        note_as_captured(self.overspill, &saved.id);
        let bytes = match saved.kept {
            Kept::Whole => capture.saved,
            Kept::Ends { first, between, last } => first + between + last,
        };
        let size = match saved.kept {
            Kept::Whole if capture.saved == capture.total => {
                SavedSize::Lines(lines + u64::from(last != b'\n'))
            }
            _ => SavedSize::Part { bytes, total: capture.total },
        };
        Some(SavedCapture { size, read: self.overspill.way_to(saved) })
    }

    /// Saves the output of a first stage that ran for long, if the line dropped most of it.
    fn longest(self, shown: u64) -> Option<String> {
        let is_dropped = |capture: &&CaptureReport| {
            let most = capture.total > WORTH_SAVING && capture.total / 2 > shown;
            most && capture.millis >= LONG_MILLIS && capture.saved > 0 && !capture.reader_left
        };
        let capture =
            self.captures.iter().filter(is_dropped).max_by_key(|capture| capture.millis)?;
        let place = capture.place;
        let command = masked(&self.places.get(place)?.first, self.overspill);
        let saved = self.save(place, None)?;
        Some(notice::capture(&command, &saved))
    }
}

/// Corrects the record of a captured output, because nothing of it was sent.
fn note_as_captured(overspill: &Overspill, id: &OutputId) {
    let store = overspill.store();
    if let Ok(Some(mut record)) = store.record(id) {
        record.sent = Some(0);
        record.shown = Vec::new();
        let _ = store.describe(id, &record);
    }
}

/// Returns the words of a line that may be names of functions. They need no quotes.
fn names_of(line: &str) -> String {
    /// The number of bytes for names in a report of the prelude.
    const ROOM: usize = 2 << 10;
    let is_part = |char: char| char.is_ascii_alphanumeric() || "_-.:+@".contains(char);
    let may_be_name =
        |word: &&str| word.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_');
    let mut names = String::new();
    let mut seen = std::collections::HashSet::new();
    for word in line.split(|char| !is_part(char)).filter(may_be_name) {
        if names.len() + word.len() < ROOM && seen.insert(word) {
            names.push_str(word);
            names.push(' ');
        }
    }
    names
}

/// Returns the number of bytes that each of `captures` captures may take. All together get a
/// quarter of the free space above the floor, because the line may need the disk itself.
fn share_of_disk(free: u64, floor: u64, captures: usize) -> u64 {
    free.saturating_sub(floor) / 4 / captures.max(1) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_line_are_short_and_need_no_quotes() {
        assert_eq!(names_of("X=1 \"chk\" -a 5 $(g) | chk; ./run.sh 'a b'"), "X chk g run.sh a b ");
        let many: String = (0..9_000).map(|number| format!("name{number} ")).collect();
        assert!(names_of(&many).len() <= 2 << 10);
    }

    #[test]
    fn captures_share_a_quarter_of_the_space_above_the_floor() {
        for (free, floor, captures, expected) in [
            (800, 0, 1, 200),
            (800, 400, 1, 100),
            (800, 400, 4, 25),
            (300, 400, 1, 0),
            (8, 0, 0, 2),
        ] {
            assert_eq!(share_of_disk(free, floor, captures), expected, "{free} {floor} {captures}");
        }
    }
}
