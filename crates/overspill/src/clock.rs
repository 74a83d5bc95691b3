//! The time, which is told from outside.

use std::fmt;
use std::sync::Arc;

use jiff::{Timestamp, Zoned, tz::TimeZone};

/// Tells the time, and the time zone that people read it in.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Zoned + Send + Sync>);

impl Clock {
    /// The system's clock, read in `zone`.
    pub fn system(zone: TimeZone) -> Clock {
        Clock::from_fn(move || Timestamp::now().to_zoned(zone.clone()))
    }

    /// A clock that stands still.
    pub fn fixed(now: Zoned) -> Clock {
        Clock::from_fn(move || now.clone())
    }

    /// A clock of your own.
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
