//! The clock of an engine. The caller provides it, so tests can fix the time.

use std::fmt;
use std::sync::Arc;

use jiff::{Timestamp, Zoned, tz::TimeZone};

/// A source of the current time, in the time zone that people read.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Zoned + Send + Sync>);

impl Clock {
    /// Returns the clock of the system, in `zone`.
    pub fn system(zone: TimeZone) -> Clock {
        Clock::from_fn(move || Timestamp::now().to_zoned(zone.clone()))
    }

    /// Returns a clock that stands still.
    pub fn fixed(now: Zoned) -> Clock {
        Clock::from_fn(move || now.clone())
    }

    /// Returns a clock that calls a function of yours.
    pub fn from_fn(now: impl Fn() -> Zoned + Send + Sync + 'static) -> Clock {
        Clock(Arc::new(now))
    }

    /// Returns the time.
    pub fn now(&self) -> Zoned {
        (self.0)()
    }
}

impl Default for Clock {
    fn default() -> Clock {
        Clock::system(TimeZone::UTC)
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({})", self.now())
    }
}
