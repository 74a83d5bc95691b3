//! How far a value is from what one looks at first.
//!
//! The root has rank 0, and each step away from it adds something: the first items of an array are
//! near, the later the further, and so are the last ones; what went wrong is near wherever it
//! stands. What is shown are the values up to some rank, so nothing is ever shown without what it
//! is part of, and of an item that is near more is shown than of one that is far.

use super::tree::{Node, NodeKind, NodeMark};

/// Twice as far.
pub(super) const DOUBLE: u32 = 16;

/// What an array or an object adds. What is first in it adds nothing, so that nothing is shown of
/// which nothing is shown.
const LEVEL: u32 = 4;

/// An object with more members than this is a table of things, and far members are far.
const MEMBERS: u64 = 24;

/// What a string shows of itself at its own rank, in bytes; with each doubling, twice as much.
const TEXT: u64 = 64;

/// Returns what a value adds to the rank of its parent, which has `count` values.
pub(super) fn step(node: &Node, parent: NodeKind, count: u64) -> u32 {
    let after = count.saturating_sub(node.index + 1);
    let before = match parent {
        NodeKind::Object if count <= MEMBERS => 0,
        NodeKind::Object => node.index / 8,
        NodeKind::Array | NodeKind::Text | NodeKind::Bare => node.index / 2,
    };
    // What is not further from the start need not be asked how far it is from the end.
    let nearest = if before <= after { log2(before) } else { log2(before).min(8 + log2(after)) };
    let marked = match node.mark {
        NodeMark::None => u32::MAX,
        NodeMark::Failed => log2(node.failed_before) / 2,
        NodeMark::Differs(before) => 8 + log2(u64::from(before)) / 2,
    };
    let level = match node.kind {
        NodeKind::Array | NodeKind::Object => LEVEL,
        NodeKind::Text | NodeKind::Bare => 0,
    };
    level + nearest.min(marked)
}

/// Returns how many bytes of a string of rank `rank` are shown where ranks up to `bar` are.
pub(super) fn room(rank: u32, bar: u32) -> u64 {
    let slack = bar.saturating_sub(rank);
    let (doublings, part) = (slack / DOUBLE, u64::from(slack % DOUBLE));
    (TEXT + TEXT * part / u64::from(DOUBLE)) << doublings.min(40)
}

/// Returns how far beyond its rank one must go to see `bytes` of a string.
pub(super) fn slack(bytes: u64) -> u32 {
    log2(bytes / TEXT) + DOUBLE
}

/// Returns the logarithm of `n + 1`, as [`DOUBLE`] counts it.
pub(crate) fn log2(n: u64) -> u32 {
    let n = n.saturating_add(1);
    if n < 1 << 52 {
        // The exponent of a floating-point number, and the first four bits behind its point.
        return ((n as i64 as f64).to_bits() >> 48) as u32 - 1023 * DOUBLE;
    }
    let whole = n.ilog2();
    whole * DOUBLE + ((n >> (whole - 4)) as u32 & 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doubling_is_a_doubling() {
        assert_eq!([0, 1, 2, 3, 7, 1023].map(log2), [0, 16, 24, 32, 48, 160]);
        assert_eq!(log2(u64::MAX), 63 * DOUBLE + 15);
        assert_eq!(
            [51, 52, 53].map(|power| log2((1 << power) - 1)),
            [51, 52, 53].map(|n| n * DOUBLE)
        );
        assert_eq!([16, 17, 30, 31, 62].map(log2), [65, 66, 79, 80, 95]);
        assert_eq!([0, 8, 16, 32].map(|bar| room(0, bar)), [64, 96, 128, 256]);
        for bytes in [0, 1, 64, 100, 5000, 1 << 30] {
            assert!(room(7, 7 + slack(bytes)) >= bytes, "{bytes}");
        }
    }
}
