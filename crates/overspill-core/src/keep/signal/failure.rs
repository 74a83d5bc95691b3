//! Failure words, such as `error` and `not found`, that many languages and tools print.
//!
//! A line that contains a failure word is a *hit*. The weights decide how much a hit counts: some
//! failure words often occur without a failure.

use super::words::{small_word, word};

/// The hashes of the failure words, sorted at compile time.
const WORDS: [u32; 58] = sorted([
    word(b"error"),
    word(b"errors"),
    word(b"err"),
    word(b"errored"),
    word(b"fail"),
    word(b"fails"),
    word(b"failed"),
    word(b"failing"),
    word(b"failure"),
    word(b"failures"),
    word(b"fatal"),
    word(b"exception"),
    word(b"exceptions"),
    word(b"panic"),
    word(b"panicked"),
    word(b"traceback"),
    word(b"assert"),
    word(b"asserts"),
    word(b"assertion"),
    word(b"undefined"),
    word(b"unresolved"),
    word(b"undeclared"),
    word(b"denied"),
    word(b"forbidden"),
    word(b"refused"),
    word(b"rejected"),
    word(b"cannot"),
    word(b"couldn"),
    word(b"unable"),
    word(b"unexpected"),
    word(b"expected"),
    word(b"mismatch"),
    word(b"mismatched"),
    word(b"invalid"),
    word(b"illegal"),
    word(b"malformed"),
    word(b"missing"),
    word(b"timeout"),
    word(b"abort"),
    word(b"aborted"),
    word(b"aborting"),
    word(b"killed"),
    word(b"crash"),
    word(b"crashed"),
    word(b"segfault"),
    word(b"segmentation"),
    word(b"overflow"),
    word(b"conflict"),
    word(b"conflicts"),
    word(b"broken"),
    word(b"wrong"),
    word(b"violation"),
    word(b"unsatisfied"),
    word(b"unsupported"),
    word(b"terminated"),
    word(b"corrupt"),
    word("✗".as_bytes()),
    word("✖".as_bytes()),
]);

/// The pairs of words that report a failure only together.
const PAIRS: [(u32, u32); 7] = [
    (word(b"not"), word(b"found")),
    (word(b"not"), word(b"ok")),
    (word(b"no"), word(b"such")),
    (word(b"timed"), word(b"out")),
    (word(b"caused"), word(b"by")),
    (word(b"could"), word(b"not")),
    (word(b"can"), word(b"not")),
];

/// A bit for each hash that may be a failure word. It avoids most searches in [`WORDS`].
const FILTER: [u64; 64] = {
    let mut filter = [0; 64];
    let mut at = 0;
    while at < WORDS.len() {
        filter[(WORDS[at] >> 6) as usize & 63] |= 1 << (WORDS[at] & 63);
        at += 1;
    }
    filter
};

/// A bit for each hash that may be the second word of a pair.
const SECONDS: u64 = {
    let (mut seconds, mut at) = (0, 0);
    while at < PAIRS.len() {
        seconds |= 1 << (PAIRS[at].1 & 63);
        at += 1;
    }
    seconds
};

pub(super) fn is_word(hash: u32) -> bool {
    FILTER[(hash >> 6) as usize & 63] >> (hash & 63) & 1 == 1 && WORDS.binary_search(&hash).is_ok()
}

/// Tells whether these letters are a failure word, in any case.
pub(super) fn is_word_of(letters: &[u8]) -> bool {
    is_word(small_word(letters))
}

pub(super) fn is_pair(one: u32, two: u32) -> bool {
    SECONDS >> (two & 63) & 1 == 1 && PAIRS.contains(&(one, two))
}

const fn sorted<const N: usize>(mut words: [u32; N]) -> [u32; N] {
    let mut end = N;
    while end > 1 {
        let mut at = 1;
        while at < end {
            if words[at - 1] > words[at] {
                (words[at - 1], words[at]) = (words[at], words[at - 1]);
            }
            at += 1;
        }
        end -= 1;
    }
    words
}
