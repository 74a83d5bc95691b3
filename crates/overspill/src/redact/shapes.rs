//! Finds secrets that are more than a run of characters after a beginning.

use super::context::{Found, LONGEST, Window};
use super::rules::is_mixed;
use super::runs::{Class, alphanumeric, dotted, hex, judged, word};
use super::value::{is_path, is_placeholder, is_random};

impl Window<'_> {
    /// Finds a JSON Web Token of three parts, or an encrypted one of five.
    pub(super) fn jwt(&self, at: usize) -> Found {
        let (mut end, mut lens) = (at, Vec::with_capacity(5));
        let (first_end, goes_on) = self.class(at, Class::Word, LONGEST);
        let (known, known_end) = self.runs.no_jwt.get();
        // The parts after the first one are the same as before.
        let is_refused = known == first_end && !goes_on;
        if is_refused {
            (end, lens) = (known_end, vec![first_end - at]);
        }
        while !is_refused && lens.len() < 5 {
            let (part_end, goes_on) = match lens.is_empty() {
                true => (first_end, goes_on),
                false => self.run(end, word, LONGEST),
            };
            if goes_on {
                return Found::Undecided(at);
            }
            lens.push(part_end - end);
            end = part_end;
            let next = self.byte(end + 1);
            if self.byte(end) != Some(b'.') {
                break;
            }
            if next.is_none() && !self.is_all {
                return Found::Undecided(at);
            }
            if !next.is_some_and(|byte| word(byte) || byte == b'.' && lens.len() == 1) {
                break;
            }
            end += 1;
        }
        let is_one = match lens[..] {
            [first, second, third] => first >= 10 && second >= 10 && third >= 16,
            [first, _, third, fourth, _] => first >= 10 && third >= 10 && fourth >= 10,
            _ => false,
        };
        if is_one {
            return Found::Secret { hold: at, bytes: at + 3..end };
        }
        self.runs.no_jwt.set((first_end, end));
        // A key of Grafana has one part.
        let is_grafana = self.text[at..end].starts_with(b"eyJrIjoi") && lens[0] >= 60;
        if is_grafana { Found::Secret { hold: at, bytes: at + 8..end } } else { Found::Nothing }
    }

    pub(super) fn crypt(&self, from: usize) -> Found {
        let of = |byte: u8| alphanumeric(byte) || b"./$=,+".contains(&byte);
        let (end, goes_on) = self.run(from, of, 256);
        if goes_on {
            return Found::Undecided(from);
        }
        let is_one = end - from >= 24 && is_mixed(&self.text[from..end]);
        if is_one { Found::secret(from..end) } else { Found::Nothing }
    }

    pub(super) fn azure(&self, at: usize, from: usize) -> Found {
        if !self.last(at).is_some_and(|byte| byte.is_ascii_digit()) {
            return Found::Nothing;
        }
        let (end, goes_on) = self.run(from, |byte| dotted(byte) || byte == b'~', 48);
        if goes_on {
            return Found::Undecided(from);
        }
        match (29..=40).contains(&(end - from)) && is_mixed(&self.text[from..end]) {
            true => Found::secret(from..end),
            false => Found::Nothing,
        }
    }

    pub(super) fn telegram(&self, at: usize) -> Found {
        let digits =
            self.line_before(at, 12).iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let (end, goes_on) = self.run(at + 1, word, 48);
        match (8..=10).contains(&digits) {
            true if goes_on => Found::Undecided(at),
            true if (33..=37).contains(&(end - at - 1)) => Found::secret(at + 1..end),
            _ => Found::Nothing,
        }
    }

    /// Finds a key of Mailchimp: 32 hexadecimal digits before a region such as `-us12`. The digits
    /// wait only if at least eight of them have arrived, see [`hex_tail`].
    pub(super) fn mailchimp(&self, at: usize) -> Found {
        let digits = self.text[at.saturating_sub(33)..at]
            .iter()
            .rev()
            .take_while(|byte| hex(**byte))
            .count();
        if digits != 32 {
            return Found::Nothing;
        }
        match self.begins(at, b"-us") {
            None => return Found::Undecided(at - 32),
            Some(false) => return Found::Nothing,
            Some(true) => {}
        }
        let (end, goes_on) = self.run(at + 3, |byte| byte.is_ascii_digit(), 3);
        match (1..=2).contains(&(end - at - 3)) {
            _ if goes_on => Found::Undecided(at - 32),
            true => Found::Secret { hold: at - 32, bytes: at - 32..at },
            false => Found::Nothing,
        }
    }

    /// Finds the token after the word `Bearer`.
    pub(super) fn scheme(&self, from: usize) -> Found {
        let (start, goes_on) = self.run(from, |byte| b" \t".contains(&byte), 8);
        if goes_on {
            return Found::Undecided(self.text.len());
        }
        if start == from {
            return Found::Nothing;
        }
        let (end, goes_on) =
            self.run(start, |byte| dotted(byte) || b"~+/".contains(&byte), LONGEST);
        if goes_on {
            return Found::Undecided(start);
        }
        let token = judged(&self.text[start..end]);
        match is_random(token, 16) && !is_path(token) && !is_placeholder(token) {
            true => Found::secret(start..end),
            false => Found::Nothing,
        }
    }
}
