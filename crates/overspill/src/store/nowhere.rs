//! A store that saves nothing, for callers that have no usable store.

use std::ops::Range;

use super::{Draft, Entry, OutputId, Store};
use crate::{Call, Error};

/// A store that saves nothing and returns the reason as an error. overspill still makes previews.
#[derive(Debug, Clone)]
pub struct Nowhere {
    reason: String,
}

impl Nowhere {
    /// Returns a store that refuses every output for this reason.
    pub fn because(reason: impl Into<String>) -> Nowhere {
        Nowhere { reason: reason.into() }
    }

    fn refuse<T>(&self) -> Result<T, Error> {
        Err(Error::Other(self.reason.clone().into()))
    }
}

impl Store for Nowhere {
    fn create(&self, _: &Call) -> Result<Box<dyn Draft>, Error> {
        self.refuse()
    }

    fn read(&self, name: &OutputId, _: Range<u64>) -> Result<Vec<u8>, Error> {
        Err(Error::NotFound { name: name.clone() })
    }

    fn entry(&self, name: &OutputId) -> Result<Entry, Error> {
        Err(Error::NotFound { name: name.clone() })
    }

    fn list(&self) -> Result<Vec<Entry>, Error> {
        Ok(Vec::new())
    }

    fn delete(&self, name: &OutputId) -> Result<(), Error> {
        Err(Error::NotFound { name: name.clone() })
    }

    fn touch(&self, name: &OutputId) -> Result<(), Error> {
        Err(Error::NotFound { name: name.clone() })
    }
}
