//! The output of a command on its way to the reader.

use std::time::Duration;

use overspill::core::Limits;
use overspill::internal::LiveSpill;
use overspill::{Call, CallEnd, CallOptions, Layer, Limit, Outcome, Overspill};

use super::head_budget::HeadBudget;
use super::presenter::{Presenter, Shows, write};
use overspill::internal::store::PipelineStatus;

use crate::pipelines::{Watch, Watched};
use crate::process::{Ended, How, ProcessEvent, Stderr, Stream, Wanted};
use crate::undelivered;

/// The output of a command: one stream, or two if standard error is kept apart.
pub(super) struct Output<'a> {
    overspill: &'a Overspill,
    call: Call,
    options: CallOptions,
    limits: Limits,
    out: OutputStream<'a>,
    err: Option<OutputStream<'a>>,
    /// The stream that each part of the output was written to, if both are read as one.
    written: Option<Vec<(Stream, usize)>>,
    /// How many bytes came.
    received: u64,
    /// A part of the output could not be shown.
    lost: bool,
}

/// One stream: how it is saved, and how it is shown.
struct OutputStream<'a> {
    spill: LiveSpill<'a>,
    face: Presenter,
}

impl<'a> Output<'a> {
    pub(super) fn new(
        overspill: &'a Overspill,
        call: Call,
        options: CallOptions,
        stderr: Stderr,
        shows: Shows,
    ) -> Self {
        let stream = |to| {
            let spill = LiveSpill::new(overspill, call.clone(), options.clone());
            let face = Presenter::new(to, shows, spill.policy());
            OutputStream { spill, face }
        };
        let err = (stderr == Stderr::Separate).then(|| stream(Stream::Err));
        let written = (stderr == Stderr::Joined).then(Vec::new);
        let out = stream(Stream::Out);
        let limits = out.spill.policy().limits;
        Output { overspill, out, err, call, options, limits, written, received: 0, lost: false }
    }

    /// Takes an event of the command.
    pub(super) fn hear(&mut self, news: ProcessEvent) -> Wanted {
        match news {
            ProcessEvent::Bytes(stream, bytes) => {
                self.received += bytes.len() as u64;
                let voice = match (stream, &mut self.err) {
                    (Stream::Err, Some(err)) => err,
                    _ => &mut self.out,
                };
                let mut wanted = Wanted::More;
                voice.spill.push_showing(bytes, |seen| match voice.face.take(seen) {
                    Wanted::More => {}
                    Wanted::NoMore => wanted = Wanted::NoMore,
                });
                // A preview goes to one stream, so the parts do not matter any more.
                match &mut self.written {
                    Some(written) if !voice.spill.is_over() => match written.last_mut() {
                        Some((last, len)) if *last == stream => *len += bytes.len(),
                        _ => written.push((stream, bytes.len())),
                    },
                    _ => {}
                }
                wanted
            }
            ProcessEvent::AskedToEnd => {
                self.say_what_there_is();
                Wanted::More
            }
            ProcessEvent::StillRunning => {
                self.begin();
                Wanted::More
            }
        }
    }

    /// Shows the start of an output that still fits, while the command runs.
    ///
    /// The start takes a quarter of the limits. The rest of the output gets the other three.
    fn begin(&mut self) {
        if self.out.spill.is_over() {
            return;
        }
        let part = |most: Option<u64>| most.map(|most| Limit::AtMost(most / 4 * 3));
        let limits = &self.limits;
        // The start is shown before it is known whether the command fails.
        let first = self.options.if_failed.map_or(*limits, |failed| limits.tightened(&failed));
        let mut options = self.options.clone();
        let settings = &mut options.settings;
        settings.max_bytes = part(limits.bytes).or(settings.max_bytes);
        settings.max_lines = part(limits.lines).or(settings.max_lines);
        settings.max_chars = part(limits.chars).or(settings.max_chars);
        settings.max_tokens = part(limits.tokens).or(settings.max_tokens);
        let rest = |most: Option<u64>| most.map(|most| most / 4 * 3);
        options.if_failed =
            options.if_failed.map(|Limits { bytes, lines, chars, tokens }| Limits {
                bytes: rest(bytes),
                lines: rest(lines),
                chars: rest(chars),
                tokens: rest(tokens),
            });
        let so_far = self.out.spill.restart(options);
        if let Outcome::Spilled(_) = so_far {
            return;
        }
        self.written = None;
        self.out.face.begin(HeadBudget::within(&first, 4), so_far.bytes());
    }

    /// Shows and saves the output so far. The sender of the signal may not wait for more.
    ///
    /// Later output is an output of its own with small limits.
    fn say_what_there_is(&mut self) {
        let little = Layer {
            max_lines: Some(Limit::AtMost(20)),
            max_bytes: Some(Limit::AtMost(2 << 10)),
            ..Layer::default()
        };
        let mut written = self.written.as_mut().map(std::mem::take);
        for voice in [Some(&mut self.out), self.err.as_mut()].into_iter().flatten() {
            let options = CallOptions { settings: little.clone(), ..CallOptions::default() };
            let end = CallEnd::default().interrupted(true).on_terminal(voice.face.is_live());
            let end = CallEnd { sent_before: voice.face.sent_before(), ..end };
            let outcome = voice.spill.split(options, end);
            show(&mut voice.face, &outcome, written.take().as_deref());
            if voice.face.say_if_lost() {
                self.lost = true;
                let call = (&self.call, &self.options, end);
                undelivered::keep(self.overspill, &outcome, call, voice.face.has_written());
            }
        }
    }

    /// Asks what was seen of the pipelines of the command.
    pub(super) fn watched(&self, watch: Watch) -> Watched {
        watch.finish(self.overspill, &self.call, self.received)
    }

    /// Shows the rest of the output, and the notice about pipelines after it. Tells whether everything could
    /// be shown.
    pub(super) fn end(mut self, ended: &Ended, took: Duration, watched: &Watched) -> bool {
        let mut written = self.written;
        let end = match ended.how {
            How::Code(code) => CallEnd::exited(code),
            How::Signal(signal) => CallEnd::killed(signal),
        };
        let end = end.took(took);
        let end = end.interrupted(ended.interrupted || ended.timed_out.is_some() || ended.held);
        for voice in [Some(self.out), self.err].into_iter().flatten() {
            let OutputStream { mut spill, mut face } = voice;
            let notice = if face.is_main() { watched.notice.as_str() } else { "" };
            if !notice.is_empty() {
                // A line break may have to stand before it.
                spill.leave_room(&format!("\n{notice}"));
            }
            spill.flush_held(|seen| {
                let _ = face.take(seen);
            });
            let end =
                CallEnd { sent_before: face.sent_before(), ..end.on_terminal(face.is_live()) };
            let outcome = spill.finish(end);
            show(&mut face, &outcome, written.take().as_deref());
            face.show_after(&outcome, notice);
            record_pipelines(self.overspill, &outcome, &watched.pipelines);
            if face.say_if_lost() {
                self.lost = true;
                let call = (&self.call, &self.options, end);
                undelivered::keep(self.overspill, &outcome, call, face.has_written());
            }
        }
        !self.lost
    }
}

/// Adds the pipelines in which a stage failed to the record of a saved output.
fn record_pipelines(overspill: &Overspill, outcome: &Outcome, pipelines: &[PipelineStatus]) {
    let Some(saved) = outcome.saved().filter(|_| !pipelines.is_empty()) else { return };
    let store = overspill.store();
    if let Ok(Some(mut record)) = store.record(&saved.id) {
        record.pipelines = pipelines.to_vec();
        // A record is a convenience. The output itself is safe.
        let _ = store.describe(&saved.id, &record);
    }
}

/// Shows an output. The parts of an output that fits go to the streams they were written to.
fn show(face: &mut Presenter, outcome: &Outcome, written: Option<&[(Stream, usize)]>) {
    let (Outcome::Whole(_) | Outcome::Masked(_), Some(written)) = (outcome, written) else {
        return face.show(outcome);
    };
    let mut bytes = outcome.bytes();
    for &(stream, len) in written {
        let (part, rest) = bytes.split_at(len.min(bytes.len()));
        face.note(stream, write(stream, part));
        bytes = rest;
    }
    // Text that the redactor held back when we were asked to end.
    face.note(Stream::Out, write(Stream::Out, bytes));
}
