//! Reads transcripts, several files at the same time, and adds up their sessions.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

use serde::Deserialize;
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::event::{TranscriptFormat, TranscriptReader};
use super::formats::FORMATS;
use super::lines::{FileLine, LONGEST_LINE, each_line};
use super::places::TranscriptFile;
use super::sample::Sample;
use super::session::{Session, Worker};
use super::tally::Tally;
use crate::hosts::Host;
use crate::ui;

/// The largest number of files that are read at the same time. Each file needs its own memory.
const MOST_THREADS: usize = 8;
/// The number of bytes from the start of a file that are searched for signs of its format.
const START: usize = 64 << 10;
/// A transcript with at least this number of lines must have messages of the agent.
const ENOUGH_LINES: u64 = 20;

/// Reads all files, replays the outputs of a sample, and returns the sums.
pub(super) fn read_all(files: &[TranscriptFile], sample: Sample, progress: &ui::Progress) -> Tally {
    let all: u64 = files.iter().map(|file| file.bytes).sum();
    let (next, done) = (AtomicUsize::new(0), AtomicU64::new(0));
    let work = || {
        let mut worker = Worker::new(sample);
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            read_file(&file.path, &mut worker, |bytes| {
                let done = done.fetch_add(bytes, Ordering::Relaxed) + bytes;
                progress.at(done, all.max(done));
            });
        }
        worker.tally
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
    let mut tally = Tally::default();
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(files.len())).map(|_| scope.spawn(work)).collect();
        tally.merge(work());
        for other in others {
            match other.join() {
                Ok(other) => tally.merge(other),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    tally
}

/// Reads one file. If this fails, the reason goes into the sums.
fn read_file(path: &Path, worker: &mut Worker, came: impl FnMut(u64)) {
    let read = try_read(path, worker, came);
    if let Err(reason) = read {
        worker.tally.add_not_read(path.to_owned(), reason);
    }
}

/// Reads one file, or returns the reason why it cannot be read.
pub(super) fn try_read(
    path: &Path,
    worker: &mut Worker,
    came: impl FnMut(u64),
) -> Result<(), String> {
    let failed = |error: io::Error| ui::reason(&error);
    let mut file = File::open(path).map_err(failed)?;
    let mut start = Vec::new();
    file.by_ref().take(START as u64).read_to_end(&mut start).map_err(failed)?;
    if start.trim_ascii().is_empty() {
        // The session has just begun.
        return Ok(());
    }
    let format = format_of(&start).ok_or("overspill does not know this format")?;
    let host = Host::named(format.host).ok_or("overspill does not know this host")?;
    let session = Session::new(worker, host, path);
    let mut reader = (format.reader)();
    let whole = io::Cursor::new(start).chain(file);
    match format.is_document {
        true => read_document(whole, session, &mut *reader, came),
        false => read_lines(whole, session, &mut *reader, came).map_err(failed),
    }
    .and_then(|read| match read {
        ReadLines { lines, bad_lines, .. } if bad_lines == lines => {
            Err("its lines are not JSON".into())
        }
        ReadLines { lines: ENOUGH_LINES.., events: 0, .. } => Err(format!(
            "overspill knows no line of this file: perhaps a newer version of {} wrote it",
            host.title
        )),
        _ => Ok(()),
    })
}

/// Returns the format of a file with this start.
fn format_of(start: &[u8]) -> Option<&'static TranscriptFormat> {
    let start = String::from_utf8_lossy(start);
    FORMATS.into_iter().find(|format| (format.begins)(&start))
}

/// The number of lines and events of a file.
struct ReadLines {
    lines: u64,
    /// The number of lines that could not be read.
    bad_lines: u64,
    events: u64,
}

fn read_lines(
    file: impl Read,
    mut session: Session<'_>,
    reader: &mut dyn TranscriptReader,
    mut came: impl FnMut(u64),
) -> io::Result<ReadLines> {
    let mut read = ReadLines { lines: 0, bad_lines: 0, events: 0 };
    let mut bytes = 0;
    each_line(
        file,
        |line| {
            session.line += 1;
            let is_read = match line {
                FileLine::Text { text, .. } if text.trim_ascii().is_empty() => return,
                FileLine::Text { text, is_ended } => match one_line(text, &mut session, reader) {
                    // The host is still writing this line.
                    false if !is_ended => return,
                    is_read => is_read,
                },
                FileLine::TooLong => false,
            };
            read.lines += 1;
            read.bad_lines += u64::from(!is_read);
        },
        |count| {
            bytes += count;
            came(count);
        },
    )?;
    read.events = session.events;
    session.finish(bytes, read.bad_lines);
    Ok(read)
}

/// Reads a line. Tells whether this worked.
fn one_line(line: &[u8], session: &mut Session<'_>, reader: &mut dyn TranscriptReader) -> bool {
    let Ok(line) = std::str::from_utf8(line) else { return false };
    reader.read(line.trim_end_matches('\r'), &mut |event| session.take(event)).is_ok()
}

/// Returns why a file is not one JSON document. The message of the error can quote the file, which
/// may have secrets.
fn not_a_document(error: &serde_json::Error) -> String {
    let place = format!("line {} column {}", error.line(), error.column());
    match error.classify() {
        Category::Data => format!("it has no list `messages` ({place})"),
        _ => format!("it is not JSON ({place})"),
    }
}

/// Reads a file that is one JSON document.
fn read_document(
    file: impl Read,
    mut session: Session<'_>,
    reader: &mut dyn TranscriptReader,
    mut came: impl FnMut(u64),
) -> Result<ReadLines, String> {
    #[derive(Deserialize)]
    struct Document<'a> {
        #[serde(borrow)]
        messages: Vec<&'a RawValue>,
    }
    let mut bytes = Vec::new();
    file.take(LONGEST_LINE as u64 + 1).read_to_end(&mut bytes).map_err(|it| ui::reason(&it))?;
    if bytes.len() > LONGEST_LINE {
        return Err(format!("it is larger than {}", ui::size(LONGEST_LINE as u64)));
    }
    came(bytes.len() as u64);
    let text = std::str::from_utf8(&bytes).map_err(|_| "it is not UTF-8")?;
    let Document { messages } =
        serde_json::from_str(text).map_err(|error| not_a_document(&error))?;
    let mut read = ReadLines { lines: 0, bad_lines: 0, events: 0 };
    // The start of the message before, and the line on which it begins.
    let (mut from, mut line) = (0, 1);
    for message in messages {
        let place = message.get().as_ptr() as usize - text.as_ptr() as usize;
        line += memchr::memchr_iter(b'\n', &text.as_bytes()[from..place]).count() as u64;
        from = place;
        session.line = line;
        let is_read = reader.read(message.get(), &mut |event| session.take(event)).is_ok();
        read.lines += 1;
        read.bad_lines += u64::from(!is_read);
    }
    read.events = session.events;
    session.finish(bytes.len() as u64, read.bad_lines);
    Ok(read)
}
