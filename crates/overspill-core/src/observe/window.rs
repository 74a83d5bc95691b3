//! Measures and cuts an output that arrives as a stream, in memory that depends on the limits
//! alone.

use crate::measure::size::Meter;
use crate::measure::tokens::Estimate;
use crate::observe::collector::Collector;
use crate::{Limits, Oversized, Policy, Size, Tokens, Unit};

/// Measures an output that arrives in chunks, and remembers the parts that a preview may show.
///
/// The window keeps the whole output in memory until the output is too large. From then on it keeps
/// only the parts that a preview may show, for a stream of any length. The result is the same as
/// that of [`cut`](crate::cut()) on the whole output, for every chunking.
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
    /// The estimate of tokens, as long as it may decide whether the output is too large.
    estimate: Option<Estimate>,
    state: State,
}

#[derive(Debug, Clone)]
enum State {
    /// The whole output so far, which may still be short.
    Within(Vec<u8>),
    /// The output is too large. The parts that a preview may show.
    Over(Box<Collector>),
}

/// The result of a [`Window`].
#[derive(Debug)]
pub enum Finished {
    /// The whole output, which is shown unchanged.
    Whole(Vec<u8>),
    /// The output is too large.
    Over(Box<Oversized<'static>>),
}

impl Window {
    /// Starts with an empty output.
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
    /// Returns the output before this chunk, once, when this chunk makes the output too large.
    /// Saving begins then.
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

    /// Lowers the limits to those of `policy`, where these are lower.
    ///
    /// An output that was short may be too large now: call [`Window::settle`].
    pub fn tighten(&mut self, policy: &Policy) {
        self.policy.trigger = self.policy.trigger.tightened(&policy.trigger);
        self.policy.limits = self.policy.limits.tightened(&policy.limits);
    }

    /// Declares that no further chunk comes.
    ///
    /// Returns the whole output if it turns out to be too large only now. That happens with an
    /// exact token counter, or after [`Window::tighten`].
    pub fn settle(&mut self) -> Option<Vec<u8>> {
        let State::Within(held) = &self.state else { return None };
        self.policy.fired_by(held)?;
        let held = held.clone();
        self.state = State::Over(self.collect(&held));
        Some(held)
    }

    /// Tells whether the output is too large already. It stays so.
    pub fn is_over(&self) -> bool {
        matches!(self.state, State::Over(_))
    }

    /// Returns the output so far, as long as it may still be short.
    pub fn held(&self) -> Option<&[u8]> {
        match &self.state {
            State::Within(held) => Some(held),
            State::Over(_) => None,
        }
    }

    /// Returns the size of the output so far.
    pub fn total(&self) -> Size {
        self.meter.size()
    }

    /// Ends the output.
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

    /// Takes a chunk of an output that was short so far.
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

    /// Starts to collect the parts that a preview may show.
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
                // An exact counter runs at the end, if the length does not decide.
                None => size.bytes > most.saturating_mul(Tokens::LONGEST),
            })
    }
}
