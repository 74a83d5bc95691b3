//! Reads one JSON value, the payload of a hook, from standard input.

use std::io::Read;

use serde_json::Value;

use overspill::core::internal::json::JsonTokens;

/// The size of the largest input that is parsed, in bytes. Hosts put larger results into files.
const LARGEST_INPUT: usize = 32 << 20;
/// The largest number of levels that are parsed. Deeper values become text: serde refuses more than
/// 127 levels.
const DEEPEST: usize = 100;

/// Reads until the value is complete: a host may leave its end of the pipe open.
///
/// Input that is too large is read to its end, so that the host can write all of it.
pub(super) fn read(mut from: impl Read) -> Result<Value, String> {
    let (mut held, mut total) = (Vec::new(), 0);
    let (mut tokens, mut chunk) = (JsonTokens::default(), vec![0; 64 << 10]);
    while !tokens.is_done() {
        let len = match from.read(&mut chunk) {
            Ok(0) if total == 0 => return Err("there is no input".into()),
            Ok(0) => return Err("the input ends before it is complete".into()),
            Ok(len) => len,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(format!("the input cannot be read: {error}")),
        };
        total += len;
        let mut rest = &chunk[..len];
        while !rest.is_empty() {
            let taken = tokens.next(rest).map_err(|_| "the input is not JSON")?.1;
            rest = &rest[taken..];
        }
        if total <= LARGEST_INPUT {
            held.extend_from_slice(&chunk[..len]);
        } else {
            held = Vec::new();
        }
    }
    if total > LARGEST_INPUT {
        return Err(format!("the input is larger than {} MiB", LARGEST_INPUT >> 20));
    }
    parse(&held)
}

/// Parses JSON, also JSON that serde refuses and hosts write: half of a surrogate pair, invalid UTF-8, or
/// values that are nested too deep. Without this a tool could get its result past the limit and the mask.
fn parse(json: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(json)
        .or_else(|_| serde_json::from_str(&repair(&String::from_utf8_lossy(json))))
        .map_err(|error| format!("the input is not JSON: {error}"))
}

/// Replaces half surrogate pairs by U+FFFD, and values below [`DEEPEST`] levels by their text.
fn repair(json: &str) -> String {
    let bytes = json.as_bytes();
    let (mut repaired, mut depth, mut at) = (String::with_capacity(json.len()), 0_usize, 0);
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        match byte {
            b'"' => {
                at = string_end(bytes, at);
                repair_string(&json[start..at], &mut repaired);
                continue;
            }
            b'[' | b'{' if depth == DEEPEST => {
                at = value_end(bytes, at);
                repaired.push_str(&Value::from(&json[start..at]).to_string());
                continue;
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
        repaired.push(char::from(byte));
    }
    repaired
}

/// Returns the index after the string that begins at `at`.
fn string_end(json: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while let Some(&byte) = json.get(end) {
        match byte {
            b'"' => return end + 1,
            b'\\' => end += 2,
            _ => end += 1,
        }
    }
    json.len()
}

/// Returns the index after the list or object that begins at `at`.
fn value_end(json: &[u8], at: usize) -> usize {
    let (mut depth, mut end) = (0_usize, at);
    while let Some(&byte) = json.get(end) {
        match byte {
            b'"' => {
                end = string_end(json, end);
                continue;
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' if depth == 1 => return end + 1,
            b']' | b'}' => depth -= 1,
            _ => {}
        }
        end += 1;
    }
    json.len()
}

/// Copies a string with its quotes. Replaces the escape of half a surrogate pair by that of U+FFFD.
fn repair_string(string: &str, repaired: &mut String) {
    let unit = |at: usize| {
        let digits = string.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = string.get(at..).and_then(|rest| rest.find('\\')) {
        at += found;
        let low = unit(at + 6).filter(|low| (0xdc00..0xe000).contains(low));
        match unit(at) {
            Some(0xd800..0xdc00) if low.is_some() => at += 12,
            Some(0xd800..0xe000) => {
                repaired.push_str(&string[copied..at]);
                repaired.push_str("\\ufffd");
                at += 6;
                copied = at;
            }
            _ => at += 2,
        }
    }
    repaired.push_str(&string[copied..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that gives one byte at a time, and panics if it is asked for a byte after the last
    /// one.
    struct Open<'a>(&'a [u8]);

    impl Read for Open<'_> {
        fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
            let (first, rest) = self.0.split_first().expect("asked for more than one value");
            (to[0], self.0) = (*first, rest);
            Ok(1)
        }
    }

    #[test]
    fn reading_ends_with_the_value() {
        let read = |text: &str| read(Open(text.as_bytes())).unwrap();
        assert_eq!(read(r#" {"a":"}","b":[1,"\""]}"#)["b"][0], 1);
        assert_eq!(read(r#""x""#), "x");
    }

    #[test]
    fn half_surrogate_pair_is_replaced() {
        for (json, expected) in [
            (r#""\ud800 x""#, "\u{fffd} x"),
            (r#""\udc00\ud800""#, "\u{fffd}\u{fffd}"),
            (r#""\\ud800 \ud83d\ude00 \ud83d""#, "\\ud800 \u{1f600} \u{fffd}"),
        ] {
            assert_eq!(read(json.as_bytes()).unwrap(), expected, "{json}");
        }
        assert_eq!(read(&b"[\"a\xff\"]"[..]).unwrap()[0], "a\u{fffd}");
    }

    #[test]
    fn value_nested_too_deep_becomes_text() {
        let deep = format!("{}{}{}", "[".repeat(3_000), r#""sec]ret""#, "]".repeat(3_000));
        let value = read(format!(r#"{{"a":{deep},"b":"\ud800"}}"#).as_bytes()).unwrap();
        assert_eq!(value["b"], "\u{fffd}");
        let mut inner = &value["a"];
        while let Value::Array(list) = inner {
            inner = &list[0];
        }
        assert!(inner.as_str().unwrap().contains(r#""sec]ret""#), "{inner}");
    }

    #[test]
    fn hook_input_that_is_no_value_is_an_error() {
        let read = |text: &str| read(text.as_bytes()).unwrap_err();
        assert_eq!(read(""), "there is no input");
        assert_eq!(read("{\"a\":"), "the input ends before it is complete");
        assert_eq!(read("}"), "the input is not JSON");
        let huge = format!("[\"{}\"]", "x".repeat(LARGEST_INPUT));
        assert_eq!(read(&huge), "the input is larger than 32 MiB");
    }
}
