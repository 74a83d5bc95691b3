//! Finds items that differ from the items before them, such as a row with another status.

/// The largest number of different shapes that are told apart.
const MOST_SHAPES: usize = 32;

/// The shapes of the items of one list so far. The shape of an item is a hash.
#[derive(Debug, Clone, Default)]
pub(super) struct Novelty {
    seen: Vec<u64>,
    differing: u8,
}

impl Novelty {
    /// Forgets all items.
    pub(super) fn clear(&mut self) {
        self.seen.clear();
        self.differing = 0;
    }

    /// Takes the shape of the `count`th item. If the shape is new and new shapes are rare, returns
    /// the number of earlier items for which this was true.
    #[inline]
    pub(super) fn is_new(&mut self, look: u64, count: u64) -> Option<u8> {
        // Most items have the shape that was added last.
        if self.seen.last() == Some(&look) { None } else { self.is_new_to_all(look, count) }
    }

    fn is_new_to_all(&mut self, look: u64, count: u64) -> Option<u8> {
        if self.seen.contains(&look) || self.seen.len() == MOST_SHAPES {
            return None;
        }
        self.seen.push(look);
        // If most items differ, none is highlighted.
        let rare = self.seen.len() as u64 <= 2 + count / 8;
        (count > 4 && rare).then(|| {
            self.differing += 1;
            self.differing - 1
        })
    }
}

pub(super) fn hash(bytes: &[u8]) -> u64 {
    let mut hash = bytes.len() as u64;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        hash = mix(hash, u64::from_le_bytes(*word));
    }
    rest.iter().fold(hash, |hash, &byte| mix(hash, u64::from(byte)))
}

pub(super) fn mix(hash: u64, value: u64) -> u64 {
    (hash.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95)
}
