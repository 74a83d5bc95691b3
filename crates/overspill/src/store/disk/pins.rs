//! The pins of outputs: empty files, each with the id of a pinned output as its name.

use std::collections::HashSet;
use std::io;
use std::ops::ControlFlow;

use super::root::{Area, Root, if_there};
use crate::store::OutputId;

/// The pinned outputs.
pub(super) enum Pins {
    These(HashSet<String>),
    /// The pins cannot be read, so every output counts as pinned.
    Unknown,
}

impl Pins {
    pub(super) fn read(root: &Root) -> Pins {
        let mut names = HashSet::new();
        let read = match root.area(Area::Pins) {
            Ok(Some(pins)) => pins.walk(0, |name| {
                names.insert(name.to_owned());
                ControlFlow::Continue(())
            }),
            Ok(None) => Ok(0),
            Err(error) => Err(error),
        };
        if read.is_ok() { Pins::These(names) } else { Pins::Unknown }
    }

    pub(super) fn contains(&self, name: &OutputId) -> bool {
        match self {
            Pins::These(names) => names.contains(name.as_str()),
            Pins::Unknown => true,
        }
    }
}

/// Tells whether an output is pinned, without reading all pins.
pub(super) fn is_pinned(root: &Root, name: &OutputId) -> bool {
    match root.area(Area::Pins) {
        Ok(Some(pins)) => !matches!(if_there(pins.find(name.as_str())), Ok(None)),
        Ok(None) => false,
        Err(_) => true,
    }
}

pub(super) fn set(root: &Root, name: &OutputId, pinned: bool) -> io::Result<()> {
    if pinned {
        return root.make_area(Area::Pins)?.open_or_make(name.as_str()).map(drop);
    }
    match root.area(Area::Pins)? {
        Some(pins) => if_there(pins.remove(name.as_str())).map(drop),
        None => Ok(()),
    }
}
