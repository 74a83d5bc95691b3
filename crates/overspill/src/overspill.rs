//! The one place where the steps meet.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use overspill_core::{Keep, Limits, Meter, Oversized, Policy, ReaderAbilities, Strategy};

use crate::chosen::Chosen;
use crate::event::EventKind;
use crate::profile::{NoticeStyle, OnSaveError, Sweeps};
use crate::redact::{Redact, Redacted, RedactingDraft, Redactor};
use crate::store::{Draft, Record, SpillRef, Store};
use crate::sweep::{Retention, SweepBudget, Swept, sweep};
use crate::{Call, Clock, Error, Event, Layer, Outcome, Profile, Settings, Spill};

/// Bounds outputs as a profile says, and saves what is too large.
///
/// Built once from values; nothing in it changes afterwards.
#[derive(Clone)]
pub struct Overspill {
    pub(crate) profile: Profile,
    pub(crate) settings: Settings,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) reach: ReaderAbilities,
    pub(crate) program: Option<fn() -> String>,
    strategy: Option<Arc<dyn Strategy>>,
    observer: Option<Arc<Observer>>,
    retention: Retention,
    clock: Clock,
    pub(crate) redact: Redact,
    swept: Arc<AtomicBool>,
}

/// Hears of every call.
pub type Observer = dyn Fn(&Event) + Send + Sync;

/// What a single call asks for.
#[derive(Debug, Clone, Default)]
pub struct CallOptions {
    /// Settings of the call itself.
    pub settings: Layer,
    /// Settings that the tool declares for itself.
    pub declared: Option<Layer>,
    /// The caller can hand work to a sub-agent.
    pub delegate: bool,
    /// A budget that this output shares with others; it can only tighten.
    pub share: Option<Limits>,
    /// How the command ended, for the record.
    pub exit: Option<i32>,
    /// The signal that ended it, for the record.
    pub signal: Option<i32>,
    /// It was ended before it was done, or may have been.
    pub interrupted: bool,
}

/// An output that is all there.
pub(crate) struct Output<'a> {
    /// What is measured and shown.
    pub(crate) measured: &'a [u8],
    /// What is saved: the same text, or the form that it came in.
    pub(crate) stored: &'a [u8],
}

impl<'a> Output<'a> {
    pub(crate) fn of(bytes: &'a [u8]) -> Output<'a> {
        Output { measured: bytes, stored: bytes }
    }
}

/// What is to be done with an output.
pub(crate) struct Plan {
    /// When it is cut, and how. Where it is not to be cut, only the ceiling triggers.
    pub(crate) policy: Policy,
    /// It is to be cut.
    pub(crate) enabled: bool,
}

/// What is known of a call when its answer is made.
pub(crate) struct End<'a> {
    pub(crate) call: &'a Call,
    pub(crate) options: &'a CallOptions,
    /// How many secrets were masked before the output was measured.
    pub(crate) masked: u64,
    /// What failed on the way, other than saving.
    pub(crate) failure: Option<Error>,
}

impl Overspill {
    /// Bounds outputs by `profile` and saves what is too large in `store`.
    pub fn new(profile: Profile, store: impl Store + 'static) -> Overspill {
        Overspill::sharing(profile, Arc::new(store))
    }

    /// Like [`Overspill::new`], with a store that others use as well.
    pub fn sharing(profile: Profile, store: Arc<dyn Store>) -> Overspill {
        Overspill {
            retention: profile.retention(),
            profile,
            settings: Settings::default(),
            store,
            reach: ReaderAbilities { files: true, ..ReaderAbilities::default() },
            program: None,
            strategy: None,
            observer: None,
            clock: Clock::default(),
            redact: Redact::Off,
            swept: Arc::default(),
        }
    }

    /// Sets the layers of settings between the profile and the call.
    #[must_use]
    pub fn with_settings(self, settings: Settings) -> Overspill {
        Overspill { settings, ..self }
    }

    /// Saves in another store.
    #[must_use]
    pub fn with_store(self, store: Arc<dyn Store>) -> Overspill {
        Overspill { store, ..self }
    }

    /// Reports to nobody.
    #[must_use]
    pub fn unobserved(self) -> Overspill {
        Overspill { observer: None, ..self }
    }

    /// Says what the reader of a preview can do.
    #[must_use]
    pub fn with_reach(self, reach: ReaderAbilities) -> Overspill {
        Overspill { reach, ..self }
    }

    /// Returns the profile.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Returns what the reader of a preview can do.
    pub fn reach(&self) -> &ReaderAbilities {
        &self.reach
    }

    /// Names our program to the reader of a preview as `find` says, in the place of
    /// [`ReaderAbilities::program`]. It is asked only when something was cut.
    #[must_use]
    pub fn with_program(self, find: fn() -> String) -> Overspill {
        Overspill { program: Some(find), ..self }
    }

    /// Cuts by a strategy of your own.
    #[must_use]
    pub fn with_strategy(self, strategy: impl Strategy + 'static) -> Overspill {
        Overspill { strategy: Some(Arc::new(strategy)), ..self }
    }

    /// Reports every call to `observer`.
    #[must_use]
    pub fn with_observer(self, observer: impl Fn(&Event) + Send + Sync + 'static) -> Overspill {
        Overspill { observer: Some(Arc::new(observer)), ..self }
    }

    /// Tells the time by `clock`.
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> Overspill {
        Overspill { clock, ..self }
    }

    /// Masks secrets. With [`Redact::All`] a strategy of your own sees none, either.
    #[must_use]
    pub fn with_redaction(self, redact: Redact) -> Overspill {
        Overspill { redact, ..self }
    }

    /// Sets how long outputs stay, where the profile removes any.
    #[must_use]
    pub fn with_retention(self, retention: Retention) -> Overspill {
        Overspill { retention, ..self }
    }

    /// Removes what has expired now.
    pub fn sweep(&self) -> Result<Swept, Error> {
        sweep(&*self.store, &self.retention, SweepBudget::Whole, self.clock.now().timestamp())
    }

    /// Returns the store.
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// Takes an output that is all there.
    pub fn process<'a>(&self, output: &'a [u8], call: &Call) -> Outcome<'a> {
        self.process_with(output, call, &CallOptions::default())
    }

    /// Takes an output that is all there, with settings of the call's own.
    pub fn process_with<'a>(
        &self,
        output: &'a [u8],
        call: &Call,
        options: &CallOptions,
    ) -> Outcome<'a> {
        let redacted = self.redact.output(output);
        match redacted.get() {
            Cow::Borrowed(bytes) => {
                self.bound(&redacted.part(|_| Output::of(bytes)), call, options)
            }
            Cow::Owned(bytes) => {
                self.bound(&redacted.part(|_| Output::of(bytes)), call, options).into_owned()
            }
        }
    }

    /// Takes an output as it is being written. A strategy of your own is not asked: it needs all
    /// of the output at once.
    pub fn spill(&self, call: Call, options: CallOptions) -> Spill<'_> {
        Spill::new(Cow::Borrowed(self), call, options)
    }

    /// Like [`Overspill::spill`], for those who keep it where nothing can be borrowed.
    pub fn into_spill(self, call: Call, options: CallOptions) -> Spill<'static> {
        Spill::new(Cow::Owned(self), call, options)
    }

    /// Returns what holds for a call.
    pub fn policy(&self, call: &Call, options: &CallOptions) -> Policy {
        self.plan(call, options).policy
    }

    /// Returns what is masked, and where.
    pub fn redaction(&self) -> &Redact {
        &self.redact
    }

    /// Returns the store as a model may see it: with [`Redact::All`] secrets are masked, also
    /// in outputs that were saved with them.
    pub fn shown_store(&self) -> Arc<dyn Store> {
        self.redact.shown_store(&self.store)
    }

    /// Bounds an output.
    pub(crate) fn bound<'a>(
        &self,
        output: &Redacted<Output<'a>>,
        call: &Call,
        options: &CallOptions,
    ) -> Outcome<'a> {
        let (&Output { measured, stored }, masked) = (output.get(), output.count());
        let Plan { policy, enabled } = self.plan(call, options);
        let mut failure = None;
        let is_same = std::ptr::eq(measured, stored);
        let (chosen, saved) = match self.strategy.as_deref().filter(|_| enabled) {
            None => {
                let Some(fired) = policy.fired_by(measured) else {
                    return self.whole(Cow::Borrowed(measured), call, masked);
                };
                let (meter, draft) = self.measure_and_write(output, &policy, call);
                let mut chosen =
                    Chosen::Over(Oversized::of_measured(measured, &meter, &policy, fired));
                let saved = draft.and_then(|draft| publish(draft, &mut chosen, is_same));
                (chosen, saved)
            }
            Some(strategy) => match self.ask(strategy, measured, &policy) {
                (None, None) => return self.whole(Cow::Borrowed(measured), call, masked),
                (None, Some(error)) => {
                    self.report(
                        call,
                        stored.len(),
                        stored.len(),
                        EventKind::Failed { error: &error },
                    );
                    return Outcome::of(Cow::Borrowed(measured), masked);
                }
                // Where failing means giving the original back, a strategy's failure does too.
                (Some(chosen), Some(error))
                    if self.profile.on_save_error == OnSaveError::Original =>
                {
                    (chosen, Err(error))
                }
                (Some(mut chosen), error) => {
                    failure = error;
                    let draft = self.write(output, call, |_| {});
                    let saved = draft.and_then(|draft| publish(draft, &mut chosen, is_same));
                    (chosen, saved)
                }
            },
        };
        let words = &self.profile.words;
        match (&saved, self.profile.on_save_error) {
            (Err(error), OnSaveError::Original) if self.is_below_ceiling(measured) => {
                self.report(call, stored.len(), stored.len(), EventKind::Failed { error });
                Outcome::of(Cow::Borrowed(measured), masked)
            }
            (Err(_), OnSaveError::SimpleCut) => {
                let simple = self.simple(&policy);
                let chosen = Oversized::of(measured, &simple).map_or(chosen, Chosen::Over);
                let end = End { call, options, masked, failure };
                self.answer(chosen, &NoticeStyle::StartOnly, &simple, saved, end)
            }
            _ => self.answer(chosen, words, &policy, saved, End { call, options, masked, failure }),
        }
    }

    /// Returns the policy of the simple cut: as much of the start as would not have been cut.
    pub(crate) fn simple(&self, policy: &Policy) -> Policy {
        Policy { limits: policy.trigger, keep: Keep::Head, ..policy.clone() }
    }

    /// Looks up what is to be done with a call's output.
    pub(crate) fn plan(&self, call: &Call, options: &CallOptions) -> Plan {
        let (tool, declared) = (call.tool.as_deref(), options.declared.as_ref());
        let effective = self.settings.effective(&self.profile, tool, declared, &options.settings);
        let policy = effective.policy(&self.profile).below(&self.profile.ceiling);
        let enabled = effective.enabled.value;
        let policy = match &options.share {
            _ if !enabled => Policy { trigger: self.profile.ceiling, ..policy },
            None => policy,
            Some(share) => Policy {
                trigger: policy.trigger.tightened(share),
                limits: policy.limits.tightened(share),
                ..policy
            },
        };
        Plan { policy, enabled }
    }

    pub(crate) fn is_below_ceiling(&self, output: &[u8]) -> bool {
        let Profile { ceiling, policy, .. } = &self.profile;
        ceiling.exceeded_by(output, policy.lines, &policy.tokens).is_none()
    }

    /// Measures an output while it is being written, when each part of it is at hand anyway.
    fn measure_and_write(
        &self,
        output: &Redacted<Output>,
        policy: &Policy,
        call: &Call,
    ) -> (Meter, Result<Box<dyn Draft>, Error>) {
        let Output { measured, stored } = output.get();
        let mut meter = Meter::new(policy.lines);
        if std::ptr::eq(*measured, *stored) {
            let draft = self.write(output, call, |chunk| meter.push(chunk));
            (meter, draft)
        } else {
            meter.push(measured);
            (meter, self.write(output, call, |_| {}))
        }
    }

    /// Writes a whole output to a draft. `look` sees all of it, written or not.
    fn write(
        &self,
        output: &Redacted<Output>,
        call: &Call,
        mut look: impl FnMut(&[u8]),
    ) -> Result<Box<dyn Draft>, Error> {
        /// Small enough to be looked at and written while it is in the cache.
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

    /// Begins to save an output. The draft masks what did not pass the redactor before.
    pub(crate) fn begin(&self, call: &Call, is_masked: bool) -> Result<Box<dyn Draft>, Error> {
        if !self.profile.saves {
            return Err(Error::NotAsked);
        }
        self.sweep_before_first_save();
        let draft = self.store.create(&self.told(call))?;
        Ok(match self.redact.rules().filter(|_| !is_masked) {
            Some(rules) => Box::new(RedactingDraft::new(draft, Redactor::new(rules.clone()))),
            None => draft,
        })
    }

    /// Returns what is said of a call to others.
    fn told<'a>(&self, call: &'a Call) -> Cow<'a, Call> {
        let Some(rules) = self.redact.rules() else { return Cow::Borrowed(call) };
        Cow::Owned(rules.call(call.clone()))
    }

    /// Asks a strategy. If it fails, that costs its own choice, not the preview.
    fn ask<'a>(
        &self,
        strategy: &dyn Strategy,
        output: &'a [u8],
        policy: &Policy,
    ) -> (Option<Chosen<'a>>, Option<Error>) {
        match Chosen::by(strategy, output, policy) {
            // Not even a strategy lets everything pass.
            Ok(None) if !self.is_below_ceiling(output) => {
                (Oversized::of(output, policy).map(Chosen::Over), None)
            }
            // What it makes itself stays within our limits, and within the ceiling of the others.
            Ok(Some(chosen)) => {
                let most = match self.profile.words {
                    NoticeStyle::Own => &policy.limits,
                    _ => &self.profile.ceiling,
                };
                (chosen.within(most, policy), None)
            }
            Ok(None) => (None, None),
            Err(error) => (Oversized::of(output, policy).map(Chosen::Over), Some(error)),
        }
    }

    fn sweep_before_first_save(&self) {
        let due = self.profile.sweeps == Sweeps::BeforeFirstSave;
        if due && !self.swept.swap(true, Ordering::Relaxed) {
            // A sweep never fails a call.
            let _ = self.sweep();
        }
    }

    /// Says that an output is not cut, of which so many secrets are masked.
    pub(crate) fn whole<'a>(&self, output: Cow<'a, [u8]>, call: &Call, masked: u64) -> Outcome<'a> {
        self.report(call, output.len(), output.len(), EventKind::Skipped);
        Outcome::of(output, masked)
    }

    /// Words what is shown, now that it is known whether the whole was saved.
    pub(crate) fn answer<'a>(
        &self,
        chosen: Chosen,
        words: &NoticeStyle,
        policy: &Policy,
        saved: Result<SpillRef, Error>,
        end: End,
    ) -> Outcome<'a> {
        let End { call, options, masked, failure } = end;
        let saved = saved.map(|saved| SpillRef { masked: saved.masked + masked, ..saved });
        let masked = saved.as_ref().map_or(masked, |saved| saved.masked);
        let spilled = self.word(chosen, words, policy, saved, options.delegate, masked);
        if let Ok(saved) = &spilled.saved {
            // A text of its own making shows no part of the output as it is.
            let pieces = spilled.cut.iter().flat_map(|cut| &cut.pieces);
            let record = Record {
                call: self.told(call).into_owned(),
                created: self.clock.now().timestamp(),
                exit: options.exit,
                signal: options.signal,
                interrupted: options.interrupted,
                shown: pieces.map(|piece| piece.bytes.clone()).collect(),
                kept: Some(saved.kept),
                ..Record::default()
            };
            // What is known of an output is a convenience; the output itself is safe.
            let _ = self.store.describe(&saved.name, &record.with_size(spilled.total));
        }
        let what = match (&failure, &spilled.saved) {
            (Some(error), _) => EventKind::Failed { error },
            (None, Ok(saved)) => EventKind::Spilled { path: Some(&saved.path) },
            (None, Err(Error::NotAsked)) => EventKind::Spilled { path: None },
            (None, Err(error)) => EventKind::Failed { error },
        };
        self.report(call, spilled.total.bytes as usize, spilled.text.len(), what);
        if self.profile.sweeps == Sweeps::AfterAnswer {
            let now = self.clock.now().timestamp();
            let _ = sweep(&*self.store, &self.retention, SweepBudget::LITTLE, now);
        }
        Outcome::Spilled(Box::new(spilled))
    }

    /// Tells the observer. What it does with it is its own affair: a panic changes nothing here.
    fn report(&self, call: &Call, original: usize, shown: usize, what: EventKind) {
        if let Some(observer) = &self.observer {
            let (original_bytes, shown_bytes) = (original as u64, shown as u64);
            let event = Event { call, original_bytes, shown_bytes, what };
            let _ = catch_unwind(AssertUnwindSafe(|| observer(&event)));
        }
    }
}

/// Publishes a draft, with the lines that may be shown if these are lines of what was written.
fn publish(draft: Box<dyn Draft>, chosen: &mut Chosen, is_same: bool) -> Result<SpillRef, Error> {
    if is_same { chosen.publish(draft) } else { draft.publish() }
}

impl std::fmt::Debug for Overspill {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Overspill")
            .field("profile", &self.profile.name)
            .field("settings", &self.settings)
            .field("store", &self.store)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::Redaction;
    use crate::store::Memory;

    #[test]
    fn draft_masks_text_that_did_not_pass_the_redactor() {
        let token = format!("{}_{}", "ghp", "a1B2c3D4e5F6g7H8i9J0".repeat(2));
        let stars = format!("ghp_{}", "*".repeat(40));
        let rules = Arc::new(Redaction::new(None).unwrap());
        for redact in [Redact::Saved(rules.clone()), Redact::All(rules)] {
            let overspill = Overspill::new(Profile::OWN, Memory::default()).with_redaction(redact);
            for (is_masked, kept, count) in [(false, &stars, 1), (true, &token, 0)] {
                let mut draft = overspill.begin(&Call::default(), is_masked).unwrap();
                draft.append(token.as_bytes()).unwrap();
                let saved = draft.publish().unwrap();
                let bytes = overspill.store().read(&saved.name, 0..u64::MAX).unwrap();
                assert_eq!((&bytes[..], saved.masked), (kept.as_bytes(), count));
            }
        }
    }
}
