//! Saves an output, and decides about the answer if the save fails.

use std::borrow::Cow;
use std::sync::atomic::Ordering;

use overspill_core::internal::Meter;
use overspill_core::{Oversized, Policy};

use super::catch_panic::{PanicSafeDraft, catch_panic};
use super::plan::Plan;
use super::{Chosen, Output, Overspill};
use crate::profile::{NoticeStyle, OnSaveError, Sweeps};
use crate::redact::{Redacted, RedactingDraft, Redactor};
use crate::store::{Draft, SpillRef};
use crate::{Call, Error};

/// The part of an output that is still in memory when its save has failed.
pub(crate) enum AtHand<'a> {
    /// The whole output.
    All(Output<'a>),
    /// The start of the output, if the profile asks for a simple cut. The rest has streamed by.
    Start(Option<Box<Oversized<'a>>>),
}

/// The answer for an output that could not be saved.
#[expect(clippy::large_enum_variant, reason = "it is taken apart where it is made")]
pub(super) enum Fallback<'a, 'b> {
    /// The output, unchanged.
    Original(Output<'a>),
    /// A preview.
    Preview { chosen: Chosen<'a>, policy: Policy, style: &'b NoticeStyle },
}

impl Overspill {
    /// Decides about the answer for an output that could not be saved.
    pub(super) fn on_save_failure<'a>(
        &self,
        chosen: Chosen<'a>,
        plan: Plan,
        at_hand: AtHand<'a>,
    ) -> Fallback<'a, '_> {
        match (self.profile.on_save_error, at_hand) {
            (_, AtHand::All(output)) if self.returns_original(&plan, &output) => {
                Fallback::Original(output)
            }
            (OnSaveError::SimpleCut, at_hand) => {
                let policy = self.simple(&plan.policy);
                let start = match at_hand {
                    AtHand::All(output) => policy.measure(output.measured),
                    AtHand::Start(start) => start.map(|start| *start),
                };
                let chosen = start.map_or(chosen, Chosen::Over);
                Fallback::Preview { chosen, policy, style: &NoticeStyle::StartOnly }
            }
            // A stream cannot return its original, because most of it is no longer in memory.
            (OnSaveError::Original | OnSaveError::SaySo, _) => {
                Fallback::Preview { chosen, policy: plan.policy, style: &self.profile.words }
            }
        }
    }

    /// Tells whether the answer is the unchanged output if the output cannot be saved.
    pub(super) fn returns_original(&self, plan: &Plan, output: &Output) -> bool {
        self.profile.on_save_error == OnSaveError::Original
            && plan.is_below_ceiling(output.measured)
    }

    /// Measures an output while it is written, because each chunk is in the cache then.
    pub(super) fn measure_and_write(
        &self,
        output: &Redacted<Output>,
        policy: &Policy,
        call: &Call,
    ) -> (Meter, Result<Box<dyn Draft>, Error>) {
        let mut meter = Meter::new(policy.lines);
        if output.get().is_stored_as_measured() {
            let draft = self.write(output, call, |chunk| meter.push(chunk));
            (meter, draft)
        } else {
            meter.push(output.get().measured);
            (meter, self.write(output, call, |_| {}))
        }
    }

    /// Writes a whole output to a draft. `look` gets every chunk, written or not.
    pub(super) fn write(
        &self,
        output: &Redacted<Output>,
        call: &Call,
        mut look: impl FnMut(&[u8]),
    ) -> Result<Box<dyn Draft>, Error> {
        /// The number of bytes of a chunk: small enough that it is measured and written while in
        /// the cache.
        const CHUNK: usize = 256 * 1024;
        let mut draft = self.begin(call, output.is_masked());
        for chunk in output.get().stored.chunks(CHUNK) {
            look(chunk);
            if let Ok(open) = &mut draft
                && let Err(error) = open.append(chunk)
            {
                draft = Err(error);
            }
        }
        draft
    }

    /// Opens a draft for an output. The draft masks text that has not passed the redactor.
    pub(crate) fn begin(&self, call: &Call, is_masked: bool) -> Result<Box<dyn Draft>, Error> {
        if !self.profile.saves {
            return Err(Error::NotAsked);
        }
        self.sweep_before_first_save();
        let draft = catch_panic(|| self.store.create(&self.masked_call(call)))?;
        let draft: Box<dyn Draft> = Box::new(PanicSafeDraft(draft));
        Ok(match self.redact.rules().filter(|_| !is_masked) {
            Some(rules) => Box::new(RedactingDraft::new(draft, Redactor::new(rules.clone()))),
            None => draft,
        })
    }

    /// Returns a call for the store, with its secrets masked.
    pub(super) fn masked_call<'a>(&self, call: &'a Call) -> Cow<'a, Call> {
        let Some(rules) = self.redact.rules() else { return Cow::Borrowed(call) };
        Cow::Owned(rules.call(call.clone()))
    }

    fn sweep_before_first_save(&self) {
        let due = self.profile.sweeps == Sweeps::BeforeFirstSave;
        if due && !self.swept.swap(true, Ordering::Relaxed) {
            // The failure of a sweep does not fail the call.
            let _ = self.sweep();
        }
    }
}

/// Publishes a draft. Lines that may be shown go with it if they are lines of the saved bytes.
pub(super) fn publish(
    draft: Box<dyn Draft>,
    chosen: &mut Chosen,
    output: &Output,
) -> Result<SpillRef, Error> {
    if output.is_stored_as_measured() { chosen.publish(draft) } else { draft.publish() }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::Profile;
    use crate::redact::{Redact, Redaction};
    use crate::store::Memory;

    #[test]
    fn draft_masks_text_that_did_not_pass_the_redactor() {
        let token = format!("{}_{}", "ghp", "a1B2c3D4e5F6g7H8i9J0".repeat(2));
        let stars = format!("ghp_{}", "*".repeat(40));
        let rules = Arc::new(Redaction::new(None).unwrap());
        for redact in [Redact::Saved(rules.clone()), Redact::All(rules)] {
            let overspill = Overspill::builder().store(Memory::default()).redact(redact).build();
            for (is_masked, kept, count) in [(false, &stars, 1), (true, &token, 0)] {
                let mut draft = overspill.begin(&Call::default(), is_masked).unwrap();
                draft.append(token.as_bytes()).unwrap();
                let saved = draft.publish().unwrap();
                let bytes = overspill.store().read(&saved.id, 0..u64::MAX).unwrap();
                assert_eq!((&bytes[..], saved.masked), (kept.as_bytes(), count));
            }
        }
    }

    #[test]
    fn failed_save_follows_the_rule_of_the_profile() {
        let text = "a line\n".repeat(10_000);
        let output = Output::of(text.as_bytes());
        let engine = |on_save_error| {
            Overspill::new(Profile { on_save_error, ..Profile::KLAUDE }, Memory::default())
        };
        let style = |on_save_error, at_hand| {
            let engine = engine(on_save_error);
            let plan = engine.plan(&Call::default(), &Default::default());
            let over = plan.policy.measure(output.measured).unwrap();
            match engine.on_save_failure(Chosen::Over(over), plan, at_hand) {
                Fallback::Original(_) => None,
                Fallback::Preview { style, policy, .. } => Some((*style, policy.keep)),
            }
        };
        let Profile { words, policy, .. } = Profile::KLAUDE;
        let usual = Some((words, policy.keep));
        let simple = Some((NoticeStyle::StartOnly, overspill_core::Keep::Head));
        for (on_save_error, all, start) in [
            (OnSaveError::SaySo, usual, usual),
            (OnSaveError::SimpleCut, simple, simple),
            (OnSaveError::Original, None, usual),
        ] {
            assert_eq!(style(on_save_error, AtHand::All(output)), all);
            assert_eq!(style(on_save_error, AtHand::Start(None)), start);
        }
    }
}
