//! Reads the value after a name, with or without quotes.

use std::ops::Range;

use super::context::{LONGEST, Window};
use super::runs::Class;

/// The value of a name.
pub(super) struct Value {
    pub(super) bytes: Range<usize>,
    pub(super) is_quoted: bool,
    /// The end of the value has not arrived yet.
    pub(super) goes_on: bool,
}

impl Window<'_> {
    /// Reads the value that begins at `at`. Returns `None` if more bytes are needed to begin.
    pub(super) fn read(&self, at: usize, is_markup: bool) -> Option<Value> {
        // `b'…'` is a string of Python. Source text of Rust has `let name = b"…"`.
        let is_mark = matches!(self.byte(at), Some(b'b' | b'u'));
        if is_mark && self.byte(at + 1).is_none() && !self.is_all {
            return None;
        }
        let is_mark = is_mark
            && match self.byte(at + 1) {
                Some(b'\'') => true,
                Some(b'"') => self.last(at) == Some(b'='),
                _ => false,
            };
        let at = if is_mark { at + 1 } else { at };
        let (open, goes_on) = self.run(at, |byte| byte == b'\\', 4);
        if goes_on {
            return None;
        }
        let quote = self.byte(open).filter(|byte| b"\"'`".contains(byte));
        if let Some(quote) = quote {
            // The closing quote has as many backslashes as the opening quote.
            let slashes = &self.text[at..open];
            let start = open + 1;
            let mut end = start;
            loop {
                let (stop, goes_on) = self.run(end, |byte| byte != quote && byte != b'\n', LONGEST);
                if goes_on {
                    return Some(Value { bytes: start..stop, is_quoted: true, goes_on: true });
                }
                end = stop;
                let before =
                    self.text[start..stop].iter().rev().take_while(|byte| **byte == b'\\').count();
                let is_escaped = self.byte(stop) == Some(quote) && before > slashes.len();
                // YAML and SQL double a quote to escape it.
                if quote == b'\'' && self.byte(stop) == Some(quote) && stop > start && !is_escaped {
                    match self.byte(stop + 1) {
                        None if !self.is_all => {
                            return Some(Value {
                                bytes: start..stop,
                                is_quoted: true,
                                goes_on: true,
                            });
                        }
                        Some(b'\'') if stop - start < LONGEST => {
                            end = stop + 2;
                            continue;
                        }
                        _ => {}
                    }
                }
                if !is_escaped || stop - start >= LONGEST {
                    let end = if self.byte(stop) == Some(quote) {
                        stop - before.min(slashes.len())
                    } else {
                        stop
                    };
                    return Some(Value {
                        bytes: start..end.max(start),
                        is_quoted: true,
                        goes_on: false,
                    });
                }
                end += 1;
            }
        }
        let class = if is_markup { Class::Markup } else { Class::Plain };
        let (end, goes_on) = self.class(at, class, LONGEST);
        Some(Value { bytes: at..end, is_quoted: false, goes_on })
    }
}
