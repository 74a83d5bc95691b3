//! When something is due while a command runs.

use std::time::{Duration, Instant};

/// After the command has ended, its output is complete when nothing comes for this long.
pub(super) const IDLE: Duration = Duration::from_millis(250);
/// After the command has ended, we read no longer than this, even if more comes.
pub(super) const LONGEST_DRAIN: Duration = Duration::from_secs(2);
/// How long a command may take to end after its timeout before it is killed.
pub(super) const MERCY: Duration = Duration::from_secs(2);
/// So long after its first output a command shows what it has printed. A command that ends before gets its
/// preview alone.
pub(super) const FIRST_LOOK: Duration = Duration::from_millis(500);
/// The same for a command that prints without a pause. Most of these end soon.
pub(super) const LATEST_LOOK: Duration = Duration::from_secs(2);
/// When we first report that the command still runs. The next reports come after twice the time each.
pub(super) const FIRST_REPORT: Duration = Duration::from_secs(8);

/// When things happened. They say when something is due.
pub(super) struct Times {
    pub(super) started: Instant,
    pub(super) limit: Option<Duration>,
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

    /// Returns the time until something is due.
    pub(super) fn next(&self) -> Option<Duration> {
        let due = match self.ended {
            Some(ended) => Some((self.last_heard + IDLE).min(ended + LONGEST_DRAIN)),
            None => {
                let end = match self.timed_out {
                    Some(told) => Some(told + MERCY),
                    None => self.limit.map(|limit| self.started + limit),
                };
                let report = self.next_report.map(|after| self.started + after);
                end.into_iter().chain(self.look_at()).chain(report).min()
            }
        };
        due.map(|due| due.saturating_duration_since(Instant::now()))
    }
}
