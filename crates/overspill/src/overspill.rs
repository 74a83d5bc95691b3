//! The one place where the steps meet.

use overspill_core::{Cut, Policy, Reach};

use crate::store::{Disk, SpillRef};
use crate::{Error, Spill};

/// Bounds outputs by one policy and saves what is too large in one store.
#[derive(Debug, Clone)]
pub struct Overspill {
    /// When an output is cut, and how.
    pub policy: Policy,
    /// Where the whole of it goes.
    pub store: Disk,
    /// What the reader of the preview can do.
    pub reach: Reach,
}

/// What became of an output.
#[derive(Debug)]
pub enum Outcome {
    /// It fits; here it is, byte for byte. Nothing was stored.
    Whole(Vec<u8>),
    /// It is too large.
    Spilled(Box<Spilled>),
}

/// An output that was too large.
#[derive(Debug)]
pub struct Spilled {
    /// What the model gets, notice included.
    pub text: String,
    /// What it shows.
    pub cut: Cut<'static>,
    /// Where the whole output is, or why it could not be saved.
    pub saved: Result<SpillRef, Error>,
    /// One line for the person who watches.
    pub for_person: String,
}

impl Overspill {
    /// Takes an output that is all there.
    pub fn process(&self, output: &[u8]) -> Outcome {
        let mut spill = self.spill();
        spill.push(output);
        spill.finish()
    }

    /// Takes an output as it is being written.
    pub fn spill(&self) -> Spill<'_> {
        Spill::new(self)
    }
}
