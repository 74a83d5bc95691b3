//! Finds the end of runs of bytes of one class. Each byte of a run is read once, even if many rules
//! begin in it.

use std::cell::Cell;

use super::context::Window;

/// The number of first bytes by which a value is judged. Without this limit, the rest of a long
/// line would be judged again at each beginning of a rule in it.
pub(super) const JUDGED: usize = 256;

/// A class of bytes that form a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A value: all bytes except blanks, quotes, `;`, `&` and backslashes.
    Plain,
    /// A value in markup: all bytes except blanks and `<`.
    Markup,
    /// All bytes except blanks.
    Wide,
    Alphanumeric,
    Upper,
    UpperGroups,
    Lower,
    Hex,
    Word,
    Dotted,
    Base64,
    Dollars,
    Asana,
    Graphic,
    /// The path of an address.
    Path,
    /// The signature of an address.
    Signature,
    /// The value of a header, after its scheme.
    Credential,
    /// All bytes of a line.
    Line,
    /// The value of a `Cookie` header.
    Cookies,
    /// The value of a `Set-Cookie` header without its attributes.
    Cookie,
}

const CLASSES: usize = Class::Cookie as usize + 1;

impl Class {
    fn has(self) -> fn(u8) -> bool {
        match self {
            Class::Plain => |byte| shown(byte) && !b"\"'`;&\\".contains(&byte),
            Class::Markup => |byte| shown(byte) && byte != b'<',
            Class::Wide => shown,
            Class::Alphanumeric => alphanumeric,
            Class::Upper => upper,
            Class::UpperGroups => |byte| upper(byte) || byte == b'-',
            Class::Lower => |byte| byte.is_ascii_lowercase() || byte.is_ascii_digit(),
            Class::Hex => hex,
            Class::Word => word,
            Class::Dotted => dotted,
            Class::Base64 => |byte| alphanumeric(byte) || b"+/=_-".contains(&byte),
            Class::Dollars => |byte| alphanumeric(byte) || byte == b'$',
            Class::Asana => |byte| hex(byte) || b"/:".contains(&byte),
            Class::Graphic => |byte| byte.is_ascii_graphic() && !b"\"'`\\<".contains(&byte),
            Class::Path => |byte| alphanumeric(byte) || b"-_/@.%".contains(&byte),
            Class::Signature => |byte| alphanumeric(byte) || b"%+/=_~-".contains(&byte),
            Class::Credential => |byte| byte.is_ascii_graphic() && !b"\"'`\\,;<>)".contains(&byte),
            Class::Line => |byte| !b"\r\n".contains(&byte),
            Class::Cookies => cookies,
            Class::Cookie => |byte| cookies(byte) && byte != b';',
        }
    }
}

fn shown(byte: u8) -> bool {
    byte > b' ' && byte != 0x7f
}

pub(super) fn alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn upper(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

pub(super) fn hex(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}

pub(super) fn word(byte: u8) -> bool {
    alphanumeric(byte) || b"_-".contains(&byte)
}

pub(super) fn dotted(byte: u8) -> bool {
    word(byte) || b".=%".contains(&byte)
}

fn cookies(byte: u8) -> bool {
    byte >= b' ' && byte != 0x7f && !b"\"'\\".contains(&byte)
}

/// The facts that a search has found about the text. Each pair has the offset of a first byte and
/// the offset after the last byte.
#[derive(Debug, Default)]
pub(super) struct RunMemo {
    /// The last run of each class. Without it, a run would be read again for each beginning of a
    /// rule in it.
    runs: [Cell<(usize, usize)>; CLASSES],
    /// The last cookies without a session, for each of the two headers.
    dull_cookies: [Cell<(usize, usize)>; 2],
    /// The end of the first part, and the end, of the last text that is not a JSON Web Token.
    pub(super) no_jwt: Cell<(usize, usize)>,
}

#[cfg(test)]
thread_local! {
    /// The number of bytes that were read or judged.
    pub(super) static WORK: Cell<usize> = const { Cell::new(0) };
}

/// Counts bytes that are read or judged. Only tests count.
pub(super) fn count(_bytes: usize) {
    #[cfg(test)]
    WORK.with(|work| work.set(work.get() + _bytes));
}

/// Returns the part of a value by which it is judged.
pub(super) fn judged(text: &[u8]) -> &[u8] {
    let head = &text[..text.len().min(JUDGED)];
    count(head.len());
    head
}

impl Window<'_> {
    /// Returns the end of a run of this class, and whether later bytes may continue the run. A run
    /// has at most `most` bytes.
    pub(super) fn class(&self, from: usize, class: Class, most: usize) -> (usize, bool) {
        let known = &self.runs.runs[class as usize];
        if !(known.get().0..known.get().1).contains(&from) {
            let (has, rest) = (class.has(), self.text.get(from..).unwrap_or_default());
            let len = rest.iter().take_while(|byte| has(**byte)).count();
            count(len);
            known.set((from, from + len));
        }
        let end = known.get().1;
        match end - from >= most {
            true => (from + most, false),
            false => (end, end == self.text.len() && !self.is_all),
        }
    }

    /// Tells whether one of the cookies between `at` and `end` satisfies `is_session`. Cookies that
    /// were rejected before are not judged again.
    pub(super) fn has_session(
        &self,
        at: usize,
        end: usize,
        class: Class,
        is_session: impl Fn(&[u8]) -> bool,
    ) -> bool {
        let is_end = |byte: &u8| b";= ".contains(byte);
        let dull = &self.runs.dull_cookies[usize::from(class == Class::Cookie)];
        let (start, from) = match dull.get() {
            (start, known) if (start..known).contains(&at) => (start, known.min(end)),
            _ => (at, at),
        };
        let text = &self.text[from..end];
        count(text.len());
        if text.split(is_end).any(is_session) {
            return true;
        }
        // The last cookie may continue.
        let last = text.iter().rposition(is_end).map_or(from, |last| from + last + 1);
        dull.set((start, last));
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::Redaction;
    use super::super::rules::RULES;
    use super::WORK;

    #[test]
    fn every_rule_repeated_on_one_line_is_read_in_linear_time() {
        let units = RULES.iter().flat_map(|rule| {
            let after: &[&str] = match rule.is_name() {
                true => &["=", ":", ": a=", "=a;", ":\"a\\"],
                false => &["", "-", "a1.", " a"],
            };
            after.iter().map(|after| format!("{}{after}", rule.start))
        });
        let others = [
            "Cookie: a=",
            "Set-Cookie: a=b ",
            "Authorization: Digest ",
            "authorization:",
            "hooks.slack.com/services/",
            "https://a?x&sig=",
            "-----BEGIN PRIVATE KEY-----Comment: ",
            "---- BEGIN PRIVATE KEY ----Comment: ",
            "AccountKey=a&",
            "api_key=x\\",
            "<password>",
            "token:;",
            "token:(,",
        ];
        let redaction = Redaction::new(None).unwrap();
        let mut slow = Vec::new();
        for unit in units.chain(others.map(str::to_owned)) {
            let count = (8 << 10) / unit.len();
            WORK.set(0);
            redaction.text(&unit.repeat(count));
            // This includes the text around each position. A value has up to 4096 bytes.
            let each = WORK.get() / count;
            if each > 2000 {
                slow.push(format!("{unit}: {each} bytes"));
            }
        }
        assert!(slow.is_empty(), "{} are slow\n{}", slow.len(), slow.join("\n"));
    }
}
