//! What secrets look like: a beginning that nothing else has, and how it goes on.

use std::ops::{Range, RangeInclusive};

/// The longest run of letters that is looked for.
const LONGEST: usize = 4 << 10;
/// The longest private key that is looked for.
const LONGEST_KEY: usize = 16 << 10;
/// From where a secret begins, it is known within so many bytes.
pub(super) const REACH: usize = LONGEST_KEY + 128;
/// So much of what stands before a secret is looked at: a written colour, at the longest.
pub(super) const BEFORE: usize = 32;

/// What stands where a secret may begin.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// These bytes are secret.
    Secret(Range<usize>),
    /// None.
    Nothing,
    /// What comes next decides.
    Undecided,
}

/// What has come of an output.
#[derive(Debug, Clone, Copy)]
pub(super) struct Came<'a> {
    pub(super) text: &'a [u8],
    /// The end of what stood before it.
    pub(super) before: &'a [u8],
    /// Where in the text something is left out that a terminal does not show.
    pub(super) gaps: &'a [usize],
    /// Nothing comes after it.
    pub(super) is_all: bool,
}

/// One kind of secret.
pub(super) struct Rule {
    /// How it begins.
    pub(super) start: &'static str,
    /// How it goes on.
    then: Then,
}

enum Then {
    /// At least, and at most, so many of these, and what tells them from a word; the beginning
    /// itself stays.
    Token(fn(u8) -> bool, usize, usize, fn(&[u8]) -> bool),
    /// A name and a password, up to `@`.
    Login,
    /// Three parts with dots between them.
    Jwt,
    /// Quotes, a colon or `=`, and then so many of these.
    Value(fn(u8) -> bool, usize),
    /// What stands between the two marks of a private key.
    Key,
}

const fn token(start: &'static str, of: fn(u8) -> bool, least: usize, most: usize) -> Rule {
    Rule { start, then: Then::Token(of, least, most, has_number) }
}

/// A beginning that no word has: small and capital letters do for what comes after it.
const fn letters(start: &'static str, least: usize, most: usize) -> Rule {
    Rule { start, then: Then::Token(alphanumeric, least, most, is_mixed) }
}

fn has_number(token: &[u8]) -> bool {
    token.iter().any(u8::is_ascii_digit)
}

fn is_mixed(token: &[u8]) -> bool {
    let has_both =
        token.iter().any(u8::is_ascii_lowercase) && token.iter().any(u8::is_ascii_uppercase);
    has_both || has_number(token)
}

fn alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn upper(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

fn bearer(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._~+/-=".contains(&byte)
}

fn base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)
}

/// Of AWS, GitHub, GitLab, Slack, Google, Anthropic, OpenAI, Stripe, npm, PyPI, Hugging Face,
/// DigitalOcean and SendGrid; then what any service may use.
pub(super) const RULES: &[Rule] = &[
    token("AKIA", upper, 16, 16),
    token("ASIA", upper, 16, 16),
    Rule { start: "aws_secret_access_key", then: Then::Value(base64, 40) },
    Rule { start: "AWS_SECRET_ACCESS_KEY", then: Then::Value(base64, 40) },
    Rule { start: "SecretAccessKey", then: Then::Value(base64, 40) },
    letters("ghp_", 36, 255),
    letters("gho_", 36, 255),
    letters("ghu_", 36, 255),
    letters("ghs_", 36, 255),
    letters("ghr_", 36, 255),
    token("github_pat_", word, 50, 255),
    token("glpat-", word, 20, 255),
    token("xoxb-", word, 20, 255),
    token("xoxp-", word, 20, 255),
    token("xoxa-", word, 20, 255),
    token("xoxr-", word, 20, 255),
    token("xoxs-", word, 20, 255),
    token("AIza", word, 35, 35),
    token("sk-ant-", word, 20, 255),
    token("sk-proj-", word, 20, 255),
    token("sk-", alphanumeric, 32, 255),
    token("sk_live_", alphanumeric, 20, 255),
    token("rk_live_", alphanumeric, 20, 255),
    letters("npm_", 36, 36),
    token("pypi-AgEI", word, 50, 1024),
    letters("hf_", 34, 255),
    token("dop_v1_", alphanumeric, 64, 64),
    token("SG.", bearer, 60, 100),
    token("Bearer ", bearer, 20, LONGEST),
    token("bearer ", bearer, 20, LONGEST),
    token("BEARER ", bearer, 20, LONGEST),
    Rule { start: "eyJ", then: Then::Jwt },
    Rule { start: "://", then: Then::Login },
    Rule { start: "-----BEGIN", then: Then::Key },
];

impl Rule {
    /// Says what stands at `at`, where the beginning is.
    pub(super) fn look(&self, came: Came, at: usize) -> Found {
        let from = at + self.start.len();
        let begins_with_word = self.start.as_bytes()[0].is_ascii_alphanumeric();
        if begins_with_word && came.is_inside_word(at) {
            return Found::Nothing;
        }
        match self.then {
            Then::Token(of, least, most, tells) => came.token(from, of, least..=most, tells),
            Then::Value(of, count) => came.value(from, of, count),
            Then::Jwt => came.jwt(at),
            Then::Login => came.login(from),
            Then::Key => came.key(from),
        }
    }
}

impl Came<'_> {
    /// Tells whether a word goes on at `at`; an escape is no part of one.
    fn is_inside_word(&self, at: usize) -> bool {
        let last = at.checked_sub(1).map_or(self.before.last(), |at| self.text.get(at));
        if !last.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
            return false;
        }
        if self.gaps.binary_search(&at).is_ok() {
            return false;
        }
        let near = &self.text[at.saturating_sub(BEFORE)..at];
        match near.len() < BEFORE {
            true => !ends_with_escape(&[self.before, near].concat()),
            false => !ends_with_escape(near),
        }
    }

    /// Returns where a run of such bytes ends, and whether it may go on with what comes next.
    fn run(&self, from: usize, of: impl Fn(u8) -> bool, most: usize) -> (usize, bool) {
        let rest = &self.text[from..];
        let len = rest.iter().take(most).take_while(|byte| of(**byte)).count();
        (from + len, len < most && len == rest.len() && !self.is_all)
    }

    fn token(
        &self,
        from: usize,
        of: fn(u8) -> bool,
        len: RangeInclusive<usize>,
        tells: fn(&[u8]) -> bool,
    ) -> Found {
        let (end, goes_on) = self.run(from, of, len.end() + 1);
        if goes_on {
            return Found::Undecided;
        }
        let is_one = len.contains(&(end - from)) && tells(&self.text[from..end]);
        if is_one { Found::Secret(from..end) } else { Found::Nothing }
    }

    fn value(&self, from: usize, of: fn(u8) -> bool, count: usize) -> Found {
        // Where JSON stands within JSON, quotes have a backslash.
        let (value, goes_on) = self.run(from, |byte| b"\"'=: \t\\".contains(&byte), 8);
        if goes_on {
            return Found::Undecided;
        }
        let (end, goes_on) = self.run(value, of, count + 1);
        match value > from {
            true if goes_on => Found::Undecided,
            true if end - value == count => Found::Secret(value..end),
            _ => Found::Nothing,
        }
    }

    fn jwt(&self, at: usize) -> Found {
        let mut end = at;
        for part in 0..3 {
            let (part_end, goes_on) = self.run(end, word, LONGEST);
            if goes_on {
                return Found::Undecided;
            }
            let least = [10, 10, 16][part];
            let dot = self.text.get(part_end) == Some(&b'.');
            if part_end - end < least || (part < 2 && !dot) {
                return Found::Nothing;
            }
            end = part_end + usize::from(part < 2);
        }
        Found::Secret(at + 3..end)
    }

    /// Finds the password of `user:password@host`.
    fn login(&self, from: usize) -> Found {
        let part = |byte: u8| byte.is_ascii_graphic() && !b"/@:\"'<>`".contains(&byte);
        let (colon, goes_on) = self.run(from, part, 256);
        if goes_on {
            return Found::Undecided;
        }
        if self.text.get(colon) != Some(&b':') {
            return Found::Nothing;
        }
        let (end, goes_on) = self.run(colon + 1, |byte| part(byte) || byte == b':', 256);
        if goes_on {
            return Found::Undecided;
        }
        let password = &self.text[colon + 1..end];
        // `$PASSWORD` and `***` are none.
        let is_one = !password.iter().all(|byte| b"*x$".contains(byte));
        let is_name = password.first().is_some_and(|byte| b"${".contains(byte));
        match is_one && !is_name && self.text.get(end) == Some(&b'@') {
            true => Found::Secret(colon + 1..end),
            false => Found::Nothing,
        }
    }

    /// Finds a private key, which ends with its own mark. Without one within reach, as in the first
    /// lines of a key, it is what looks like one: source text names the marks, too.
    fn key(&self, from: usize) -> Found {
        const END: &[u8] = b"-----END";
        let (mark_end, goes_on) = self.run(from, |byte| byte != b'\n', 64);
        let mark = &self.text[from..mark_end];
        let private = ["PRIVATE KEY-----", "PRIVATE KEY BLOCK-----"].iter().find_map(|words| {
            Some(from + memchr::memmem::find(mark, words.as_bytes())? + words.len())
        });
        let Some(body) = private else {
            return if goes_on { Found::Undecided } else { Found::Nothing };
        };
        let reach = self.text.len().min(body + LONGEST_KEY);
        if let Some(len) = memchr::memmem::find(&self.text[body..reach], END) {
            return Found::Secret(body..body + len);
        }
        if reach < body + LONGEST_KEY && !self.is_all {
            return Found::Undecided;
        }
        match body_len(&self.text[body..reach]) {
            0 => Found::Nothing,
            len => Found::Secret(body..body + len),
        }
    }
}

/// Tells whether the last letter or digit belongs to an escape that is written out: of JSON and of
/// source text (`\n`, `\u00e9`, `\x1b`, `\033`), of an address (`%3D`), or a colour in one of them.
fn ends_with_escape(text: &[u8]) -> bool {
    let hex = |byte: &u8| byte.is_ascii_hexdigit();
    if ends(text, b"\\", 1, |byte| b"abefnrtv0".contains(byte))
        || ends(text, b"\\u", 4, hex)
        || ends(text, b"\\x", 2, hex)
        || ends(text, b"\\", 3, |byte| (b'0'..b'8').contains(byte))
        || ends(text, b"%", 2, hex)
    {
        return true;
    }
    let parameters = text.iter().rev().skip(1).take_while(|byte| b"0123456789;".contains(byte));
    let colour = text.len().saturating_sub(parameters.count() + 1);
    let ways: [&[u8]; 6] = [b"\\u001b[", b"\\u001B[", b"\\x1b[", b"\\x1B[", b"\\033[", b"\\e["];
    ways.iter().any(|way| text[..colour].ends_with(way))
}

/// Tells whether `text` ends with `mark` and so many of these.
fn ends(text: &[u8], mark: &[u8], len: usize, of: impl Fn(&u8) -> bool) -> bool {
    let (before, last) = text.split_at(text.len().saturating_sub(len));
    before.ends_with(mark) && last.iter().all(of)
}

/// Returns how much of `text` looks like the inside of a private key.
fn body_len(text: &[u8]) -> usize {
    /// A shorter line is the last of a key, or a word.
    const LINE: usize = 16;
    const NOTES: [&[u8]; 4] = [b"Proc-Type:", b"DEK-Info:", b"Version:", b"Comment:"];
    let (mut at, mut end, mut is_one) = (0, 0, false);
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let blanks = line.iter().take_while(|byte| b" \t\"'".contains(byte)).count();
        let inner = &line[blanks..];
        let len = inner.iter().take_while(|byte| base64(**byte) || **byte == b'\\').count();
        let rest = inner[len..].trim_ascii();
        let is_note = NOTES.iter().any(|note| inner.starts_with(note));
        let is_whole = is_note || rest.iter().all(|byte| b"\"',;+".contains(byte));
        is_one |= !is_note && len >= LINE;
        if is_whole {
            at += line.len();
            end = at;
            continue;
        }
        if len >= LINE {
            // A backslash at its end belongs to what follows.
            let escapes = inner[..len].iter().rev().take_while(|byte| **byte == b'\\').count();
            end = at + blanks + len - escapes;
        }
        break;
    }
    if is_one { end } else { 0 }
}
