//! Passwords and tokens in addresses, and addresses that are secrets themselves.

use super::context::{Came, Found, LONGEST};
use super::value::{is_placeholder, is_random};

/// Schemes whose `name:tag@digest` is no login.
const IMAGES: [&[u8]; 5] =
    [b"docker", b"oci", b"docker-image", b"docker-daemon", b"containers-storage"];

impl Came<'_> {
    /// Finds the password of `user:password@host`, or the token of `token@host`; `from` is right after
    /// `://`.
    pub(super) fn login(&self, from: usize) -> Found {
        let opening = self.quote_before(from);
        let part = |byte: u8| {
            byte > b' ' && byte != 0x7f && !b"/\"<>`\\".contains(&byte) && Some(byte) != opening
        };
        // `<name>` and `{{ name }}` may stand for a password.
        let in_login = |byte: u8| part(byte) || b"<>".contains(&byte);
        let (end, goes_on) = self.run(from, in_login, LONGEST);
        if goes_on {
            return Found::Undecided(from);
        }
        let whole = &self.text[from..end];
        let Some(at) = memchr::memrchr(b'@', whole) else { return Found::Nothing };
        let (login, host) = (&whole[..at], &whole[at + 1..]);
        let scheme = self.line_before(from - 3, 24);
        if host.starts_with(b"sha256:") || host.starts_with(b"sha512:") || is_image(scheme) {
            return Found::Nothing;
        }
        let Some(colon) = memchr::memchr(b':', login) else {
            return match is_random(login, 16) && !is_placeholder(login) {
                true => Found::Secret { hold: from, bytes: from..from + at },
                false => Found::Nothing,
            };
        };
        let (user, password) = (&login[..colon], &login[colon + 1..]);
        let number = password.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let after = password.get(number).copied();
        let is_port = (1..=5).contains(&number)
            && match after {
                None => user == b"localhost" || user.contains(&b'.') || user.starts_with(b"["),
                Some(byte) => b"?#',;)|&]}".contains(&byte) && !user.is_empty(),
            };
        // An address of IPv6 has colons of its own.
        let is_none = is_port || user.starts_with(b"[") || is_placeholder(password);
        match is_none || host.is_empty() || is_format(password) {
            true => Found::Nothing,
            false => Found::Secret { hold: from, bytes: from + colon + 1..from + at },
        }
    }

    /// Returns the quote before an address whose scheme ends right before `from`.
    fn quote_before(&self, from: usize) -> Option<u8> {
        let near = self.line_before(from - 3, 24);
        let scheme = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
        let len = near.iter().rev().take_while(scheme).count();
        near[..near.len() - len].last().copied().filter(|byte| b"'(".contains(byte)).map(|byte| {
            match byte {
                b'(' => b')',
                quote => quote,
            }
        })
    }

    /// Finds the secret part of an address that needs no password; `from` is after its fixed part.
    pub(super) fn webhook(&self, from: usize, least: usize) -> Found {
        let of = |byte: u8| byte.is_ascii_alphanumeric() || b"-_/@.%".contains(&byte);
        let (end, goes_on) = self.run(from, of, LONGEST);
        if goes_on {
            return Found::Undecided(from);
        }
        let text = &self.text[from..end];
        // The kind of the hook stays.
        let kind = memchr::memchr(b'/', text).filter(|len| *len < 16).map_or(0, |len| len + 1);
        match text.len() - kind >= least && text.iter().any(u8::is_ascii_digit) {
            true => Found::secret(from + kind..end),
            false => Found::Nothing,
        }
    }

    /// Finds the signature of a signed address; `from` is right after `sig=`.
    pub(super) fn signature(&self, at: usize, from: usize) -> Found {
        if !self.last(at).is_some_and(|byte| b"?&;-".contains(&byte)) {
            return Found::Nothing;
        }
        let of = |byte: u8| byte.is_ascii_alphanumeric() || b"%+/=_~-".contains(&byte);
        let (end, goes_on) = self.run(from, of, LONGEST);
        if goes_on {
            return Found::Undecided(from);
        }
        match end - from >= 30 && is_random(&self.text[from..end], 30) {
            true => Found::secret(from..end),
            false => Found::Nothing,
        }
    }
}

/// Tells whether a line ends with the scheme of a container image.
fn is_image(line: &[u8]) -> bool {
    let len =
        line.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
    IMAGES.contains(&&line[line.len() - len..])
}

/// Tells whether this is a place in a template: `{password}`, `{{ x }}`, `${x}`, `%s`, `#{x}`.
fn is_format(password: &[u8]) -> bool {
    password.starts_with(b"{{")
        || password.starts_with(b"${")
        || password == b"%s"
        || password.starts_with(b"#{")
}
