//! An output as it is being written.

use std::borrow::Cow;
use std::io;

use overspill_core::{Finished, Limits, Policy, Window};

use crate::chosen::Chosen;
use crate::overspill::End;
use crate::profile::{NoticeStyle, OnSaveError};
use crate::redact::Redactor;
use crate::store::{Draft, SpillRef};
use crate::{Call, CallOptions, Error, Outcome, Overspill};

/// Takes an output chunk by chunk: measures it, and once it is too large saves every byte.
///
/// Writing never fails; what became of saving is said by the [`Outcome`].
#[derive(Debug)]
pub struct Spill<'a> {
    overspill: Cow<'a, Overspill>,
    call: Call,
    options: CallOptions,
    policy: Policy,
    window: Window,
    /// What is shown instead, where a profile shows something else when saving fails.
    simple: Option<Window>,
    /// Masks what comes, before anything is done with it.
    redactor: Option<Redactor>,
    /// There is a redactor, also while it is at work.
    is_masked: bool,
    /// How many secrets were masked before this one took the output.
    masked_before: u64,
    /// Begun when the output turns out to be too large.
    draft: Option<Result<Box<dyn Draft>, Error>>,
}

impl<'a> Spill<'a> {
    pub(crate) fn new(
        overspill: Cow<'a, Overspill>,
        call: Call,
        options: CallOptions,
    ) -> Spill<'a> {
        let policy = overspill.plan(&call, &options).policy;
        let window = Window::new(policy.clone());
        let simple = (overspill.profile.on_save_error == OnSaveError::SimpleCut)
            .then(|| Window::new(overspill.simple(&policy)));
        let redactor = overspill.redact.shown().map(|rules| Redactor::new(rules.clone()));
        let (is_masked, masked_before, draft) = (redactor.is_some(), 0, None);
        Spill {
            overspill,
            call,
            options,
            policy,
            window,
            simple,
            redactor,
            is_masked,
            masked_before,
            draft,
        }
    }

    /// Takes the next chunk.
    pub fn push(&mut self, chunk: &[u8]) {
        self.push_seen(chunk, |_| {});
    }

    /// Takes the next chunk, and hands on what may be shown of it now: all of it, if nothing is
    /// masked in what is shown.
    pub fn push_seen(&mut self, chunk: &[u8], mut see: impl FnMut(&[u8])) {
        self.redacted(
            |redactor, take| redactor.push(chunk, take),
            |spill, chunk| {
                spill.push_redacted(chunk);
                see(chunk);
            },
        );
        if self.redactor.is_none() {
            self.push_redacted(chunk);
            see(chunk);
        }
    }

    /// Says that no more comes, and hands on what was held back as it may have been a secret.
    pub fn see_rest(&mut self, mut see: impl FnMut(&[u8])) {
        self.redacted(
            |redactor, take| redactor.finish(take),
            |spill, chunk| {
                spill.push_redacted(chunk);
                see(chunk);
            },
        );
    }

    /// Ends the output here, and takes what follows as another output of the same call, with
    /// `options`. Text that is held back as it may be a secret goes to the other one.
    pub fn replace(&mut self, options: CallOptions) -> Outcome<'static> {
        let mut next = Spill::new(self.overspill.clone(), self.call.clone(), options);
        // Both have the rules of the same engine.
        next.redactor = self.redactor.as_ref().map(Redactor::going_on);
        std::mem::replace(self, next).finish_redacted()
    }

    /// Like [`Spill::replace`], and an output that fits is taken again under the other options.
    pub fn restart(&mut self, options: CallOptions) -> Outcome<'static> {
        let outcome = self.replace(options);
        match &outcome {
            Outcome::Spilled(_) => {}
            Outcome::Whole(bytes) => self.push_redacted(bytes),
            Outcome::Masked(masked) => {
                self.masked_before += masked.count;
                self.push_redacted(&masked.bytes);
            }
        }
        outcome
    }

    /// Adds secrets that were masked before the output came here to the number in the notice.
    pub(crate) fn add_masked(&mut self, count: u64) {
        self.masked_before += count;
    }

    fn redacted(
        &mut self,
        with: impl FnOnce(&mut Redactor, &mut dyn FnMut(&[u8])),
        mut take: impl FnMut(&mut Self, &[u8]),
    ) {
        if let Some(mut redactor) = self.redactor.take() {
            with(&mut redactor, &mut |chunk| take(self, chunk));
            self.redactor = Some(redactor);
        }
    }

    /// Takes what has passed the redactor, if there is one.
    fn push_redacted(&mut self, chunk: &[u8]) {
        if let Some(before) = self.window.push(chunk) {
            self.begin(&before);
        }
        if let Some(simple) = &mut self.simple {
            simple.push(chunk);
        }
        self.append(chunk);
    }

    /// Returns what applies to the output.
    pub(crate) fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Tells whether the output is too large already, and being saved.
    pub fn is_over(&self) -> bool {
        self.window.is_over()
    }

    /// Says, late, that the room is shared with others: as [`CallOptions::share`] does from the start.
    pub fn share(&mut self, share: Limits) {
        self.options.share = Some(share);
        self.policy = self.overspill.plan(&self.call, &self.options).policy;
        self.window.tighten(&self.policy);
    }

    /// Says how the command ended, for the record.
    pub fn exited(&mut self, code: Option<i32>) {
        self.options.exit = code;
    }

    /// Says that a signal ended the command, for the record.
    pub fn killed(&mut self, signal: i32) {
        self.options.signal = Some(signal);
    }

    /// Says that the command may not have been done, for the record.
    pub fn interrupted(&mut self) {
        self.options.interrupted = true;
    }

    /// Says that the output is complete.
    pub fn finish(mut self) -> Outcome<'static> {
        self.see_rest(|_| {});
        self.finish_redacted()
    }

    /// Says that the output is complete but for what the redactor holds back.
    fn finish_redacted(mut self) -> Outcome<'static> {
        let masked = self.masked_before + self.redactor.as_ref().map_or(0, Redactor::masked);
        if let Some(all) = self.window.settle()
            && self.draft.is_none()
        {
            self.begin(&all);
        }
        let Spill { overspill, call, options, policy, window, simple, mut draft, .. } = self;
        let over = match window.finish() {
            Finished::Whole(bytes) => return overspill.whole(Cow::Owned(bytes), &call, masked),
            Finished::Over(over) => *over,
        };
        if let Some(Ok(draft)) = draft.as_mut().filter(|_| options.interrupted) {
            draft.skip_network();
        }
        let mut chosen = Chosen::Over(over);
        let saved = publish(draft, &mut chosen);
        let simple = simple.filter(|_| saved.is_err()).map(Window::finish);
        let (chosen, words, policy) = match simple {
            Some(Finished::Over(simple)) => {
                let policy = simple.policy().clone();
                (Chosen::Over(*simple), &NoticeStyle::StartOnly, policy)
            }
            // Where the original was to come back: it is gone by now, and what is held has to do.
            _ => (chosen, &overspill.profile.words, policy),
        };
        let end = End { call: &call, options: &options, masked, failure: None };
        overspill.answer(chosen, words, &policy, saved, end)
    }

    /// Opens a draft and adds what came before it was needed.
    fn begin(&mut self, before: &[u8]) {
        self.draft = Some(self.overspill.begin(&self.call, self.is_masked));
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

fn publish(
    draft: Option<Result<Box<dyn Draft>, Error>>,
    chosen: &mut Chosen,
) -> Result<SpillRef, Error> {
    match draft {
        Some(draft) => chosen.publish(draft?),
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
