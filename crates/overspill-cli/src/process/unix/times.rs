//! Tracks the times of a command, and computes the time of the next event.

use std::time::{Duration, Instant};

use crate::process::OutputEnd;

/// The time after the first output of a command at which overspill shows the output so far. If the
/// command ends before, overspill shows only the preview.
pub(super) const FIRST_LOOK: Duration = Duration::from_millis(500);
/// The same time for a command that prints without a pause. Most of these end soon.
pub(super) const LATEST_LOOK: Duration = Duration::from_secs(2);
/// The time after which overspill first reports that the command still runs. Each next report comes
/// after twice the time.
pub(super) const FIRST_REPORT: Duration = Duration::from_secs(8);
/// The time that a command may take to end after its timeout before overspill kills it.
pub(super) const MERCY: Duration = Duration::from_secs(2);

/// The times of a command, from which the next event follows.
pub(super) struct Times {
    pub(super) started: Instant,
    pub(super) limit: Option<Duration>,
    /// The condition that completes the output.
    pub(super) until: OutputEnd,
    /// The time after the first output at which overspill shows the output so far. `None` afterwards.
    pub(super) first_look: Option<Duration>,
    pub(super) first_heard: Option<Instant>,
    /// The time after which overspill next reports that the command still runs.
    pub(super) next_report: Option<Duration>,
    /// The time between two interval events.
    pub(super) every: Option<Duration>,
    /// The time of the next interval event.
    pub(super) next_interval: Instant,
    /// The time at which the timeout was over and the command got a signal to end.
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
    /// Returns the time at which overspill first shows the output so far.
    pub(super) fn look_at(&self) -> Option<Instant> {
        Some(self.first_heard? + self.first_look?)
    }

    /// Returns the time at which the output of an ended command is complete at the latest.
    pub(super) fn complete_at(&self) -> Option<Instant> {
        let ended = self.ended?;
        match self.until {
            OutputEnd::Pause { pause, longest } => {
                let paused = self.last_heard + pause;
                Some(longest.map_or(paused, |longest| paused.min(ended + longest)))
            }
            OutputEnd::After(time) => Some(ended + time),
            // A timeout applies to the command and to everything that it has started.
            OutputEnd::PipeEnd => self.limit.map(|limit| self.started + limit),
        }
    }

    /// Tells whether to report on the command: it runs, or its reader waits for all processes that
    /// it has started.
    pub(super) fn has_news(&self) -> bool {
        self.ended.is_none() || self.until == OutputEnd::PipeEnd
    }

    /// Shortens the wait for background processes after a signal asked overspill to end.
    pub(super) fn leave_soon(&mut self) {
        self.until = OutputEnd::USUAL;
        if self.ended.is_some() {
            let now = Instant::now();
            (self.ended, self.last_heard) = (Some(now), now);
        }
    }

    /// Returns the time until the next event.
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
    fn output_end_follows_the_rule_of_the_reader() {
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
