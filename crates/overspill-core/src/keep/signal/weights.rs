//! The table of weights for the words and the context of a line. It is compiled into the program.

use super::features::ContextFeatures;

/// The difference of scores that makes a line e times as likely to matter. Scores are whole
/// numbers, so that every machine computes the same sums.
pub(crate) const UNIT: f64 = 32.0;

/// The largest distance in lines at which the words of a neighbour count.
pub(crate) const FAR: usize = 4;

/// The weights of the words of a line, for the line itself and for the lines around it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct WordWeights([i16; 5]);

impl WordWeights {
    pub(crate) fn own(&self) -> i32 {
        i32::from(self.0[0])
    }

    /// Returns the weights for a row that reports a success: its failure words do not count.
    #[must_use]
    pub(crate) fn of_passed(self) -> WordWeights {
        WordWeights(self.0.map(|weight| weight.min(0)))
    }

    /// Returns the larger of each two weights, for two parts of a line.
    #[must_use]
    pub(crate) fn or(self, other: WordWeights) -> WordWeights {
        WordWeights(std::array::from_fn(|at| self.0[at].max(other.0[at])))
    }

    /// Returns the weight for the line that is `lines` lines below.
    pub(crate) fn below(&self, lines: usize) -> i32 {
        i32::from(self.0[if lines == 1 { 1 } else { 3 }])
    }

    /// Returns the weight for the line that is `lines` lines above.
    pub(crate) fn above(&self, lines: usize) -> i32 {
        i32::from(self.0[if lines == 1 { 2 } else { 4 }])
    }
}

/// The sum of the weights of features.
///
/// Four weights are added at once, each in sixteen bits. [`Sum::MORE`] is added to each weight, so
/// that no weight is negative. A line has fewer than 256 features.
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

/// The entry of a feature: the five weights of [`WordWeights`], an unused byte, and a tag of two
/// bytes that distinguishes features with the same place. An empty slot has the tag 0.
type Slot = [u8; 8];

/// A table of weights.
///
/// The table begins with one signed byte for every feature of the context. Then come the places for
/// features of words. Their number is a power of two, and each place has slots for two features.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weights {
    around: &'static [u8],
    places: &'static [[Slot; 2]],
}

impl Weights {
    /// The built-in weights, which `tools/signal/train.py` makes.
    pub(crate) const SHIPPED: Weights = match Weights::of(include_bytes!("weights.bin")) {
        Some(weights) => weights,
        None => panic!("weights.bin is not a table of weights"),
    };

    /// Reads a table, or returns `None` if `bytes` are not a table.
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

    /// Adds the weights of a feature, if the feature counts. The first slot with its tag is used.
    ///
    /// The code has no branch, because a processor cannot predict whether a feature has a weight.
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

    /// Returns the weight of a feature of the context.
    pub(crate) fn around(&self, index: usize) -> i32 {
        i32::from(self.around[index] as i8)
    }
}
