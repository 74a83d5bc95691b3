//! Reads and prints numbers with units: limits, sizes and durations. Settings and options share
//! these functions.

use std::time::Duration;

use jiff::SignedDuration;
use overspill::Limit;

/// The units of a size, in bytes. Upper and lower case make no difference: `50k` and `50kb` are common.
#[rustfmt::skip]
const SIZES: &[(&str, u64)] = &[
    ("", 1), ("B", 1), ("K", 1 << 10), ("KiB", 1 << 10), ("M", 1 << 20), ("MiB", 1 << 20), ("G", 1 << 30), ("GiB", 1 << 30),
    ("KB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000),
];

/// The units of a duration, in milliseconds.
#[rustfmt::skip]
const TIMES: &[(&str, u64)] = &[
    ("ms", 1), ("s", 1_000), ("m", 60_000), ("min", 60_000), ("h", 3_600_000), ("d", 86_400_000), ("w", 604_800_000),
];

/// Reads a number, a size such as `50KiB`, or `none`.
pub(crate) fn parse_limit(text: &str) -> Option<Limit> {
    if text == "none" {
        return Some(Limit::Unlimited);
    }
    let (number, scale) = split(text, SIZES)?;
    number.parse::<u64>().ok()?.checked_mul(scale).map(Limit::AtMost)
}

/// Reads a duration such as `90s`, `10m`, `1.5h` or `7d`.
///
/// The unit is required: `retention = 7` would remove outputs after seven seconds.
pub(crate) fn parse_duration(text: &str) -> Option<Duration> {
    let (number, scale) = split(text, TIMES)?;
    match number.parse::<u64>() {
        Ok(number) => number.checked_mul(scale).map(Duration::from_millis),
        Err(_) => {
            let number = number.parse::<f64>().ok()?;
            Duration::try_from_secs_f64(number * scale as f64 / 1_000.0).ok()
        }
    }
}

/// Splits a text into its number and the factor of its unit. Blanks can stand between them.
fn split<'a>(text: &'a str, units: &[(&str, u64)]) -> Option<(&'a str, u64)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = unit.trim_start();
    let (_, scale) = units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?;
    Some((number, *scale))
}

/// Returns a number of bytes in the largest unit that divides it.
pub(super) fn size_text(bytes: u64) -> String {
    let is_binary = |(unit, _): &&(&str, u64)| unit.ends_with("iB");
    match largest(SIZES.iter().filter(is_binary), bytes) {
        Some((unit, scale)) if bytes > 0 => format!("{}{unit}", bytes / scale),
        _ => bytes.to_string(),
    }
}

/// Returns a duration in the largest unit that divides it, up to days.
pub(super) fn duration_text(duration: SignedDuration) -> String {
    let millis = u64::try_from(duration.as_millis().unsigned_abs()).unwrap_or(u64::MAX);
    let is_shown = |(unit, _): &&(&str, u64)| !["min", "w"].contains(unit);
    match largest(TIMES.iter().filter(is_shown), millis) {
        Some((unit, scale)) => format!("{}{unit}", millis / scale),
        None => format!("{millis}ms"),
    }
}

/// Returns the largest unit that divides a number.
fn largest<'a>(
    units: impl DoubleEndedIterator<Item = &'a (&'a str, u64)>,
    number: u64,
) -> Option<(&'a str, u64)> {
    units.rev().find(|(_, scale)| number.is_multiple_of(*scale)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_is_a_number_a_size_or_none() {
        assert_eq!(parse_limit("0"), Some(Limit::AtMost(0)));
        assert_eq!(parse_limit("50KiB"), Some(Limit::AtMost(51_200)));
        assert_eq!(parse_limit("50 kB"), Some(Limit::AtMost(50_000)));
        for (text, expected) in
            [("50k", 51_200), ("50kb", 50_000), ("1m", 1 << 20), ("2gib", 2 << 30), ("7b", 7)]
        {
            assert_eq!(parse_limit(text), Some(Limit::AtMost(expected)), "{text}");
        }
        assert_eq!(parse_limit("none"), Some(Limit::Unlimited));
        for bad in ["", " ", "-1", "+1", "1.5", "KiB", "1 XB", "1e3", "20000000000GiB", "١"] {
            assert_eq!(parse_limit(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn duration_is_a_number_and_a_unit() {
        for (text, millis) in [
            ("250ms", 250),
            ("0d", 0),
            ("90s", 90_000),
            ("10m", 600_000),
            ("10min", 600_000),
            ("1.5h", 5_400_000),
            ("1.5d", 129_600_000),
            ("7d", 604_800_000),
            ("7 d", 604_800_000),
            ("2w", 1_209_600_000),
        ] {
            assert_eq!(parse_duration(text), Some(Duration::from_millis(millis)), "{text}");
        }
        for bad in
            ["", "7", "s", ".s", "-1s", "1e3s", "1 y", "1h30m", "99999999999999999w", "1..5s"]
        {
            assert_eq!(parse_duration(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn texts_use_the_largest_unit_that_divides() {
        assert_eq!(size_text(1 << 20), "1MiB");
        assert_eq!(size_text(1_000), "1000");
        assert_eq!(size_text(0), "0");
        let text = |text: &str| duration_text(parse_duration(text).unwrap().try_into().unwrap());
        assert_eq!(text("2w"), "14d");
        assert_eq!(text("90m"), "90m");
        assert_eq!(text("1500ms"), "1500ms");
        assert_eq!(text("0s"), "0d");
    }
}
