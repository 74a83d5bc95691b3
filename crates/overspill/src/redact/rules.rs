//! What secrets look like: a beginning that nothing else has, and how it goes on.

use std::ops::Range;

/// The longest secret that is looked for within a line.
pub(super) const LONGEST: usize = 4 << 10;

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
];

impl Rule {
    /// Returns which bytes of `text` are secret, given that it has the beginning at `at`.
    pub(super) fn secret(&self, text: &[u8], at: usize) -> Option<Range<usize>> {
        let from = at + self.start.len();
        let begins_with_word = self.start.as_bytes()[0].is_ascii_alphanumeric();
        let is_inside = at > 0 && (text[at - 1].is_ascii_alphanumeric() || text[at - 1] == b'_');
        if begins_with_word && is_inside {
            return None;
        }
        match self.then {
            Then::Token(of, least, most) => {
                let len = run(&text[from..], of, most + 1);
                // A number somewhere tells a key from a word.
                let mixed = text[from..from + len].iter().any(u8::is_ascii_digit);
                (len >= least && len <= most && mixed).then_some(from..from + len)
            }
            Then::Value(of, count) => {
                let between = run(&text[from..], |byte| b"\"'=: \t".contains(&byte), 8);
                let from = from + between;
                let len = run(&text[from..], of, count + 1);
                (between > 0 && len == count).then_some(from..from + len)
            }
            Then::Jwt => jwt(text, at),
            Then::Login => login(text, from),
        }
    }
}

/// Returns how many of `text`'s first bytes are of this kind.
fn run(text: &[u8], of: impl Fn(u8) -> bool, most: usize) -> usize {
    text.iter().take(most).take_while(|byte| of(**byte)).count()
}

fn jwt(text: &[u8], at: usize) -> Option<Range<usize>> {
    let mut end = at;
    for part in 0..3 {
        let len = run(&text[end..], word, LONGEST);
        let least = [10, 10, 16][part];
        let dot = text.get(end + len) == Some(&b'.');
        if len < least || (part < 2 && !dot) {
            return None;
        }
        end += len + usize::from(part < 2);
    }
    Some(at + 3..end)
}

/// Returns the password of `user:password@host`.
fn login(text: &[u8], from: usize) -> Option<Range<usize>> {
    let part = |byte: u8| byte.is_ascii_graphic() && !b"/@:\"'<>`".contains(&byte);
    let colon = from + run(&text[from..], part, 256);
    if text.get(colon) != Some(&b':') {
        return None;
    }
    let len = run(&text[colon + 1..], |byte| part(byte) || byte == b':', 256);
    let password = colon + 1..colon + 1 + len;
    // `$PASSWORD` and `***` are none.
    let is_one = len > 0 && !text[password.clone()].iter().all(|byte| b"*x$".contains(byte));
    let is_name = text.get(colon + 1).is_some_and(|byte| *byte == b'$' || *byte == b'{');
    (is_one && !is_name && text.get(password.end) == Some(&b'@')).then_some(password)
}
