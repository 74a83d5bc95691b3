//! What words and circumstances are worth: a table, compiled in.

use super::features::ContextFeatures;

/// Scores are whole numbers, so that every machine adds up the same: so many make up a factor of e.
pub(crate) const UNIT: f64 = 32.0;

/// How many lines away words still count.
pub(crate) const FAR: usize = 4;

/// What a line's words say of the line itself and of the lines around it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct WordWeights([i16; 5]);

impl WordWeights {
    pub(crate) fn own(&self) -> i32 {
        i32::from(self.0[0])
    }

    /// What they say in a row that passed: its words of failure speak of no failure.
    #[must_use]
    pub(crate) fn of_passed(self) -> WordWeights {
        WordWeights(self.0.map(|weight| weight.min(0)))
    }

    /// What two parts of a line say together: each weight that says more.
    #[must_use]
    pub(crate) fn or(self, other: WordWeights) -> WordWeights {
        WordWeights(std::array::from_fn(|at| self.0[at].max(other.0[at])))
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

/// What features are worth together.
///
/// Four weights are added at once, each in sixteen bits and with [`Sum::MORE`] on top, so that none
/// is below zero. There are less than 256 of them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sum {
    even: u64,
    odd: u64,
    count: i16,
}

impl Sum {
    const MORE: u8 = 0x80;

    #[inline(always)]
    fn add(&mut self, slot: u64) {
        const LOW: u64 = 0x00FF_00FF_00FF_00FF;
        let more = slot ^ u64::from_ne_bytes([Sum::MORE; 8]);
        self.even += more & LOW;
        self.odd += more >> 8 & LOW;
        self.count += 1;
    }

    pub(crate) fn worth(self) -> WordWeights {
        let Sum { even, odd, count } = self;
        let sums = [even, odd, even >> 16, odd >> 16, even >> 32];
        WordWeights(
            sums.map(|sum| (sum as i16).wrapping_sub(i16::from(Sum::MORE).wrapping_mul(count))),
        )
    }
}

/// What a feature is worth, as [`WordWeights`] has it; a byte that says nothing; and two bytes that tell
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
        let Some((around, slots)) = bytes.split_at_checked(ContextFeatures::COUNT) else {
            return None;
        };
        let (slots, rest) = slots.as_chunks();
        let (places, odd) = slots.as_chunks();
        if !rest.is_empty() || !odd.is_empty() || !places.len().is_power_of_two() {
            return None;
        }
        Some(Weights { around, places })
    }

    /// Adds what a feature is worth, if it counts; of slots that are both its own, the first.
    ///
    /// There is no branch in it: whether a feature has a weight is anybody's guess.
    #[inline(always)]
    pub(crate) fn add(&self, feature: u32, counts: bool, sum: &mut Sum) {
        let place = &self.places[feature as usize & (self.places.len() - 1)];
        let [first, second] = place.map(u64::from_le_bytes);
        let tag = u64::from(feature >> 16 | 1);
        let of = |slot: u64| if slot >> 48 == tag { slot } else { 0 };
        let slot = if of(first) == 0 { of(second) } else { first };
        let slot = if counts { slot } else { 0 };
        sum.add(slot);
    }

    /// Returns what a circumstance is worth.
    pub(crate) fn around(&self, index: usize) -> i32 {
        i32::from(self.around[index] as i8)
    }
}
