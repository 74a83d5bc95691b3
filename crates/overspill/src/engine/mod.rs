//! Takes an output through its steps: plan, choose, save, present, record.

mod after;
mod builder;
mod catch_panic;
mod choose;
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
use crate::redact::{Redact, Redacted};
use crate::store::{Nowhere, SpillRef, Store};
use crate::sweep::{Retention, SweepBudget, Swept, sweep};
use crate::{Call, CallEnd, Clock, Error, Event, Layer, Outcome, Profile, Settings, Spill};

pub use builder::OverspillBuilder;
use catch_panic::catch_panic;
pub(crate) use choose::Chosen;
use choose::Selected;
pub(crate) use plan::Plan;
pub(crate) use save::AtHand;
use save::Fallback;
pub use unshown::record_as_unshown;

/// Shortens outputs by the rules of a profile, and saves outputs that are too large.
///
/// A program builds one engine and shares it. Calls do not change the engine.
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

/// The options of a single call.
#[derive(Debug, Clone, Default)]
pub struct CallOptions {
    /// Settings of the call itself.
    pub settings: Layer,
    /// Settings that the tool itself declares.
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

/// A complete output.
#[derive(Clone, Copy)]
pub(crate) struct Output<'a> {
    /// The text that is measured and shown.
    pub(crate) measured: &'a [u8],
    /// The bytes that are saved: the same text, or the original form of it.
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
    /// The number of secrets that were masked before the output was measured.
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

    /// Returns a builder with all parts of this engine, to change some of them.
    pub fn to_builder(&self) -> OverspillBuilder {
        OverspillBuilder::of(self.clone())
    }

    /// Shortens outputs by the rules of `profile` and saves them in `store`.
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

    /// Returns the abilities of the reader of a preview.
    pub fn reader(&self) -> &ReaderAbilities {
        &self.reader
    }

    /// Returns how long saved outputs are kept.
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
        catch_panic(|| sweep(&*self.store, &self.retention(), SweepBudget::Whole, now))
    }

    /// Shortens an output, bytes or text, if it is too large.
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

    /// Like [`Overspill::process_with`], and records how the call ended.
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

    /// Takes an output in chunks. A strategy of your own is not used, because it needs the whole
    /// output at once.
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

    /// Returns the store as a model may see it. With [`Redact::All`] secrets are masked, also in
    /// outputs that were saved with their secrets.
    pub fn shown_store(&self) -> Arc<dyn Store> {
        self.redact.shown_store(&self.store)
    }

    /// Shortens a complete output.
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

    /// Shortens a complete output by the plan of its call.
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
                // A profile that returns the original after a failed save also does so after a
                // failed strategy. Only an output over the ceiling is still cut and saved.
                Selected { chosen: Some(chosen), failure: Some(error) }
                    if self.returns_original(&plan, &all) =>
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
