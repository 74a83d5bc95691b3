//! Shares one budget among several results.

use crate::{Limits, Size};

/// Shares `limit` out fairly: a small size gets all it needs, and large sizes split the rest evenly
/// (max-min fairness). The shares never add up to more than `limit`.
///
/// ```
/// use overspill_core::internal::share;
///
/// assert_eq!(share(&[10, 500, 20, 900], 230), [10, 100, 20, 100]);
/// assert_eq!(share(&[10, 20], 230), [10, 20]);
/// ```
pub fn share(sizes: &[u64], limit: u64) -> Vec<u64> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&index| sizes[index]);
    let mut shares = vec![0; sizes.len()];
    let mut left = limit;
    for (done, &index) in order.iter().enumerate() {
        let even = left / (sizes.len() - done) as u64;
        shares[index] = sizes[index].min(even);
        left -= shares[index];
    }
    shares
}

/// Shares one set of limits among the results of a turn, each unit separately.
///
/// A result that is smaller than its share stays whole. `None` stays unlimited. The size in tokens
/// is taken to be the number of bytes, which is the largest that it can be.
pub fn share_limits(sizes: &[Size], limits: &Limits) -> Vec<Limits> {
    let by = |unit: fn(&Size) -> u64, limit: Option<u64>| -> Vec<Option<u64>> {
        let Some(limit) = limit else { return vec![None; sizes.len()] };
        let wanted: Vec<u64> = sizes.iter().map(unit).collect();
        share(&wanted, limit).into_iter().map(Some).collect()
    };
    let bytes = by(|size| size.bytes, limits.bytes);
    let lines = by(|size| size.lines, limits.lines);
    let chars = by(|size| size.chars, limits.chars);
    let tokens = by(|size| size.bytes, limits.tokens);
    (0..sizes.len())
        .map(|i| Limits { bytes: bytes[i], lines: lines[i], chars: chars[i], tokens: tokens[i] })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn shares_are_fair_and_within_the_limit(
            sizes in proptest::collection::vec(0u64..1000, 0..8),
            limit in 0u64..4000,
        ) {
            let shares = share(&sizes, limit);
            let sum: u64 = shares.iter().sum();
            assert!(sum <= limit);
            // Only a remainder that cannot be split evenly is left over.
            let wanted: u64 = sizes.iter().sum();
            assert!(sum >= wanted.min(limit.saturating_sub(sizes.len() as u64)));
            // A result that got less than it needs got as much as any other, up to the remainder.
            let most = shares.iter().max().copied().unwrap_or(0);
            for (share, size) in shares.iter().zip(&sizes) {
                assert!(share == size || share + sizes.len() as u64 >= most, "{shares:?}");
            }
        }
    }
}
