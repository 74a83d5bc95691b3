//! Remembers the damaged objects that requests met, so that commands can name them.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::Bucket;
use crate::Error;
use crate::store::OutputId;

/// The largest number of damaged objects that are remembered. A peer can write any number of them.
const MOST_OBJECTS: usize = 1_000;

/// The reason of each damage, by a description of the object.
#[derive(Debug, Default)]
pub(super) struct Damage(Mutex<BTreeMap<String, String>>);

impl Damage {
    fn add(&self, what: String, reason: String) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() < MOST_OBJECTS {
            all.insert(what, reason);
        }
    }

    /// Returns a sentence for each damaged object.
    pub(super) fn sentences(&self) -> Vec<String> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().map(|(what, reason)| format!("{what} is damaged: {reason}")).collect()
    }
}

impl Bucket {
    /// Remembers that the record of an output is damaged.
    pub(super) fn note_damage(&self, name: &OutputId, reason: &'static str) {
        self.0.damage.add(format!("the record of {name}"), reason.into());
    }

    /// Remembers that a list of expired outputs is damaged. The caller has checked the form of its
    /// name.
    pub(super) fn note_damaged_list(&self, list: &str, reason: String) {
        self.0.damage.add(format!("the list gone/{list}"), reason);
    }

    /// Returns the error for an output that has only a damaged record.
    pub(super) fn damaged(&self, name: &OutputId, reason: &'static str) -> Error {
        Error::Damaged { name: name.clone(), reason: reason.into() }
    }
}
