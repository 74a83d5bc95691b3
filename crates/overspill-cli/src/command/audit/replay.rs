//! Replays one output of a transcript for `overspill view`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::anyhow;
use overspill::store::{Memory, OutputId};
use overspill::{Call, Outcome, Overspill};

use super::read::try_read;
use super::sample::Sample;
use super::session::Worker;
use super::ways::{AuditedOutput, Room, engine, replayed};
use crate::env::Env;
use crate::hosts::Host;
use crate::stores::Outputs;
use crate::ui;

/// The place of an output in a transcript, written as `FILE:LINE`, or `FILE:LINE:N` for the Nth
/// output of a line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::command) struct OutputPlace {
    pub(super) file: PathBuf,
    pub(super) line: u64,
    /// The number of the output in the line, counted from 1.
    pub(super) nth: u64,
}

/// An output that a transcript records.
pub(super) struct RecordedOutput {
    pub(super) host: &'static Host,
    pub(super) tool: String,
    pub(super) command: Option<String>,
    pub(super) text: String,
    pub(super) failed: bool,
    /// Tells whether the transcript has the whole output.
    pub(super) is_whole: bool,
    /// The words that the agent used next.
    pub(super) used: Vec<String>,
}

/// An output that was replayed into memory.
pub(in crate::command) struct ReplayedOutput {
    pub(in crate::command) store: Outputs,
    pub(in crate::command) id: OutputId,
    /// The number of words that the agent used next.
    pub(in crate::command) used: usize,
    /// The used words that the preview lacks, each with its first offset in the output.
    pub(in crate::command) lost: Vec<(String, u64)>,
}

impl OutputPlace {
    /// Reads a place. Returns `None` if the text has another form or the file does not exist.
    pub(in crate::command) fn parse(typed: &OsStr) -> Option<OutputPlace> {
        let (rest, last) = typed.to_str()?.rsplit_once(':')?;
        let last: u64 = last.parse().ok()?;
        if Path::new(rest).is_file() {
            return Some(OutputPlace { file: rest.into(), line: last, nth: 1 });
        }
        let (file, line) = rest.rsplit_once(':')?;
        let place = OutputPlace { file: file.into(), line: line.parse().ok()?, nth: last };
        Some(place).filter(|place| place.file.is_file())
    }

    /// Returns the place without the file: `LINE`, or `LINE:N`.
    pub(super) fn in_file(&self) -> String {
        match self.nth {
            ..=1 => self.line.to_string(),
            nth => format!("{}:{nth}", self.line),
        }
    }

    /// Returns the command that shows this output with the limit of a room.
    pub(super) fn view_command(&self, room: Room, env: &Env) -> String {
        let file = env.absolute(&self.file).unwrap_or_else(|_| self.file.clone());
        let place = format!("{}:{}", file.display(), self.in_file());
        let limit = match room {
            Room::OfHost => String::new(),
            Room::Chars(chars) => format!(" --max-chars {chars}"),
        };
        format!("overspill view {}{limit}", ui::shell_word(&place))
    }
}

/// Replays an output with the limit of its host, or with a limit of `chars` characters. It writes
/// nothing to a disk.
pub(in crate::command) fn replay(
    place: &OutputPlace,
    chars: Option<u64>,
    env: &Env,
) -> anyhow::Result<ReplayedOutput> {
    let (shown, at) = (env.shown(&place.file), place.in_file());
    let output = recorded(place).map_err(|reason| anyhow!("{shown}: {reason}"))?;
    if !output.is_whole {
        anyhow::bail!("{shown}:{at}: the host cut this output, and no file has the rest");
    }
    let room = chars.map_or(Room::OfHost, Room::Chars);
    let memory = Memory::default();
    let outcome = replayed_into(memory.clone(), room, place, &output);
    let Some(saved) = outcome.saved() else {
        anyhow::bail!(
            "{shown}:{at}: the output is within the limit, so the agent would have got all of it\n\nhint: try a \
             smaller limit, such as --max-chars 2000"
        )
    };
    let preview = outcome.text();
    let is_lost = |word: &&String| !preview.contains(word.as_str());
    let place_of = |word: &String| output.text.find(word.as_str()).unwrap_or(0) as u64;
    let lost = output.used.iter().filter(is_lost).map(|word| (word.clone(), place_of(word)));
    Ok(ReplayedOutput {
        id: saved.id.clone(),
        used: output.used.len(),
        lost: lost.collect(),
        store: Arc::new(memory),
    })
}

/// Returns the preview of an output in a room, for a report. Returns an empty text if the
/// transcript has changed meanwhile.
pub(super) fn preview(place: &OutputPlace, room: Room) -> String {
    let Ok(output) = recorded(place) else { return String::new() };
    replayed_into(Memory::default(), room, place, &output).text().into_owned()
}

/// Reads the output at a place, or returns the reason why this fails.
pub(super) fn recorded(place: &OutputPlace) -> Result<RecordedOutput, String> {
    let mut worker = Worker::new(Sample::NONE);
    worker.sought = Some(place.clone());
    try_read(&place.file, &mut worker, |_| {})?;
    let hint = "hint: `overspill audit` names the outputs in which overspill loses the most";
    worker.found.ok_or_else(|| {
        format!("there is no output of a tool at line {}\n\n{hint}", place.in_file())
    })
}

fn replayed_into<'a>(
    memory: Memory,
    room: Room,
    place: &OutputPlace,
    output: &'a RecordedOutput,
) -> Outcome<'a> {
    let engine: Overspill = engine(room, output.host, memory);
    let session = place.file.file_name().map(|name| name.to_string_lossy().into_owned());
    let call = Call { session, command: output.command.clone(), ..Call::new(&*output.tool) };
    let long = AuditedOutput {
        text: &output.text,
        tool: &output.tool,
        command: output.command.as_deref(),
        failed: output.failed,
    };
    replayed(&engine, room, output.host, &long, &call)
}
