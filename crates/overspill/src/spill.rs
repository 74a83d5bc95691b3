//! An output that arrives in chunks.

use std::borrow::Cow;
use std::io;

use overspill_core::{Finished, Limits, Policy, Size, Window};

use crate::engine::{AtHand, Chosen, EndedCall, Plan};
use crate::profile::OnSaveError;
use crate::redact::Redactor;
use crate::store::{Draft, SpillRef};
use crate::{Call, CallEnd, CallOptions, Error, Outcome, Overspill};

/// Takes an output chunk by chunk, and saves every byte once the output is too large.
///
/// Writing never fails. [`Spilled::saved`](crate::Spilled::saved) has the error of a failed save.
#[derive(Debug)]
pub struct Spill<'a> {
    overspill: Cow<'a, Overspill>,
    call: Call,
    options: CallOptions,
    plan: Plan,
    window: Window,
    /// Collects the start, for profiles that show the start if the save fails.
    simple: Option<Window>,
    /// Masks each chunk before anything else sees it.
    redactor: Option<Redactor>,
    /// The spill has a redactor, also while the redactor is taken out of its field to work.
    is_masked: bool,
    /// The number of secrets that were masked before the output came here.
    masked_before: u64,
    /// Opened when the output turns out to be too large.
    draft: Option<Result<Box<dyn Draft>, Error>>,
    /// Readers may read the output while it is written, if the store can do that.
    goes_live: bool,
    /// The saved output, if it can be read now.
    live: Option<SpillRef>,
}

impl<'a> Spill<'a> {
    pub(crate) fn new(
        overspill: Cow<'a, Overspill>,
        call: Call,
        options: CallOptions,
    ) -> Spill<'a> {
        let plan = overspill.plan(&call, &options);
        let window = Window::new(plan.policy.clone());
        let simple = (overspill.profile.on_save_error == OnSaveError::SimpleCut)
            .then(|| Window::new(overspill.simple(&plan.policy)));
        let redactor = overspill.redact.shown().map(|rules| Redactor::new(rules.clone()));
        let (is_masked, masked_before, draft) = (redactor.is_some(), 0, None);
        Spill {
            overspill,
            call,
            options,
            plan,
            window,
            simple,
            redactor,
            is_masked,
            masked_before,
            draft,
            goes_live: false,
            live: None,
        }
    }

    /// Lets readers find the output as soon as it is saved, before it is complete.
    pub(crate) fn going_live(self) -> Spill<'a> {
        Spill { goes_live: true, ..self }
    }

    /// Returns the saved output, if it can be read while it is written.
    pub(crate) fn live(&self) -> Option<&SpillRef> {
        self.live.as_ref()
    }

    /// Returns the output so far, as long as it may still be short.
    pub(crate) fn held(&self) -> Option<&[u8]> {
        self.window.held()
    }

    /// Returns the size of the output so far.
    pub(crate) fn total(&self) -> Size {
        self.window.total()
    }

    /// Begins to save an output that is too large for limits that were lowered since.
    pub(crate) fn settle(&mut self) {
        if let Some(all) = self.window.settle()
            && self.draft.is_none()
        {
            self.begin(&all);
        }
    }

    /// Takes the next chunk.
    pub fn push(&mut self, chunk: &[u8]) {
        self.push_showing(chunk, |_| {});
    }

    /// Takes the next chunk, and passes on the text that may be shown now: the whole chunk, unless
    /// secrets are masked in shown text.
    pub(crate) fn push_showing(&mut self, chunk: &[u8], mut show: impl FnMut(&[u8])) {
        self.redacted(
            |redactor, take| redactor.push(chunk, take),
            |spill, chunk| {
                spill.push_redacted(chunk);
                show(chunk);
            },
        );
        if self.redactor.is_none() {
            self.push_redacted(chunk);
            show(chunk);
        }
    }

    /// Takes the text that the redactor holds back because it may begin a secret, and passes it on.
    pub(crate) fn flush_held(&mut self, mut show: impl FnMut(&[u8])) {
        self.redacted(
            |redactor, take| redactor.finish(take),
            |spill, chunk| {
                spill.push_redacted(chunk);
                show(chunk);
            },
        );
    }

    /// Ends the output here. Chunks that follow are another output of the same call, with the
    /// options
    /// `next`. Text that the redactor holds back belongs to the other output.
    pub(crate) fn split(&mut self, next: CallOptions, end: CallEnd) -> Outcome<'static> {
        let mut next = Spill::new(self.overspill.clone(), self.call.clone(), next);
        next.goes_live = self.goes_live;
        // Both use the rules of the same engine.
        next.redactor = self.redactor.as_ref().map(Redactor::going_on);
        std::mem::replace(self, next).finish_redacted(end)
    }

    /// Returns the policy of the call.
    pub fn policy(&self) -> &Policy {
        &self.plan.policy
    }

    /// Adds secrets that the caller has masked already to the number in the notice.
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

    /// Takes text that has passed the redactor, if the spill has one.
    pub(crate) fn push_redacted(&mut self, chunk: &[u8]) {
        if let Some(before) = self.window.push(chunk) {
            self.begin(&before);
        }
        if let Some(simple) = &mut self.simple {
            simple.push(chunk);
        }
        self.append(chunk);
    }

    /// Tells whether the output is too large already. Then the whole output is saved.
    pub fn is_over(&self) -> bool {
        self.window.is_over()
    }

    /// Lowers the limits to a share of a budget, as [`CallOptions::share`] does from the start.
    pub(crate) fn share(&mut self, share: Limits) {
        self.options.share = Some(share);
        self.plan = self.overspill.plan(&self.call, &self.options);
        self.window.tighten(&self.plan.policy);
        if let Some(simple) = &mut self.simple {
            simple.tighten(&self.overspill.simple(&self.plan.policy));
        }
    }

    /// Ends the output. `end` tells how the call ended.
    pub fn finish(mut self, end: CallEnd) -> Outcome<'static> {
        self.flush_held(|_| {});
        self.finish_redacted(end)
    }

    /// Ends the output without the text that the redactor holds back.
    fn finish_redacted(mut self, end: CallEnd) -> Outcome<'static> {
        if let Some(share) = self.options.share_of_failed(end) {
            self.share(share);
        }
        let masked = self.masked_before + self.redactor.as_ref().map_or(0, Redactor::masked);
        self.settle();
        let Spill { overspill, call, plan, window, simple, mut draft, .. } = self;
        let over = match window.finish() {
            Finished::Whole(bytes) => return overspill.whole(Cow::Owned(bytes), &call, masked),
            Finished::Over(over) => end.hinted(*over),
        };
        if let Some(Ok(draft)) = draft.as_mut().filter(|_| end.interrupted) {
            draft.skip_network();
        }
        let mut chosen = Chosen::Over(over);
        let saved = publish(draft, &mut chosen);
        let start = match simple.filter(|_| saved.is_err()).map(Window::finish) {
            Some(Finished::Over(start)) => Some(start),
            Some(Finished::Whole(_)) | None => None,
        };
        let ended = EndedCall { call: &call, end, delegate: plan.delegate, masked, failure: None };
        overspill.conclude(chosen, plan, saved, AtHand::Start(start), ended)
    }

    /// Opens a draft and writes the output so far to it.
    fn begin(&mut self, before: &[u8]) {
        self.draft = Some(self.overspill.begin(&self.call, self.is_masked));
        self.append(before);
        if let Some(Ok(draft)) = self.draft.as_mut().filter(|_| self.goes_live) {
            self.live = draft.go_live();
        }
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
        // Cannot happen: an output that is too large has a draft.
        None => Err(Error::Other("the output has no draft".into())),
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
