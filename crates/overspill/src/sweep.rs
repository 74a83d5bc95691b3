//! Removes saved outputs that are too old or exceed the quota.

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

use crate::Error;
use crate::store::{Entry, Store};

/// The rules for how long and how many outputs are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Outputs that were not used for longer than this are removed.
    pub unused_for: Option<SignedDuration>,
    /// Above this many bytes, the outputs that were not used for longest are removed.
    pub quota: Option<u64>,
    /// Outputs that were used more recently than this always stay.
    pub spare_younger_than: SignedDuration,
}

impl Retention {
    /// The retention of our own profile: seven days, 5 GiB, and no output younger than an hour is
    /// removed.
    pub const OWN: Retention = Retention {
        quota: Some(5 << 30),
        spare_younger_than: SignedDuration::from_hours(1),
        ..Retention::days(7)
    };

    /// The retention that removes no output.
    pub const FOREVER: Retention =
        Retention { unused_for: None, quota: None, spare_younger_than: SignedDuration::ZERO };

    /// Returns the retention that removes outputs that were not used for this many days, and no
    /// others.
    pub const fn days(days: u32) -> Retention {
        let unused_for = Some(SignedDuration::from_hours(24 * days as i64));
        Retention { unused_for, ..Retention::FOREVER }
    }
}

impl Default for Retention {
    fn default() -> Retention {
        Retention::OWN
    }
}

/// The amount of work that a sweep does at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SweepBudget {
    /// The whole sweep.
    Whole,
    /// A short sweep that delays no call. It does nothing if any process did a short sweep within
    /// the last hour. The quota counts only the outputs that were listed.
    Little {
        /// The largest number of outputs that are removed.
        removals: usize,
        /// The longest time that the sweep may take.
        time: Duration,
    },
}

impl SweepBudget {
    /// The budget of a sweep at the end of a call.
    pub const LITTLE: SweepBudget =
        SweepBudget::Little { removals: 64, time: Duration::from_millis(5) };
}

/// The result of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Swept {
    /// The number of removed outputs.
    pub removed: u64,
    /// The sum of the sizes of the removed outputs, in bytes.
    pub bytes: u64,
    /// The number of listed outputs that stay.
    pub kept: u64,
    /// The number of outputs among `kept` that could not be removed.
    pub failed: u64,
    /// The number of outputs among `kept` that the next sweep removes, because the budget was
    /// spent.
    pub left: u64,
}

/// The number of outputs that are removed at once.
const AT_ONCE: usize = 64;
/// The least time between two short sweeps.
const LITTLE_EVERY: Duration = Duration::from_secs(60 * 60);

/// Removes from `store` the outputs that `retention` does not keep.
///
/// A failure to remove an output does not end the sweep. An output that was used since it was
/// listed stays.
pub fn sweep(
    store: &dyn Store,
    retention: &Retention,
    budget: SweepBudget,
    now: Timestamp,
) -> Result<Swept, Error> {
    sweep_watched(store, retention, budget, now, |_, _| ())
}

/// Like [`sweep`], and reports the progress to `watch` now and then: the number done, and the
/// total.
pub fn sweep_watched(
    store: &dyn Store,
    retention: &Retention,
    budget: SweepBudget,
    now: Timestamp,
    watch: impl Fn(u64, u64),
) -> Result<Swept, Error> {
    let started = Instant::now();
    let now = match budget {
        SweepBudget::Whole => store.time()?.unwrap_or(now),
        SweepBudget::Little { .. } => now,
    };
    let (entries, removals, time) = match budget {
        SweepBudget::Whole => (store.list()?, usize::MAX, Duration::MAX),
        // Half of the time for listing, the rest for removing.
        SweepBudget::Little { removals, time } => match store.due(LITTLE_EVERY, time / 2)? {
            Some(entries) => (entries, removals, time),
            None => return Ok(Swept::default()),
        },
    };
    let expired = expired(&entries, retention, now);
    let all = expired.len() as u64;
    let mut swept = Swept { left: all, ..Swept::default() };
    let expired = &expired[..expired.len().min(removals)];
    // Many removals at once cost less than single ones, but a short sweep must end in time.
    let at_once = if budget == SweepBudget::Whole { AT_ONCE } else { 1 };
    for some in expired.chunks(at_once) {
        if started.elapsed() >= time {
            break;
        }
        for (entry, expired) in some.iter().zip(store.expire(some)) {
            swept.left -= 1;
            match expired {
                Ok(true) => {
                    swept.removed += 1;
                    swept.bytes += entry.bytes;
                }
                Ok(false) => {}
                Err(_) => swept.failed += 1,
            }
        }
        watch(all - swept.left, all);
    }
    if budget == SweepBudget::Whole {
        // This comes last, because the removal of an output also removes its record. Files of
        // interrupted writers do no harm, so a failure here is ignored.
        let _ = store.tidy();
    }
    swept.kept = entries.len() as u64 - swept.removed;
    Ok(swept)
}

/// Returns the entries that `retention` does not keep: first those that are too old, in the given
/// order, then those over quota, the oldest first.
///
/// An entry that is exactly as old as the retention stays. An entry that was last used in the
/// future stays. If the clock shows a time before 1970, all entries stay, because the clock is
/// wrong.
pub fn expired<'a>(entries: &'a [Entry], retention: &Retention, now: Timestamp) -> Vec<&'a Entry> {
    if now < Timestamp::UNIX_EPOCH {
        return Vec::new();
    }
    let may_go = |entry: &Entry| {
        let age = now.duration_since(entry.used);
        !entry.pinned && !age.is_negative() && age >= retention.spare_younger_than
    };
    let is_old = |entry: &Entry| {
        retention.unused_for.is_some_and(|longest| now.duration_since(entry.used) > longest)
    };
    let (mut going, mut staying) = (Vec::new(), Vec::new());
    let mut bytes = 0_u64;
    for entry in entries {
        match (may_go(entry), is_old(entry)) {
            (true, true) => going.push(entry),
            (may_go, _) => {
                bytes = bytes.saturating_add(entry.bytes);
                staying.extend(may_go.then_some(entry));
            }
        }
    }
    let Some(quota) = retention.quota.filter(|&quota| bytes > quota) else { return going };
    staying.sort_unstable_by(|a, b| (a.used, &a.name).cmp(&(b.used, &b.name)));
    for entry in staying {
        if bytes <= quota {
            break;
        }
        bytes -= entry.bytes;
        going.push(entry);
    }
    going
}
