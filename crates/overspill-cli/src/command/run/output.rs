//! What a command prints, on its way to our reader.

use std::fs::File;

use overspill::{Call, Layer, Most, Options, Overspill, Spill};

use super::face::Face;
use crate::process::{Ended, How, News, Stderr, Stream, Wanted};

/// The command's output: one voice, or two if standard error is kept apart.
pub(super) struct Output<'a> {
    overspill: &'a Overspill,
    call: Call,
    out: Voice<'a>,
    err: Option<Voice<'a>>,
    /// The command writes to the file of `out` by itself.
    direct: bool,
}

/// One stream: what is kept of it, and how it is shown.
struct Voice<'a> {
    spill: Spill<'a>,
    face: Face,
}

impl<'a> Output<'a> {
    pub(super) fn new(
        overspill: &'a Overspill,
        call: Call,
        options: Options,
        stderr: Stderr,
        stream: bool,
    ) -> Self {
        let policy = overspill.policy(&call, &options);
        let voice = |to| Voice {
            spill: overspill.spill(call.clone(), options.clone()),
            face: Face::new(to, stream.then_some(&policy)),
        };
        let err = (stderr == Stderr::Separate).then(|| voice(Stream::Err));
        Output { overspill, out: voice(Stream::Out), err, call, direct: false }
    }

    /// Returns the file for the command to write its output to by itself, if it can.
    pub(super) fn file(&mut self) -> Option<File> {
        // On a terminal it must pass by here to be seen.
        let file = if self.out.face.is_live() { None } else { self.out.spill.file() };
        self.direct = file.is_some();
        file
    }

    /// Takes what is heard of the command.
    pub(super) fn hear(&mut self, news: News) -> Wanted {
        match news {
            News::Bytes(stream, bytes) => {
                let voice = match (stream, &mut self.err) {
                    (Stream::Err, Some(err)) => err,
                    _ => &mut self.out,
                };
                match (stream, self.direct) {
                    (Stream::Out, true) => voice.spill.written(bytes),
                    _ => voice.spill.push(bytes),
                }
                voice.face.take(bytes)
            }
            // The file is still the command's.
            News::AskedToEnd if self.direct => Wanted::More,
            News::AskedToEnd => {
                self.say_what_there_is();
                Wanted::More
            }
        }
    }

    /// Shows and saves what has come: whoever asked us to end may not wait for more.
    ///
    /// What comes after that gets a little room of its own.
    fn say_what_there_is(&mut self) {
        let little = Layer {
            max_lines: Some(Most::Of(20)),
            max_bytes: Some(Most::Of(2 << 10)),
            ..Layer::default()
        };
        for voice in [Some(&mut self.out), self.err.as_mut()].into_iter().flatten() {
            let options = Options { settings: little.clone(), ..Options::default() };
            let rest = self.overspill.spill(self.call.clone(), options);
            let mut spill = std::mem::replace(&mut voice.spill, rest);
            spill.interrupted();
            voice.face.show(&spill.finish());
        }
    }

    /// Shows what is left to show.
    pub(super) fn end(self, ended: &Ended) {
        for Voice { mut spill, mut face } in [Some(self.out), self.err].into_iter().flatten() {
            match ended.how {
                How::Code(code) => spill.exited(Some(code)),
                How::Signal(signal) => spill.killed(signal),
            }
            if ended.held && self.direct {
                spill.part();
            }
            if ended.interrupted || ended.timed_out.is_some() || ended.held {
                spill.interrupted();
            }
            face.show(&spill.finish());
        }
    }
}
