//! One JSON value from standard input.

use std::io::Read;

use serde_json::Value;

use overspill::core::internal::json::JsonTokens;

/// The largest input that is held. Hosts put larger results into files.
const MOST: usize = 32 << 20;

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
        if total <= MOST {
            held.extend_from_slice(&chunk[..len]);
        } else {
            held = Vec::new();
        }
    }
    if total > MOST {
        return Err(format!("the input is larger than {} MiB", MOST >> 20));
    }
    serde_json::from_slice(&held).map_err(|error| format!("the input is not JSON: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time, and nobody may ask for more than there is.
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
    fn what_is_no_value_is_said() {
        let read = |text: &str| read(text.as_bytes()).unwrap_err();
        assert_eq!(read(""), "there is no input");
        assert_eq!(read("{\"a\":"), "the input ends before it is complete");
        assert_eq!(read("}"), "the input is not JSON");
        let huge = format!("[\"{}\"]", "x".repeat(MOST));
        assert_eq!(read(&huge), "the input is larger than 32 MiB");
    }
}
