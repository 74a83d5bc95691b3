//! Passes the output of a command to the store and to the reader.

use std::time::Duration;

use overspill::core::Limits;
use overspill::internal::LiveSpill;
use overspill::internal::store::Record;
use overspill::store::OutputId;
use overspill::{Call, CallEnd, CallOptions, Layer, Limit, Outcome, Overspill};

use super::presenter::{Presenter, Shows};
use super::runs::Runs;
use super::terminal_text::TerminalText;

use crate::hosts::ExpectedLog;
use crate::pipelines::{Watch, Watched};
use crate::process::{Ended, How, ProcessEvent, Stderr, Stream, Wanted};
use crate::undelivered;

/// The number of bytes of a saved output that are read at once.
const SAVED_CHUNK: u64 = 256 << 10;

/// The output of a command: one stream, or two if standard error stays separate.
pub(super) struct Output<'a> {
    overspill: &'a Overspill,
    call: Call,
    options: CallOptions,
    limits: Limits,
    out: OutputStream<'a>,
    err: Option<OutputStream<'a>>,
    /// The stream of each part of the output, if both streams are read as one.
    written: Option<Runs>,
    /// Outputs that were saved when a signal asked overspill to end. Their records do not contain
    /// the end of the command yet.
    ended_early: Vec<OutputId>,
    /// The number of bytes that came.
    received: u64,
    /// Tells whether a part of the output could not be shown.
    lost: bool,
    /// The text of a terminal like ours: everything goes to our terminal unchanged, and the text is
    /// saved.
    terminal: Option<TerminalText>,
    /// The log that the host creates if it moves the command to the background. After that, the
    /// host gets everything.
    background: Option<ExpectedLog>,
}

/// One stream: the way to save it, and the way to show it.
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
            let limits = spill.policy().limits;
            let first = options.if_failed.map_or(limits, |failed| limits.tightened(&failed));
            let face = Presenter::new(to, &shows, spill.policy(), first);
            OutputStream { spill, face }
        };
        let err = (stderr == Stderr::Separate).then(|| stream(Stream::Err));
        let written = (stderr == Stderr::Joined).then(Runs::default);
        let out = stream(Stream::Out);
        let limits = out.spill.policy().limits;
        let ended_early = Vec::new();
        Output {
            overspill,
            out,
            err,
            call,
            options,
            limits,
            written,
            ended_early,
            received: 0,
            lost: false,
            terminal: None,
            background: None,
        }
    }

    /// Sets the log by which a host shows that it has moved the command to the background.
    pub(super) fn unless_in_background(self, log: Option<ExpectedLog>) -> Self {
        Output { background: log, ..self }
    }

    /// Sets that the command has a terminal like ours.
    pub(super) fn of_terminal(self) -> Self {
        Output { terminal: Some(TerminalText::default()), ..self }
    }

    /// Takes an event of the command.
    pub(super) fn hear(&mut self, news: ProcessEvent) -> Wanted {
        match news {
            ProcessEvent::Bytes(stream, bytes) => {
                self.received += bytes.len() as u64;
                if let Some(terminal) = &mut self.terminal {
                    self.out.spill.push_showing(&terminal.push(bytes), |_| {});
                    return self.out.face.take(bytes, None);
                }
                let stream_output = match (stream, &mut self.err) {
                    (Stream::Err, Some(err)) => err,
                    _ => &mut self.out,
                };
                // A preview goes to one stream, so the parts do not matter any more.
                if let Some(written) =
                    self.written.as_mut().filter(|_| !stream_output.spill.is_over())
                {
                    written.push(stream, bytes.len());
                }
                let (mut wanted, written) = (Wanted::More, self.written.as_ref());
                stream_output.spill.push_showing(bytes, |seen| {
                    match stream_output.face.take(seen, written) {
                        Wanted::More => {}
                        Wanted::NoMore => wanted = Wanted::NoMore,
                    }
                });
                wanted
            }
            ProcessEvent::AskedToEnd => {
                self.show_output_so_far();
                Wanted::More
            }
            ProcessEvent::FirstLook => {
                for stream_output in [Some(&mut self.out), self.err.as_mut()].into_iter().flatten()
                {
                    let saved = stream_output.spill.live();
                    let line = |lines| self.overspill.still_running(saved, lines);
                    let line = stream_output.spill.is_over().then_some(line);
                    stream_output.face.begin(self.written.as_ref(), line);
                }
                Wanted::More
            }
            ProcessEvent::Interval => {
                if self.background.as_ref().is_some_and(ExpectedLog::is_there) {
                    self.background = None;
                    for stream_output in
                        [Some(&mut self.out), self.err.as_mut()].into_iter().flatten()
                    {
                        stream_output.show_everything(self.overspill, self.written.as_ref());
                    }
                }
                Wanted::More
            }
            ProcessEvent::StillRunning => {
                let limits = self
                    .options
                    .if_failed
                    .map_or(self.limits, |failed| self.limits.tightened(&failed));
                for stream_output in [Some(&mut self.out), self.err.as_mut()].into_iter().flatten()
                {
                    stream_output.tell_news(self.overspill, &limits, self.written.as_ref());
                }
                Wanted::More
            }
        }
    }

    /// Shows and saves the output so far. The sender of the signal may not wait for more.
    ///
    /// Later output becomes a separate output with small limits.
    fn show_output_so_far(&mut self) {
        let little = Layer {
            max_lines: Some(Limit::AtMost(20)),
            max_bytes: Some(Limit::AtMost(2 << 10)),
            ..Layer::default()
        };
        let mut written = self.written.as_mut().map(std::mem::take);
        let limits = self.limits;
        for stream_output in [Some(&mut self.out), self.err.as_mut()].into_iter().flatten() {
            let options = CallOptions { settings: little.clone(), ..CallOptions::default() };
            let end =
                CallEnd::default().interrupted(true).on_terminal(stream_output.face.is_live());
            let end = CallEnd { sent_before: stream_output.face.sent_before(), ..end };
            stream_output.leave_room_for_shown(&limits);
            let outcome = stream_output.spill.split(options, end);
            stream_output.face.show(&outcome, written.take().as_ref(), true);
            record_sent(self.overspill, &outcome, &stream_output.face, end);
            self.ended_early.extend(outcome.saved().map(|saved| saved.id.clone()));
            if stream_output.face.say_if_lost() {
                self.lost = true;
                let call = (&self.call, &self.options, end);
                undelivered::keep(self.overspill, &outcome, call, stream_output.face.has_written());
            }
        }
    }

    /// Returns the findings about the pipelines of the command.
    pub(super) fn watched(&self, watch: Watch) -> Watched {
        watch.finish(self.overspill, &self.call, self.received)
    }

    /// Shows the rest of the output, and then the notice about pipelines. Tells whether everything
    /// could be shown.
    pub(super) fn end(mut self, ended: &Ended, took: Duration, watched: &Watched) -> bool {
        let mut written = self.written;
        let end = match ended.how {
            How::Code(code) => CallEnd::exited(code),
            How::Signal(signal) => CallEnd::killed(signal),
        };
        let end = end.took(took);
        let end = end.interrupted(ended.interrupted || ended.timed_out.is_some() || ended.held);
        let is_interrupted = ended.interrupted || ended.timed_out.is_some();
        for id in &self.ended_early {
            amend(self.overspill, id, |record| {
                (record.exit, record.signal) = (end.exit, end.signal);
            });
        }
        if let Some(mut terminal) = self.terminal.take() {
            self.out.spill.push_showing(&terminal.end(), |_| {});
        }
        let failed = self.options.if_failed.filter(|_| ended.how != How::Code(0));
        let limits = failed.map_or(self.limits, |failed| self.limits.tightened(&failed));
        for mut stream_output in [Some(self.out), self.err].into_iter().flatten() {
            let face = &mut stream_output.face;
            stream_output.spill.flush_held(|seen| {
                let _ = face.take(seen, written.as_ref());
            });
            stream_output.leave_room_for_shown(&limits);
            let OutputStream { mut spill, mut face } = stream_output;
            let notice = if face.is_main() { watched.notice.as_str() } else { "" };
            if !notice.is_empty() {
                // The notice may need a line break before it.
                spill.leave_room(&format!("\n{notice}"));
            }
            let end =
                CallEnd { sent_before: face.sent_before(), ..end.on_terminal(face.is_live()) };
            let outcome = spill.finish(end);
            face.show(&outcome, written.take().as_ref(), is_interrupted);
            face.show_after(&outcome, notice);
            record_sent(self.overspill, &outcome, &face, end);
            if let Some(saved) = outcome.saved().filter(|_| !watched.pipelines.is_empty()) {
                amend(self.overspill, &saved.id, |record| {
                    record.pipelines.clone_from(&watched.pipelines);
                });
            }
            if face.say_if_lost() {
                self.lost = true;
                let call = (&self.call, &self.options, end);
                undelivered::keep(self.overspill, &outcome, call, face.has_written());
            }
        }
        !self.lost
    }
}

impl OutputStream<'_> {
    /// Shows new output of a command that still runs.
    fn tell_news(&mut self, overspill: &Overspill, limits: &Limits, runs: Option<&Runs>) {
        if let Some(held) = self.spill.held()
            && self.face.show_next(held, runs)
        {
            return;
        }
        // The output is too large to show the rest at the end, so it is saved from now on.
        if let Some(left) = self.face.left_of(limits).filter(|_| !self.spill.is_over()) {
            self.spill.tighten(left);
        }
        let saved = self.spill.live();
        self.face.show_newest(|lines| overspill.still_running(saved, lines));
    }

    /// Shows the output that was held back, and everything live from now on.
    fn show_everything(&mut self, overspill: &Overspill, runs: Option<&Runs>) {
        if let Some(held) = self.spill.held() {
            self.face.show_rest(held, runs);
        } else if !self.show_saved(overspill) {
            let (saved, total) = (self.spill.live(), self.spill.total());
            self.face.show_gap(total.lines, |lines| overspill.still_running(saved, lines));
        }
        self.face.pass_on();
    }

    /// Shows the saved part of the output that was held back. Tells whether all of it was in the
    /// store.
    fn show_saved(&mut self, overspill: &Overspill) -> bool {
        let Some(id) = self.spill.live().map(|saved| &saved.id) else { return false };
        let (store, total) = (overspill.store(), self.spill.total().bytes);
        let mut at = self.face.shown_from_start() as u64;
        // The middle of a very large output is not saved.
        if at < total && !store.entry(id).is_ok_and(|entry| entry.bytes == total) {
            return false;
        }
        while at < total {
            match store.read(id, at..total.min(at + SAVED_CHUNK)) {
                Ok(bytes) if !bytes.is_empty() => {
                    at += bytes.len() as u64;
                    self.face.show_rest_part(&bytes);
                }
                _ => return false,
            }
        }
        true
    }

    /// Limits the preview to the room that was not used while the command ran. A short output is
    /// shown whole, so it needs no room.
    fn leave_room_for_shown(&mut self, limits: &Limits) {
        if let Some(left) = self.face.left_of(limits)
            && self.spill.tighten(*limits)
        {
            self.spill.tighten(left);
        }
    }
}

/// Changes the record of a saved output.
fn amend(overspill: &Overspill, id: &OutputId, change: impl FnOnce(&mut Record)) {
    let store = overspill.store();
    if let Ok(Some(mut record)) = store.record(id) {
        change(&mut record);
        // A record is a convenience. The output itself is safe.
        let _ = store.describe(id, &record);
    }
}

/// Adds the number of bytes that the reader got to the record, if the engine could not know it: a
/// part of the preview was shown before, or lines were added.
fn record_sent(overspill: &Overspill, outcome: &Outcome, face: &Presenter, end: CallEnd) {
    let (Outcome::Spilled(spilled), Some(sent)) = (outcome, face.sent()) else { return };
    let Ok(saved) = &spilled.saved else { return };
    // A notice beside the text goes to standard error, and the record counts it.
    let is_known = spilled.is_silent() || sent == end.sent_before + spilled.text.len() as u64;
    if !is_known {
        amend(overspill, &saved.id, |record| record.sent = Some(sent));
    }
}
