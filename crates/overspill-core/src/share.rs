//! One budget for several results.

use crate::{Limits, Size};

/// Shares `limit` out fairly: what is small gets all it needs, the rest is split evenly among what
/// is large (max-min fairness). The shares never add up to more than `limit`.
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

/// Shares one set of limits out among the results of a turn, each unit for itself.
///
/// A result that is smaller than its share keeps what it has, so it stays whole; `None` stays
/// unlimited. Of tokens a result is taken to want as many as it has bytes, the most it can have.
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
        fn shares_are_fair_and_spend_no_more_than_there_is(
            sizes in proptest::collection::vec(0u64..1000, 0..8),
            limit in 0u64..4000,
        ) {
            let shares = share(&sizes, limit);
            let sum: u64 = shares.iter().sum();
            assert!(sum <= limit);
            // Nothing is wasted but what cannot be split evenly.
            let wanted: u64 = sizes.iter().sum();
            assert!(sum >= wanted.min(limit.saturating_sub(sizes.len() as u64)));
            // Who got less than it wanted got as much as anybody, but for the remainder.
            let most = shares.iter().max().copied().unwrap_or(0);
            for (share, size) in shares.iter().zip(&sizes) {
                assert!(share == size || share + sizes.len() as u64 >= most, "{shares:?}");
            }
        }
    }
}
