//! Names of outputs.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::Error;

/// The name of a stored output: 48 bits of time, so that names sort by age, and 80 random bits.
///
/// The time is for sorting only. How old an output is, its file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(ulid::Ulid);

impl Id {
    /// Draws a new name.
    pub(crate) fn draw() -> Result<Id, Error> {
        let mut random = [0; 16];
        getrandom::fill(&mut random[6..]).map_err(Error::Name)?;
        // A clock before 1970 only spoils the order.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(Id(ulid::Ulid::from_parts(since.as_millis() as u64, u128::from_be_bytes(random))))
    }

    /// Returns the short word that marks this output's own notice: random bits of the name.
    pub fn token(&self) -> String {
        let text = self.to_string();
        text[text.len() - 6..].to_ascii_lowercase()
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
