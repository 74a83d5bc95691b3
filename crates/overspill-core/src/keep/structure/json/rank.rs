//! Ranks the values of a JSON text. A value with a low rank is shown first.
//!
//! The root has rank 0, and each step away from the root adds to the rank. The first and the last
//! items of an array add little, the items between them add more. A value that reports a failure
//! adds little at any place. The outline shows the values up to some rank, so a value is never
//! shown without its parent, and more is shown of values with a low rank.

use super::tree::{Node, NodeKind, NodeMark};

/// The number that a doubled distance adds to the rank.
pub(super) const DOUBLE: u32 = 16;

/// The number that an array or an object adds to the rank. Its first value adds nothing, so that
/// an array or an object is never shown without a value.
const LEVEL: u32 = 4;

/// An object with more members than this counts as a table, so that later members get a higher
/// rank.
const MEMBERS: u64 = 24;

/// The number of bytes of a string that are shown at the rank of the string. Each [`DOUBLE`] above
/// that rank shows twice as many.
const TEXT: u64 = 64;

/// Returns the number that a value adds to the rank of its parent, which has `count` values.
pub(super) fn step(node: &Node, parent: NodeKind, count: u64) -> u32 {
    let after = count.saturating_sub(node.index + 1);
    let before = match parent {
        NodeKind::Object if count <= MEMBERS => 0,
        NodeKind::Object => node.index / 8,
        NodeKind::Array | NodeKind::Text | NodeKind::Bare => node.index / 2,
    };
    // If a value is nearer to the start, its distance to the end does not matter.
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

/// Returns the number of bytes that are shown of a string of rank `rank` if ranks up to `bar` are
/// shown.
pub(super) fn room(rank: u32, bar: u32) -> u64 {
    let slack = bar.saturating_sub(rank);
    let (doublings, part) = (slack / DOUBLE, u64::from(slack % DOUBLE));
    (TEXT + TEXT * part / u64::from(DOUBLE)) << doublings.min(40)
}

/// Returns how much higher than the rank of a string the bar must be to show `bytes` of the string.
pub(super) fn slack(bytes: u64) -> u32 {
    log2(bytes / TEXT) + DOUBLE
}

/// Returns the binary logarithm of `n + 1`, multiplied by [`DOUBLE`].
pub(crate) fn log2(n: u64) -> u32 {
    let n = n.saturating_add(1);
    if n < 1 << 52 {
        // The exponent of a floating-point number and the first four bits of its mantissa.
        return ((n as i64 as f64).to_bits() >> 48) as u32 - 1023 * DOUBLE;
    }
    let whole = n.ilog2();
    whole * DOUBLE + ((n >> (whole - 4)) as u32 & 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_and_room_follow_each_doubling() {
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
