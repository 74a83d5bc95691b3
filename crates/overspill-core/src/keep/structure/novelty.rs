//! Tells what differs from the rest.

/// How many looks are told apart.
const MOST: usize = 32;

/// What the items of a row of many looked like so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Novelty {
    seen: Vec<u64>,
    differing: u8,
}

impl Novelty {
    /// Forgets what came.
    pub(super) fn clear(&mut self) {
        self.seen.clear();
        self.differing = 0;
    }

    /// Takes what the `count`th item looks like. If that is new among many, returns how many
    /// others were new to those before them.
    #[inline]
    pub(super) fn is_new(&mut self, look: u64, count: u64) -> Option<u8> {
        // Most look like the last one that was new.
        if self.seen.last() == Some(&look) { None } else { self.is_new_to_all(look, count) }
    }

    fn is_new_to_all(&mut self, look: u64, count: u64) -> Option<u8> {
        if self.seen.contains(&look) || self.seen.len() == MOST {
            return None;
        }
        self.seen.push(look);
        // Where everything differs, nothing stands out.
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
