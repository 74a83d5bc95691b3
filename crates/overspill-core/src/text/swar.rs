//! Compares eight bytes at once, as one number (SIMD within a register).

/// One in the highest bit of each byte.
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Returns the highest bit of each byte that is one of `first..=last`, which are ASCII.
#[inline(always)]
pub(crate) fn within(bytes: u64, first: u8, last: u8) -> u64 {
    let low = bytes & !HIGH;
    // The sum sets the highest bit of a byte, and never reaches the next byte, if the byte is large
    // enough.
    let from_first = low + u64::from_ne_bytes([0x80 - first; 8]);
    let beyond_last = low + u64::from_ne_bytes([0x80 - last - 1; 8]);
    from_first & !beyond_last & !bytes & HIGH
}

/// Returns the highest bit of each byte that is not ASCII.
#[inline(always)]
pub(crate) fn wide(bytes: u64) -> u64 {
    bytes & HIGH
}

/// Returns the highest bits that are not among `bits`.
#[inline(always)]
pub(crate) fn others(bits: u64) -> u64 {
    !bits & HIGH
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_byte_is_classified_independently(bytes: [u8; 8], first in 0..128u8, more in 0..128u8) {
            let last = first.saturating_add(more).min(127);
            let bits = |is: &dyn Fn(u8) -> bool| u64::from_le_bytes(bytes.map(|byte| u8::from(is(byte)) << 7));
            let number = u64::from_le_bytes(bytes);
            prop_assert_eq!(within(number, first, last), bits(&|byte| (first..=last).contains(&byte)));
            prop_assert_eq!(wide(number), bits(&|byte| byte >= 0x80));
            prop_assert_eq!(others(wide(number)), bits(&|byte| byte < 0x80));
        }
    }
}
