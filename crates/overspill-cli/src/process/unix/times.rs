//! The times of a command: what happened when, and what is due when.

use std::time::{Duration, Instant};

use crate::process::OutputEnd;

/// After the command has ended, its output is complete when nothing comes for this long.
const IDLE: Duration = Duration::from_millis(250);
/// After the command has ended, we read no longer than this, even if more comes.
const LONGEST_DRAIN: Duration = Duration::from_secs(2);
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
            until: OutputEnd::CommandEnd,
            first_look: None,
            first_heard: None,
            next_report: None,
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
            OutputEnd::CommandEnd => Some((self.last_heard + IDLE).min(ended + LONGEST_DRAIN)),
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
        self.until = OutputEnd::CommandEnd;
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
        let news = self.look_at().into_iter().chain(report).filter(|_| self.has_news());
        let due = end.into_iter().chain(news).min();
        due.map(|due| due.saturating_duration_since(Instant::now()))
    }
}
