//! Takes an output through its steps: plan, choose, save, present, and what follows.

mod after;
mod builder;
mod choose;
mod guarded;
mod plan;
mod present;
mod read;
mod save;
mod unshown;

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use overspill_core::{Limits, Oversized, Strategy};

use crate::host::CallHost;
use crate::notice::ReaderAbilities;
use crate::profile::OnSaveError;
use crate::redact::{Redact, Redacted};
use crate::store::{Nowhere, SpillRef, Store};
use crate::sweep::{Retention, SweepBudget, Swept, sweep};
use crate::{Call, CallEnd, Clock, Error, Event, Layer, Outcome, Profile, Settings, Spill};

pub use builder::OverspillBuilder;
pub(crate) use choose::Chosen;
use choose::Selected;
use guarded::guarded;
pub(crate) use plan::Plan;
pub(crate) use save::AtHand;
use save::Fallback;
pub use unshown::unshown;

/// Shortens outputs as a profile says, and saves those that are too large.
///
/// A program builds one and shares it. Calls do not change it.
#[derive(Clone)]
pub struct Overspill {
    pub(crate) profile: Profile,
    pub(crate) settings: Settings,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) reader: ReaderAbilities,
    host: Option<Arc<dyn Fn() -> Option<CallHost> + Send + Sync>>,
    pub(crate) program: Option<Arc<dyn Fn() -> String + Send + Sync>>,
    strategy: Option<Arc<dyn Strategy>>,
    observer: Option<Arc<Observer>>,
    retention: Option<Retention>,
    clock: Clock,
    pub(crate) redact: Redact,
    swept: Arc<AtomicBool>,
}

/// A function that gets the event of every call.
pub(crate) type Observer = dyn Fn(&Event) + Send + Sync;

/// What a single call asks for.
#[derive(Debug, Clone, Default)]
pub struct CallOptions {
    /// Settings of the call itself.
    pub settings: Layer,
    /// Settings that the tool declares for itself.
    pub declared: Option<Layer>,
    /// The caller can hand work to a sub-agent.
    pub delegate: bool,
    /// The part of a shared budget that this output gets. It can only tighten the limits.
    pub share: Option<Limits>,
    /// The limits of a command that fails. They can only tighten the limits.
    pub if_failed: Option<Limits>,
}

impl CallOptions {
    /// Returns the share of a call that failed, if it differs.
    pub(crate) fn share_of_failed(&self, end: CallEnd) -> Option<Limits> {
        let failed = end.signal.is_some() || end.exit.is_some_and(|code| code != 0);
        let limits = self.if_failed.filter(|_| failed)?;
        Some(self.share.map_or(limits, |share| share.tightened(&limits)))
    }
}

/// An output that is all there.
#[derive(Clone, Copy)]
pub(crate) struct Output<'a> {
    /// The text that is measured and shown.
    pub(crate) measured: &'a [u8],
    /// The bytes that are saved: the same text, or the form that it came in.
    pub(crate) stored: &'a [u8],
}

impl<'a> Output<'a> {
    pub(crate) fn of(bytes: &'a [u8]) -> Output<'a> {
        Output { measured: bytes, stored: bytes }
    }

    /// Tells whether the saved bytes are the measured ones.
    fn is_stored_as_measured(&self) -> bool {
        std::ptr::eq(self.measured, self.stored)
    }
}

/// A call whose output has ended.
pub(crate) struct EndedCall<'a> {
    pub(crate) call: &'a Call,
    pub(crate) end: CallEnd,
    /// The caller can hand work to a sub-agent.
    pub(crate) delegate: bool,
    /// How many secrets were masked before the output was measured.
    pub(crate) masked: u64,
    /// An error that is reported, other than a failed save.
    pub(crate) failure: Option<Error>,
}

impl Overspill {
    /// Builds an engine from its parts.
    ///
    /// ```
    /// # let directory = std::env::temp_dir().join("overspill-doc");
    /// use overspill::Overspill;
    ///
    /// let overspill = Overspill::builder().directory(directory).max_lines(200).build();
    /// ```
    pub fn builder() -> OverspillBuilder {
        OverspillBuilder::of(Overspill::new(Profile::OWN, Nowhere::because("no store is set")))
    }

    /// Returns a builder with everything that this engine has, to change a part of it.
    pub fn to_builder(&self) -> OverspillBuilder {
        OverspillBuilder::of(self.clone())
    }

    /// Shortens outputs as `profile` says and saves them in `store`.
    pub fn new(profile: Profile, store: impl Store + 'static) -> Overspill {
        Overspill {
            profile,
            settings: Settings::default(),
            store: Arc::new(store),
            reader: ReaderAbilities { files: true, ..ReaderAbilities::default() },
            host: None,
            program: None,
            strategy: None,
            observer: None,
            retention: None,
            clock: Clock::default(),
            redact: Redact::Off,
            swept: Arc::default(),
        }
    }

    /// Returns the profile.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Returns the settings between the profile and the call.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns what the reader of a preview can do.
    pub fn reader(&self) -> &ReaderAbilities {
        &self.reader
    }

    /// Returns how long saved outputs stay.
    pub fn retention(&self) -> Retention {
        self.retention.unwrap_or(self.profile.retention)
    }

    /// Returns the store.
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// Removes expired outputs now.
    pub fn sweep(&self) -> Result<Swept, Error> {
        let now = self.clock.now().timestamp();
        guarded(|| sweep(&*self.store, &self.retention(), SweepBudget::Whole, now))
    }

    /// Shortens an output if it is too large: bytes or text.
    pub fn process<'a>(&self, output: &'a (impl AsRef<[u8]> + ?Sized), call: &Call) -> Outcome<'a> {
        self.process_with(output.as_ref(), call, &CallOptions::default())
    }

    /// Like [`Overspill::process`], with options of the call.
    pub fn process_with<'a>(
        &self,
        output: &'a [u8],
        call: &Call,
        options: &CallOptions,
    ) -> Outcome<'a> {
        self.process_ended(output, call, options, CallEnd::default())
    }

    /// Like [`Overspill::process_with`], and the record of a saved output says how the call ended.
    pub fn process_ended<'a>(
        &self,
        output: &'a [u8],
        call: &Call,
        options: &CallOptions,
        end: CallEnd,
    ) -> Outcome<'a> {
        let redacted = self.redact.output(output);
        match redacted.get() {
            Cow::Borrowed(bytes) => {
                self.shorten(&redacted.part(|_| Output::of(bytes)), call, options, end)
            }
            Cow::Owned(bytes) => {
                self.shorten(&redacted.part(|_| Output::of(bytes)), call, options, end).into_owned()
            }
        }
    }

    /// Takes an output in chunks. A strategy of your own is not asked: it needs all of the output at
    /// once.
    pub fn spill(&self, call: Call, options: CallOptions) -> Spill<'_> {
        Spill::new(Cow::Borrowed(self), call, options)
    }

    /// Like [`Overspill::spill`], for callers that cannot borrow the engine.
    pub fn into_spill(self, call: Call, options: CallOptions) -> Spill<'static> {
        Spill::new(Cow::Owned(self), call, options)
    }

    /// Returns the time, by the engine's clock.
    pub(crate) fn now(&self) -> jiff::Timestamp {
        self.clock.now().timestamp()
    }

    /// Returns the rules that mask secrets.
    pub fn redaction(&self) -> &Redact {
        &self.redact
    }

    /// Returns the store as a model may see it. With [`Redact::All`] secrets are masked, also in outputs
    /// that were saved with their secrets.
    pub fn shown_store(&self) -> Arc<dyn Store> {
        self.redact.shown_store(&self.store)
    }

    /// Shortens an output that is all there.
    pub(crate) fn shorten<'a>(
        &self,
        output: &Redacted<Output<'a>>,
        call: &Call,
        options: &CallOptions,
        end: CallEnd,
    ) -> Outcome<'a> {
        match options.share_of_failed(end) {
            None => self.shorten_by(self.plan(call, options), output, call, end),
            share => {
                let options = CallOptions { share, ..options.clone() };
                self.shorten_by(self.plan(call, &options), output, call, end)
            }
        }
    }

    /// Shortens an output that is all there, by a plan of its call.
    pub(crate) fn shorten_by<'a>(
        &self,
        plan: Plan,
        output: &Redacted<Output<'a>>,
        call: &Call,
        end: CallEnd,
    ) -> Outcome<'a> {
        let (&all, masked) = (output.get(), output.count());
        let mut ended = EndedCall { call, end, delegate: plan.delegate, masked, failure: None };
        let (chosen, saved) = match self.strategy.as_deref().filter(|_| plan.enabled) {
            None => {
                let Some(fired) = plan.policy.fired_by(all.measured) else {
                    return self.whole(Cow::Borrowed(all.measured), call, masked);
                };
                let (meter, draft) = self.measure_and_write(output, &plan.policy, call);
                let over = Oversized::of_measured(all.measured, &meter, &plan.policy, fired);
                let mut chosen = Chosen::Over(end.hinted(over));
                let saved = draft.and_then(|draft| save::publish(draft, &mut chosen, &all));
                (chosen, saved)
            }
            Some(strategy) => match self.ask(strategy, all.measured, &plan) {
                Selected { chosen: None, failure: None } => {
                    return self.whole(Cow::Borrowed(all.measured), call, masked);
                }
                Selected { chosen: None, failure: Some(error) } => {
                    return self.unchanged(&all, &error, &ended);
                }
                // If a failed save gives the original back, a failed strategy does too. An output
                // beyond the ceiling is cut, so it is saved.
                Selected { chosen: Some(chosen), failure: Some(error) }
                    if self.profile.on_save_error == OnSaveError::Original
                        && plan.is_below_ceiling(all.measured) =>
                {
                    (chosen, Err(error))
                }
                Selected { chosen: Some(mut chosen), failure } => {
                    ended.failure = failure;
                    let draft = self.write(output, call, |_| {});
                    let saved = draft.and_then(|draft| save::publish(draft, &mut chosen, &all));
                    (chosen, saved)
                }
            },
        };
        self.conclude(chosen, plan, saved, AtHand::All(all), ended)
    }

    /// Presents an output that is too large, then records and reports it.
    pub(crate) fn conclude<'a>(
        &self,
        chosen: Chosen<'a>,
        plan: Plan,
        saved: Result<SpillRef, Error>,
        at_hand: AtHand<'a>,
        ended: EndedCall,
    ) -> Outcome<'a> {
        let (chosen, policy, style, saved) = match saved {
            Ok(saved) => {
                let saved = SpillRef { masked: saved.masked + ended.masked, ..saved };
                (chosen, plan.policy, &self.profile.words, Ok(saved))
            }
            Err(error) => match self.on_save_failure(chosen, plan, at_hand) {
                Fallback::Original(output) => return self.unchanged(&output, &error, &ended),
                Fallback::Preview { chosen, policy, style } => (chosen, policy, style, Err(error)),
            },
        };
        let spilled = self.present(chosen, style, &policy, saved, &ended);
        self.after(&spilled, &ended);
        Outcome::Spilled(Box::new(spilled))
    }
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
