//! Replays one session. The replay counts the outputs and finds the words that the agent used from
//! an output. It then checks which of these words each way of cutting keeps.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use overspill::core::internal::is_failed_row;

use super::compare::Comparer;
use super::event::{SessionEvent, ToolCall, ToolOutput, start_of};
use super::pipes::{hides_exit_code, without_filters};
use super::replay::{OutputPlace, RecordedOutput};
use super::sample::Sample;
use super::tally::{Example, HostSum, Loss, MOST_EXAMPLES, SIZES, Tally};
use super::ways::{AuditedOutput, ROOMS, Room, chars_of, is_within};
use super::words::{SeenWords, TextForm, TextNumber, each_word};
use crate::hosts::Host;

/// The ways of cutting are not compared for outputs of this many bytes or fewer.
const LONGEST_NOT_COMPARED: usize = 2_000;
/// A word of an output counts as used only if the agent uses it within this many steps.
const STEPS: u64 = 3;
/// A command whose output the host cut counts as repeated if it runs again within this many steps.
const REPEATED_WITHIN: u64 = 5;
/// The number of calls without an output that are remembered.
const WAITING_CALLS: usize = 256;
/// The largest number of bytes of an output file of a host. The audit reads no larger file.
const LONGEST_FILE: u64 = 16 << 20;
/// The number of bytes at the end of an output that are searched for signs of failure.
const LOOKED_AT: usize = 64 << 10;

/// The state of one thread, for all sessions that the thread replays.
pub(super) struct Worker {
    pub(super) tally: Tally,
    pub(super) seen: SeenWords,
    comparer: Comparer,
    /// The outputs that are replayed.
    sample: Sample,
    /// The output that `overspill view` looks for, if any.
    pub(super) sought: Option<OutputPlace>,
    /// The output at the place `sought`.
    pub(super) found: Option<RecordedOutput>,
}

impl Worker {
    pub(super) fn new(sample: Sample) -> Worker {
        let (tally, comparer, sought, found) = Default::default();
        Worker { tally, seen: SeenWords::new(), comparer, sample, sought, found }
    }
}

/// A session that is being replayed.
pub(super) struct Session<'w> {
    worker: &'w mut Worker,
    host: &'static Host,
    file: &'w Path,
    /// The number of the current line of the file.
    pub(super) line: u64,
    /// The line of the last output, and the number of outputs in this line so far.
    output_line: (u64, u64),
    /// The number of the current step of the agent.
    step: u64,
    /// Tells whether the step continues. An output ends a step.
    is_in_step: bool,
    calls: VecDeque<OpenCall>,
    outputs: VecDeque<OpenOutput>,
    /// Commands whose outputs the host has cut, each with its step.
    cut_commands: VecDeque<(String, u64)>,
    /// The number of events so far. Texts from the user or the host do not count.
    pub(super) events: u64,
}

/// A call whose output has not come yet.
struct OpenCall {
    id: String,
    tool: String,
    command: Option<String>,
}

/// An output whose words may still be used.
struct OpenOutput {
    example: Example,
    /// The text, if the output is in the sample.
    text: Option<String>,
    failed: bool,
    step: u64,
    number: TextNumber,
    used: Vec<String>,
}

impl<'w> Session<'w> {
    pub(super) fn new(worker: &'w mut Worker, host: &'static Host, file: &'w Path) -> Session<'w> {
        worker.seen.clear();
        let (calls, outputs, cut_commands) = Default::default();
        Session {
            worker,
            host,
            file,
            line: 0,
            output_line: (0, 0),
            step: 0,
            is_in_step: false,
            calls,
            outputs,
            cut_commands,
            events: 0,
        }
    }

    /// Counts an event.
    pub(super) fn take(&mut self, event: SessionEvent<'_>) {
        match event {
            SessionEvent::Told(text) => self.learn(text, TextForm::Json),
            SessionEvent::Said(text) => self.use_words(&text, TextForm::Plain),
            SessionEvent::SaidJson(text) => self.use_words(text, TextForm::Json),
            SessionEvent::ToolCall(call) => self.call(call),
            SessionEvent::ToolOutput(output) => self.answer(output),
        }
    }

    /// Ends the session. `bytes` is the size of the file; `bad_lines` counts unreadable lines.
    pub(super) fn finish(mut self, bytes: u64, bad_lines: u64) {
        self.worker.tally.bytes_read += bytes;
        self.worker.tally.bad_lines += bad_lines;
        while let Some(output) = self.outputs.pop_front() {
            self.compare_ways(output);
        }
        if self.events > 0 {
            self.worker.tally.hosts.entry(self.host.name).or_default().sessions += 1;
        }
    }

    /// Remembers the words of a text, so that they are not new in a later output.
    fn learn(&mut self, text: &str, form: TextForm) {
        self.worker.seen.learn(text.as_bytes(), form);
    }

    /// Begins a step of the agent if the last step has ended.
    fn begin_step(&mut self) {
        if !self.is_in_step {
            self.is_in_step = true;
            self.step += 1;
            let is_done = |output: &OpenOutput| output.step + STEPS < self.step;
            let done = self.outputs.iter().take_while(|output| is_done(output)).count();
            for output in self.outputs.drain(..done).collect::<Vec<OpenOutput>>() {
                self.compare_ways(output);
            }
        }
    }

    /// Looks for words of outputs in a text or a call of the agent.
    fn use_words(&mut self, text: &str, form: TextForm) {
        self.begin_step();
        self.events += 1;
        let (seen, outputs) = (&mut self.worker.seen, &mut self.outputs);
        each_word(text.as_bytes(), form, |word, hash| {
            // The word counts as used if the first text with this word is an open output.
            let first = seen.first_text(hash);
            if let Some(output) = outputs.iter_mut().find(|output| Some(output.number) == first) {
                output.used.push(String::from_utf8_lossy(word).into_owned());
            }
            seen.use_word(hash);
        });
    }

    fn call(&mut self, call: ToolCall<'_>) {
        self.use_words(&call.arguments, TextForm::Json);
        let ToolCall { id, tool, command, .. } = call;
        if let Some(command) = &command {
            self.look_for_repeat(command, &tool);
        }
        self.calls.push_back(OpenCall { id, tool, command });
        if self.calls.len() > WAITING_CALLS {
            self.calls.pop_front();
        }
    }

    fn look_for_repeat(&mut self, command: &str, tool: &str) {
        if self.cut_commands.is_empty() {
            return;
        }
        let plain = without_filters(command);
        self.cut_commands.retain(|(_, step)| step + REPEATED_WITHIN >= self.step);
        if let Some(at) = self.cut_commands.iter().position(|(cut, _)| *cut == plain) {
            self.cut_commands.remove(at);
            let example = self.example(tool, Some(command), 0);
            self.worker.tally.repeated += 1;
            push_example(&mut self.worker.tally.repeated_examples, example);
        }
    }

    fn answer(&mut self, output: ToolOutput<'_>) {
        self.is_in_step = false;
        self.events += 1;
        let (line, before) = self.output_line;
        self.output_line = (self.line, if line == self.line { before + 1 } else { 1 });
        let at = self.calls.iter().position(|call| call.id == output.id);
        let call = at.and_then(|at| self.calls.remove(at));
        let (tool, command) =
            call.map_or_else(|| ("(not known)".to_owned(), None), |call| (call.tool, call.command));
        let ToolOutput { shown, header, whole, saved, is_cut, failed, .. } = output;
        let file = saved.filter(|_| whole.is_none()).and_then(|path| self.saved_output(&path));
        let body = &shown[start_of(&shown, header).len()..];
        let whole: Cow<'_, str> = match (whole, file) {
            (Some(whole), _) => whole,
            (None, Some(file)) => Cow::Owned(file),
            (None, None) => Cow::Borrowed(body),
        };
        let is_recorded = !is_cut || whole.len() > body.len();
        let sum = self.sum();
        sum.outputs += 1;
        sum.bytes += whole.len() as u64;
        sum.bytes_without_overspill += shown.len() as u64;
        sum.cut += u64::from(is_cut);
        sum.not_recorded += u64::from(!is_recorded);
        let class = SIZES.iter().position(|(most, _)| whole.len() as u64 <= *most);
        self.worker.tally.sizes[class.unwrap_or(SIZES.len() - 1)].add(whole.len() as u64);
        self.worker.tally.tools.entry(tool.clone()).or_default().add(whole.len() as u64);
        let failed = failed.unwrap_or(false);
        if self.worker.sought.is_some() && self.worker.sought == Some(self.place()) {
            self.worker.found = Some(RecordedOutput {
                host: self.host,
                tool: tool.clone(),
                command: command.clone(),
                text: whole.clone().into_owned(),
                failed,
                is_whole: is_recorded,
                used: Vec::new(),
            });
        }
        // overspill shortens outputs of commands and MCP tools. The replay needs the whole output.
        let is_shortened = command.is_some() || tool.starts_with("mcp_") || tool.contains("__");
        let audited =
            AuditedOutput { text: &whole, tool: &tool, command: command.as_deref(), failed };
        match is_shortened && is_recorded {
            true => self.add_replayed(header as u64, &audited),
            false => self.sum().known_bytes_with_overspill += shown.len() as u64,
        }
        if let Some(command) = &command {
            if is_cut {
                self.cut_commands.push_back((without_filters(command), self.step));
            }
            if !failed && hides_exit_code(command) && has_failed_row(body) {
                let example = self.example(&tool, Some(command), whole.len());
                self.worker.tally.hidden_failures += 1;
                push_example(&mut self.worker.tally.hidden_examples, example);
            }
        }
        if whole.len() > LONGEST_NOT_COMPARED && is_recorded {
            let example = self.example(&tool, command.as_deref(), whole.len());
            self.watch_words(example, &whole, failed);
        } else {
            self.learn(&whole, TextForm::Plain);
        }
    }

    /// Counts the text that the agent would have got of an output with overspill.
    fn add_replayed(&mut self, header: u64, output: &AuditedOutput<'_>) {
        let limits = self.host.ceiling.if_failed.filter(|_| output.failed);
        if is_within(output.text, &limits.unwrap_or(self.host.ceiling.limits)) {
            self.sum().known_bytes_with_overspill += header + output.text.len() as u64;
            return;
        }
        if !self.worker.sample.has(&self.place()) {
            let room = chars_of(Room::OfHost, self.host, output.failed);
            let most = room.min(output.text.len() as u64);
            let sum = self.sum();
            sum.known_bytes_with_overspill += header;
            sum.not_replayed.add(most);
            return;
        }
        match self.worker.comparer.preview_bytes(self.host, output) {
            Some(bytes) => {
                let sum = self.sum();
                sum.known_bytes_with_overspill += header + bytes;
                sum.replayed.add(bytes);
            }
            None => self.sum().known_bytes_with_overspill += header + output.text.len() as u64,
        }
    }

    /// Returns the sums of the host.
    fn sum(&mut self) -> &mut HostSum {
        self.worker.tally.hosts.entry(self.host.name).or_default()
    }

    /// Remembers the new words of an output, to see which of them the agent uses.
    fn watch_words(&mut self, example: Example, text: &str, failed: bool) {
        let Some(number) = self.worker.seen.add_output(text.as_bytes()) else { return };
        let is_sampled = self.worker.sample.has(&example.place);
        let text = is_sampled.then(|| text.to_owned());
        let (step, used) = (self.step, Vec::new());
        self.outputs.push_back(OpenOutput { example, text, failed, step, number, used });
    }

    /// Compares the ways of cutting an output after the agent has done its next steps.
    fn compare_ways(&mut self, output: OpenOutput) {
        let OpenOutput { example, text, failed, used, .. } = output;
        if used.is_empty() {
            return;
        }
        let Worker { tally, comparer, sought, found, .. } = &mut *self.worker;
        if let Some(found) = found
            && sought.as_ref() == Some(&example.place)
        {
            found.used.clone_from(&used);
        }
        tally.used_outputs += 1;
        tally.used_words += used.len() as u64;
        let Some(text) = text else { return };
        tally.compared_outputs += 1;
        let (tool, command) = (&example.tool, example.command.as_deref());
        let audited = AuditedOutput { text: &text, tool, command, failed };
        let compared = comparer.compare(self.host, &audited, &used);
        for (place, room) in compared.rooms.iter().enumerate() {
            let Some(room) = room else { continue };
            for (recall, kept) in tally.recalls[place].iter_mut().zip(room.kept) {
                if let Some(kept) = kept {
                    recall.outputs += 1;
                    recall.shares += kept as f64 / used.len() as f64;
                }
            }
            if !room.lost.is_empty() {
                let loss = Loss {
                    example: example.clone(),
                    room: ROOMS[place],
                    used: used.len(),
                    lost: room.lost.clone(),
                    best_other: room.best_other(),
                    hash: compared.hash,
                };
                tally.add_loss(place, loss);
            }
        }
    }

    /// Returns the place of the last output in this line. Without an output, `nth` is 1.
    fn place(&self) -> OutputPlace {
        let nth = if self.output_line.0 == self.line { self.output_line.1 } else { 1 };
        OutputPlace { file: self.file.to_owned(), line: self.line, nth }
    }

    fn example(&self, tool: &str, command: Option<&str>, bytes: usize) -> Example {
        Example {
            place: self.place(),
            host: self.host.name,
            tool: tool.to_owned(),
            command: command.map(str::to_owned),
            bytes: bytes as u64,
        }
    }

    /// Reads an output that the host has saved beside the transcript. It opens no other files.
    fn saved_output(&self, path: &Path) -> Option<String> {
        let beside = self.file.with_extension("");
        let is_plain = path.components().all(|part| {
            matches!(part, std::path::Component::RootDir | std::path::Component::Normal(_))
        });
        // The user may have moved the transcript together with the directory of its outputs.
        let moved: PathBuf = beside.join("tool-results").join(path.file_name()?);
        let path = if is_plain && path.starts_with(&beside) { path } else { &moved };
        let known = std::fs::symlink_metadata(path).ok()?;
        if !known.is_file() || known.len() > LONGEST_FILE {
            return None;
        }
        let mut text = String::new();
        File::open(path).ok()?.take(LONGEST_FILE).read_to_string(&mut text).ok()?;
        Some(text)
    }
}

fn push_example(examples: &mut Vec<Example>, example: Example) {
    if examples.len() < MOST_EXAMPLES {
        examples.push(example);
    }
}

/// Tells whether a line of the output has the form of a failure.
fn has_failed_row(text: &str) -> bool {
    let end = &text.as_bytes()[text.len().saturating_sub(LOOKED_AT)..];
    end.split(|&byte| byte == b'\n').any(is_failed_row)
}
