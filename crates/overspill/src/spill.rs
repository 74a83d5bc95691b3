//! An output as it is being written.

use std::borrow::Cow;
use std::io;

use overspill_core::{Finished, Policy, Window};

use crate::chosen::Chosen;
use crate::profile::{OnSaveError, Words};
use crate::store::{Draft, SpillRef};
use crate::{Call, Error, Options, Outcome, Overspill};

/// Takes an output chunk by chunk: measures it, and once it is too large saves every byte.
///
/// Writing never fails; what became of saving is said by the [`Outcome`].
#[derive(Debug)]
pub struct Spill<'a> {
    overspill: &'a Overspill,
    call: Call,
    options: Options,
    policy: Policy,
    window: Window,
    /// Begun when the output turns out to be too large.
    draft: Option<Result<Box<dyn Draft>, Error>>,
}

impl<'a> Spill<'a> {
    pub(crate) fn new(overspill: &'a Overspill, call: Call, options: Options) -> Spill<'a> {
        let policy = overspill.plan(&call, &options).policy;
        let window = Window::new(policy.clone());
        Spill { overspill, call, options, policy, window, draft: None }
    }

    /// Takes the next chunk.
    pub fn push(&mut self, chunk: &[u8]) {
        if let Some(before) = self.window.push(chunk) {
            self.begin(&before);
        }
        self.append(chunk);
    }

    /// Tells whether the output is too large already, and being saved.
    pub fn is_over(&self) -> bool {
        self.window.is_over()
    }

    /// Says how the command ended, for the record.
    pub fn exited(&mut self, code: Option<i32>) {
        self.options.exit = code;
    }

    /// Says that the output is complete.
    pub fn finish(mut self) -> Outcome<'static> {
        if let Some(all) = self.window.settle() {
            self.begin(&all);
        }
        let Spill { overspill, call, options, policy, window, draft } = self;
        let over = match window.finish() {
            Finished::Whole(bytes) => return overspill.whole(Cow::Owned(bytes), &call),
            Finished::Over(over) => *over,
        };
        let saved = publish(draft);
        // The original is gone by now; what is held of it has to do.
        let simple = saved.is_err() && overspill.profile.on_save_error == OnSaveError::SimpleCut;
        let (over, words) = if simple {
            (over.start_only(), &Words::StartOnly)
        } else {
            (over, &overspill.profile.words)
        };
        overspill.answer(Chosen::Over(over), words, &policy, saved, &call, &options)
    }

    /// Opens a draft and adds what came before it was needed.
    fn begin(&mut self, before: &[u8]) {
        self.draft = Some(self.overspill.begin(&self.call));
        self.append(before);
    }

    fn append(&mut self, bytes: &[u8]) {
        if let Some(Ok(draft)) = &mut self.draft
            && let Err(error) = draft.append(bytes)
        {
            self.draft = Some(Err(error));
        }
    }
}

fn publish(draft: Option<Result<Box<dyn Draft>, Error>>) -> Result<SpillRef, Error> {
    match draft {
        Some(draft) => draft?.publish(),
        // Only what is too large gets here, and with that a draft was begun.
        None => Err(Error::Other("saving was never begun".into())),
    }
}

impl io::Write for Spill<'_> {
    fn write(&mut self, chunk: &[u8]) -> io::Result<usize> {
        self.push(chunk);
        Ok(chunk.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
