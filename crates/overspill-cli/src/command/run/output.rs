//! What a command prints, on its way to our reader.

use overspill::core::Policy;
use overspill::{Call, CallEnd, CallOptions, Layer, Limit, Outcome, Overspill, Spill};

use super::head_budget::HeadBudget;
use super::presenter::{Presenter, Shows, write};
use crate::process::{Ended, How, ProcessEvent, Stderr, Stream, Wanted};
use crate::undelivered;

/// The command's output: one voice, or two if standard error is kept apart.
pub(super) struct Output<'a> {
    overspill: &'a Overspill,
    call: Call,
    options: CallOptions,
    policy: Policy,
    out: OutputStream<'a>,
    err: Option<OutputStream<'a>>,
    /// Which stream what has come was written to, where one voice has both.
    written: Option<Vec<(Stream, usize)>>,
    /// Something could not be shown.
    lost: bool,
}

/// One stream: what is kept of it, and how it is shown.
struct OutputStream<'a> {
    spill: Spill<'a>,
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
        let policy = overspill.policy(&call, &options);
        let voice = |to| OutputStream {
            spill: overspill.spill(call.clone(), options.clone()),
            face: Presenter::new(to, shows, &policy),
        };
        let err = (stderr == Stderr::Separate).then(|| voice(Stream::Err));
        let written = (stderr == Stderr::Joined).then(Vec::new);
        let out = voice(Stream::Out);
        Output { overspill, out, err, call, options, policy, written, lost: false }
    }

    /// Takes what is heard of the command.
    pub(super) fn hear(&mut self, news: ProcessEvent) -> Wanted {
        match news {
            ProcessEvent::Bytes(stream, bytes) => {
                let voice = match (stream, &mut self.err) {
                    (Stream::Err, Some(err)) => err,
                    _ => &mut self.out,
                };
                let mut wanted = Wanted::More;
                voice.spill.push_seen(bytes, |seen| match voice.face.take(seen) {
                    Wanted::More => {}
                    Wanted::NoMore => wanted = Wanted::NoMore,
                });
                // What does not fit is shown in one place, so nobody asks any more.
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

    /// Shows the start of an output that still fits, for those who look at it while it grows.
    ///
    /// All together stays within the limits: what is shown at the end gets what the start leaves.
    fn begin(&mut self) {
        if self.out.spill.is_over() {
            return;
        }
        let part = |most: Option<u64>| most.map(|most| Limit::AtMost(most / 4 * 3));
        let limits = &self.policy.limits;
        let mut options = self.options.clone();
        let settings = &mut options.settings;
        settings.max_bytes = part(limits.bytes).or(settings.max_bytes);
        settings.max_lines = part(limits.lines).or(settings.max_lines);
        settings.max_chars = part(limits.chars).or(settings.max_chars);
        settings.max_tokens = part(limits.tokens).or(settings.max_tokens);
        let so_far = self.out.spill.restart(options);
        if let Outcome::Spilled(_) = so_far {
            return;
        }
        self.written = None;
        self.out.face.begin(HeadBudget::within(limits, 4), so_far.bytes());
    }

    /// Shows and saves what has come: whoever asked us to end may not wait for more.
    ///
    /// What comes after that gets a little room of its own.
    fn say_what_there_is(&mut self) {
        let little = Layer {
            max_lines: Some(Limit::AtMost(20)),
            max_bytes: Some(Limit::AtMost(2 << 10)),
            ..Layer::default()
        };
        let mut written = self.written.as_mut().map(std::mem::take);
        for voice in [Some(&mut self.out), self.err.as_mut()].into_iter().flatten() {
            let options = CallOptions { settings: little.clone(), ..CallOptions::default() };
            let end = CallEnd::default().interrupted(true);
            let outcome = voice.spill.replace(options, end);
            show(&mut voice.face, &outcome, written.take().as_deref());
            if voice.face.say_if_lost() {
                self.lost = true;
                undelivered::keep(self.overspill, &outcome, &self.call, &self.options, end);
            }
        }
    }

    /// Shows what is left to show; tells whether everything could be shown.
    pub(super) fn end(mut self, ended: &Ended) -> bool {
        let mut written = self.written;
        let end = match ended.how {
            How::Code(code) => CallEnd::exited(code),
            How::Signal(signal) => CallEnd::killed(signal),
        };
        let end = end.interrupted(ended.interrupted || ended.timed_out.is_some() || ended.held);
        for voice in [Some(self.out), self.err].into_iter().flatten() {
            let OutputStream { mut spill, mut face } = voice;
            spill.see_rest(|seen| {
                let _ = face.take(seen);
            });
            let outcome = spill.finish(end);
            show(&mut face, &outcome, written.take().as_deref());
            if face.say_if_lost() {
                self.lost = true;
                undelivered::keep(self.overspill, &outcome, &self.call, &self.options, end);
            }
        }
        !self.lost
    }
}

/// Shows what has become of an output: what is whole goes to where it was written.
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
    // What was held back when we were asked to end.
    face.note(Stream::Out, write(Stream::Out, bytes));
}
