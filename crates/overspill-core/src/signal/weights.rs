//! What words and circumstances are worth: a table, compiled in.

use super::around::Around;

/// Scores are whole numbers, so that every machine adds up the same: so many make up a factor of e.
pub(crate) const UNIT: f64 = 32.0;

/// How many lines away words still count.
pub(crate) const FAR: usize = 4;

/// What a line's words say of the line itself and of the lines around it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Worth([i16; 5]);

impl Worth {
    pub(crate) fn own(&self) -> i32 {
        i32::from(self.0[0])
    }

    /// What they say of the line that stands so many lines below.
    pub(crate) fn below(&self, lines: usize) -> i32 {
        i32::from(self.0[if lines == 1 { 1 } else { 3 }])
    }

    /// What they say of the line that stands so many lines above.
    pub(crate) fn above(&self, lines: usize) -> i32 {
        i32::from(self.0[if lines == 1 { 2 } else { 4 }])
    }
}

/// What features are worth together: a [`Worth`] and what says nothing, as wide as a [`Slot`].
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sum([i16; 8]);

impl Sum {
    pub(crate) fn worth(self) -> Worth {
        let [own, below, above, far_below, far_above, ..] = self.0;
        Worth([own, below, above, far_below, far_above])
    }
}

/// What a feature is worth, as [`Worth`] has it; a byte that says nothing; and two bytes that tell
/// features with the same place apart, zero where there is none.
type Slot = [u8; 8];

/// A table of weights.
///
/// First one signed byte for every circumstance, then the places, a power of two of them, each with
/// room for two features.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weights {
    around: &'static [u8],
    places: &'static [[Slot; 2]],
}

impl Weights {
    /// The ones we ship; `tools/signal/train.py` makes them.
    pub(crate) const SHIPPED: Weights = match Weights::of(include_bytes!("weights.bin")) {
        Some(weights) => weights,
        None => panic!("weights.bin is not a table of weights"),
    };

    /// Reads a table.
    pub(crate) const fn of(bytes: &'static [u8]) -> Option<Weights> {
        let Some((around, slots)) = bytes.split_at_checked(Around::COUNT) else { return None };
        let (slots, rest) = slots.as_chunks();
        let (places, odd) = slots.as_chunks();
        if !rest.is_empty() || !odd.is_empty() || !places.len().is_power_of_two() {
            return None;
        }
        Some(Weights { around, places })
    }

    /// Adds what a feature is worth.
    ///
    /// There is no branch in it: whether a feature has a weight is anybody's guess.
    #[inline]
    pub(crate) fn add(&self, feature: u32, sum: &mut Sum) {
        let tag = (feature >> 16) as u16 | 1;
        for slot in &self.places[feature as usize & (self.places.len() - 1)] {
            let [.., low, high] = *slot;
            let mask = -i16::from(u16::from_le_bytes([low, high]) == tag);
            for (sum, weight) in sum.0.iter_mut().zip(slot) {
                *sum = sum.wrapping_add(i16::from(*weight as i8) & mask);
            }
        }
    }

    /// Returns what a circumstance is worth.
    pub(crate) fn around(&self, index: usize) -> i32 {
        i32::from(self.around[index] as i8)
    }
}
