//! The same decision over a stream, in memory bounded by the limits.

use crate::measure::size::Meter;
use crate::measure::tokens::Estimate;
use crate::observe::collector::Collector;
use crate::{Limits, Oversized, Policy, Size, Tokens, Unit};

/// Measures an output that arrives in chunks, and remembers what may have to be shown of it.
///
/// Until the output is too large all of it is held; from then on only its two ends are, however
/// much comes. The result is that of [`cut`](crate::cut()) on the whole, for every chunking.
///
/// ```
/// use overspill_core::{Finished, Keep, Limits, Policy, Window};
///
/// let policy = Policy::new(Limits::NONE.lines(2), Keep::Tail);
/// let mut window = Window::new(policy);
/// for n in 1..=1_000_000 {
///     window.push(format!("{n}\n").as_bytes());
/// }
/// let Finished::Over(over) = window.finish() else { unreachable!() };
/// assert_eq!(over.cut().pieces[0].text.as_ref(), b"999999\n1000000\n");
/// ```
#[derive(Debug, Clone)]
pub struct Window {
    policy: Policy,
    meter: Meter,
    /// Kept only while it may decide.
    estimate: Option<Estimate>,
    state: State,
}

#[derive(Debug, Clone)]
enum State {
    /// Everything so far; it may still fit.
    Within(Vec<u8>),
    /// Too large; what may be shown of it.
    Over(Box<Collector>),
}

/// What a [`Window`] has come to.
#[derive(Debug)]
pub enum Finished {
    /// The output is shown whole; here it is.
    Whole(Vec<u8>),
    /// It is too large.
    Over(Box<Oversized<'static>>),
}

impl Window {
    /// Starts with nothing.
    pub fn new(policy: Policy) -> Window {
        let limited = policy.trigger.tokens.is_some() || policy.limits.tokens.is_some();
        let estimates = limited && matches!(policy.tokens, Tokens::Estimate);
        Window {
            meter: Meter::new(policy.lines),
            estimate: estimates.then(Estimate::default),
            state: State::Within(Vec::new()),
            policy,
        }
    }

    /// Takes the next chunk.
    ///
    /// Returns all that came before, once, when this chunk makes the output too large: that is when
    /// storing it begins.
    pub fn push(&mut self, chunk: &[u8]) -> Option<Vec<u8>> {
        if chunk.is_empty() {
            return None;
        }
        self.meter.push(chunk);
        if let Some(estimate) = &mut self.estimate {
            estimate.push(chunk);
        }
        match &mut self.state {
            State::Within(held) => {
                let held = std::mem::take(held);
                return self.push_within(held, chunk);
            }
            State::Over(collector) => collector.push(chunk),
        }
        None
    }

    /// Says that there is less room than there was, as far as `policy` has less.
    ///
    /// What has fitted may not fit any more; [`Window::settle`] tells.
    pub fn tighten(&mut self, policy: &Policy) {
        self.policy.trigger = self.policy.trigger.tightened(&policy.trigger);
        self.policy.limits = self.policy.limits.tightened(&policy.limits);
    }

    /// Says that nothing more comes.
    ///
    /// Returns all that came if it turns out to be too large only now, as it may with an exact
    /// token counter, or with less room than there was.
    pub fn settle(&mut self) -> Option<Vec<u8>> {
        let State::Within(held) = &self.state else { return None };
        self.policy.fired_by(held)?;
        let held = held.clone();
        self.state = State::Over(self.collect(&held));
        Some(held)
    }

    /// Tells whether the output is too large already; it stays so.
    pub fn is_over(&self) -> bool {
        matches!(self.state, State::Over(_))
    }

    /// Returns everything that came, while it may still fit.
    pub fn held(&self) -> Option<&[u8]> {
        match &self.state {
            State::Within(held) => Some(held),
            State::Over(_) => None,
        }
    }

    /// Returns the size of what came so far.
    pub fn total(&self) -> Size {
        self.meter.size()
    }

    /// Says that the output is complete.
    pub fn finish(mut self) -> Finished {
        self.settle();
        let fired = self.policy.trigger.exceeded_by_size(&self.meter.size());
        match self.state {
            State::Within(held) => Finished::Whole(held),
            State::Over(collector) => {
                let fired = fired.unwrap_or(Unit::Tokens);
                let over = Oversized::new(collector.finish(), &self.meter, fired, self.policy);
                Finished::Over(Box::new(over))
            }
        }
    }

    /// Takes a chunk of an output that has fitted so far.
    fn push_within(&mut self, mut held: Vec<u8>, chunk: &[u8]) -> Option<Vec<u8>> {
        if self.exceeds(&self.policy.trigger) && self.exceeds(&self.policy.limits) {
            let mut collector = self.collect(&held);
            collector.push(chunk);
            self.state = State::Over(collector);
            self.estimate = None;
            return Some(held);
        }
        held.extend_from_slice(chunk);
        self.state = State::Within(held);
        None
    }

    /// Starts to look at what may be shown.
    fn collect(&self, held: &[u8]) -> Box<Collector> {
        let mut collector = Box::new(Collector::new(&self.policy));
        collector.push(held);
        collector
    }

    fn exceeds(&self, limits: &Limits) -> bool {
        let size = self.meter.size();
        limits.exceeded_by_size(&size).is_some()
            || limits.tokens.is_some_and(|most| match &self.estimate {
                Some(estimate) => estimate.tokens() > most,
                // An exact counter is asked at the end, if the length does not settle it.
                None => size.bytes > most.saturating_mul(Tokens::LONGEST),
            })
    }
}
