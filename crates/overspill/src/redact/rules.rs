//! What secrets look like: a beginning that nothing else has, and how it goes on.

use std::ops::Range;

/// The longest run of letters that is looked for.
const LONGEST: usize = 4 << 10;
/// The longest private key that is looked for.
const LONGEST_KEY: usize = 16 << 10;
/// From where a secret begins, it is known within so many bytes.
pub(super) const REACH: usize = LONGEST_KEY + 128;

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
    /// What stood before it.
    pub(super) before: Option<u8>,
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
    /// At least, and at most, so many of these; the beginning itself stays.
    Token(fn(u8) -> bool, usize, usize),
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
    Rule { start, then: Then::Token(of, least, most) }
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
    token("ghp_", alphanumeric, 36, 255),
    token("gho_", alphanumeric, 36, 255),
    token("ghu_", alphanumeric, 36, 255),
    token("ghs_", alphanumeric, 36, 255),
    token("ghr_", alphanumeric, 36, 255),
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
    token("npm_", alphanumeric, 36, 36),
    token("pypi-AgEI", word, 50, 1024),
    token("hf_", alphanumeric, 34, 34),
    token("dop_v1_", alphanumeric, 64, 64),
    token("SG.", bearer, 60, 100),
    token("Bearer ", bearer, 20, LONGEST),
    Rule { start: "eyJ", then: Then::Jwt },
    Rule { start: "://", then: Then::Login },
    Rule { start: "-----BEGIN", then: Then::Key },
];

impl Rule {
    /// Says what stands at `at`, where the beginning is.
    pub(super) fn look(&self, came: Came, at: usize) -> Found {
        let (text, from) = (came.text, at + self.start.len());
        let before = at.checked_sub(1).map_or(came.before, |at| Some(text[at]));
        let begins_with_word = self.start.as_bytes()[0].is_ascii_alphanumeric();
        let is_inside = before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if begins_with_word && is_inside {
            return Found::Nothing;
        }
        match self.then {
            Then::Token(of, least, most) => came.token(from, of, least, most),
            Then::Value(of, count) => came.value(from, of, count),
            Then::Jwt => came.jwt(at),
            Then::Login => came.login(from),
            Then::Key => came.key(from),
        }
    }
}

impl Came<'_> {
    /// Returns where a run of such bytes ends, and whether it may go on with what comes next.
    fn run(&self, from: usize, of: impl Fn(u8) -> bool, most: usize) -> (usize, bool) {
        let rest = &self.text[from..];
        let len = rest.iter().take(most).take_while(|byte| of(**byte)).count();
        (from + len, len < most && len == rest.len() && !self.is_all)
    }

    fn token(&self, from: usize, of: fn(u8) -> bool, least: usize, most: usize) -> Found {
        let (end, goes_on) = self.run(from, of, most + 1);
        if goes_on {
            return Found::Undecided;
        }
        // A number somewhere tells a key from a word.
        let mixed = self.text[from..end].iter().any(u8::is_ascii_digit);
        let is_one = (least..=most).contains(&(end - from)) && mixed;
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
