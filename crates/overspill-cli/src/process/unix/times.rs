//! The times of a command: what happened when, and what is due when.

use std::time::{Duration, Instant};

use crate::process::OutputEnd;

/// So long after its first output a command shows what it has printed. A command that ends before gets its
/// preview alone.
pub(super) const FIRST_LOOK: Duration = Duration::from_millis(500);
/// The same for a command that prints without a pause. Most of these end soon.
pub(super) const LATEST_LOOK: Duration = Duration::from_secs(2);
/// When we first report that the command still runs. The next reports come after twice the time each.
pub(super) const FIRST_REPORT: Duration = Duration::from_secs(8);
/// How long a command may take to end after its timeout before it is killed.
pub(super) const MERCY: Duration = Duration::from_secs(2);

/// When things happened. They say when something is due.
pub(super) struct Times {
    pub(super) started: Instant,
    pub(super) limit: Option<Duration>,
    /// When the output is complete.
    pub(super) until: OutputEnd,
    /// How long after its first output the command shows what it has printed. `None` once it has.
    pub(super) first_look: Option<Duration>,
    pub(super) first_heard: Option<Instant>,
    /// After which time we report that the command still runs.
    pub(super) next_report: Option<Duration>,
    /// The time between two equal reports, and when the next one is due.
    pub(super) every: Option<Duration>,
    pub(super) next_interval: Instant,
    /// When the timeout was over and the command got a signal to end.
    pub(super) timed_out: Option<Instant>,
    pub(super) ended: Option<Instant>,
    pub(super) last_heard: Instant,
}

impl Default for Times {
    fn default() -> Times {
        let now = Instant::now();
        Times {
            started: now,
            limit: None,
            until: OutputEnd::USUAL,
            first_look: None,
            first_heard: None,
            next_report: None,
            every: None,
            next_interval: now,
            timed_out: None,
            ended: None,
            last_heard: now,
        }
    }
}

impl Times {
    /// Returns when the command shows what it has printed first.
    pub(super) fn look_at(&self) -> Option<Instant> {
        Some(self.first_heard? + self.first_look?)
    }

    /// Returns when the output of a command that has ended is complete at the latest.
    pub(super) fn complete_at(&self) -> Option<Instant> {
        let ended = self.ended?;
        match self.until {
            OutputEnd::Pause { pause, longest } => {
                let paused = self.last_heard + pause;
                Some(longest.map_or(paused, |longest| paused.min(ended + longest)))
            }
            OutputEnd::After(time) => Some(ended + time),
            // A timeout is for the command and for everything that it has started.
            OutputEnd::PipeEnd => self.limit.map(|limit| self.started + limit),
        }
    }

    /// Tells whether the command is watched: it runs, or its reader waits for all that it has started.
    pub(super) fn has_news(&self) -> bool {
        self.ended.is_none() || self.until == OutputEnd::PipeEnd
    }

    /// A signal asked us to end: background processes are waited for only for a moment.
    pub(super) fn leave_soon(&mut self) {
        self.until = OutputEnd::USUAL;
        if self.ended.is_some() {
            let now = Instant::now();
            (self.ended, self.last_heard) = (Some(now), now);
        }
    }

    /// Returns the time until something is due.
    pub(super) fn next(&self) -> Option<Duration> {
        let end = match (self.ended, self.timed_out) {
            (Some(_), _) => self.complete_at(),
            (None, Some(told)) => Some(told + MERCY),
            (None, None) => self.limit.map(|limit| self.started + limit),
        };
        let report = self.next_report.map(|after| self.started + after);
        let interval = self.every.map(|_| self.next_interval);
        let news =
            self.look_at().into_iter().chain(report).chain(interval).filter(|_| self.has_news());
        let due = end.into_iter().chain(news).min();
        due.map(|due| due.saturating_duration_since(Instant::now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_complete_when_the_reader_stops_to_wait() {
        let ended = Instant::now();
        let after = |millis| ended + Duration::from_millis(millis);
        let complete = |until, last_heard| {
            let times = Times { until, ended: Some(ended), last_heard, ..Times::default() };
            times.complete_at()
        };
        assert_eq!(complete(OutputEnd::USUAL, ended), Some(after(250)));
        assert_eq!(complete(OutputEnd::USUAL, after(1_900)), Some(after(2_000)));
        let pause = OutputEnd::Pause { pause: Duration::from_millis(100), longest: None };
        assert_eq!(complete(pause, after(9_000)), Some(after(9_100)));
        assert_eq!(complete(OutputEnd::After(Duration::ZERO), after(9_000)), Some(ended));
        assert_eq!(complete(OutputEnd::PipeEnd, ended), None);
    }
}
