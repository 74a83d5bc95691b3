//! Finds passwords and tokens in addresses, and addresses that are secrets themselves.

use super::context::{Found, LONGEST, Window};
use super::runs::{Class, judged};
use super::value::{has_both, is_placeholder, is_random};

/// The schemes whose `name:tag@digest` or `container@account` is not a login.
const IMAGES: [&[u8]; 10] = [
    b"docker",
    b"oci",
    b"docker-image",
    b"docker-daemon",
    b"containers-storage",
    b"abfs",
    b"abfss",
    b"wasb",
    b"wasbs",
    b"cvs",
];

impl Window<'_> {
    /// Finds the password of `user:password@host`, or the token of `token@host`. `://` stands
    /// between `scheme_end` and `from`, with backslashes if JSON escapes the slashes.
    pub(super) fn login(&self, scheme_end: usize, from: usize) -> Found {
        let opening = self.quote_before(scheme_end);
        let part = |byte: u8| {
            byte > b' ' && byte != 0x7f && !b"/\"<>`\\".contains(&byte) && Some(byte) != opening
        };
        // `<name>` and `{{ name }}` may stand for a password.
        let in_login = |byte: u8| part(byte) || b"<>".contains(&byte);
        let is_bare = self.is_bare(scheme_end);
        let quote = self.opening(scheme_end);
        let in_brackets = opening == Some(b')');
        let mut end = from;
        loop {
            let (stop, goes_on) = self.run(end, in_login, LONGEST);
            let is_open = (is_bare || in_brackets) && stop + 1 == self.text.len() && !self.is_all;
            if goes_on || is_open {
                return Found::Undecided(from);
            }
            end = stop;
            if let Some(quote) = quote
                && stop - from < LONGEST
            {
                match self.escaped(stop, quote) {
                    Err(()) => return Found::Undecided(from),
                    Ok(Some(next)) => {
                        end = next;
                        continue;
                    }
                    Ok(None) => {}
                }
            }
            let next = self.byte(stop + 1);
            let is_inner = in_brackets
                && self.byte(stop) == opening
                && next.is_some_and(|byte| byte.is_ascii_alphanumeric());
            let may_go_on = is_inner || is_bare && self.is_in_password(stop);
            if stop - from >= LONGEST || !may_go_on {
                break;
            }
            end += 1;
        }
        let whole = &self.text[from..end];
        let Some(at) = memchr::memrchr(b'@', whole) else { return Found::Nothing };
        let (login, host) = (&whole[..at], &whole[at + 1..]);
        let scheme = self.line_before(scheme_end, 24);
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
        // A token can stand in the place of the user.
        let is_filler = matches!(password, b"" | b"x-oauth-basic" | b"x-access-token");
        if is_filler {
            return match is_random(user, 16) && !is_placeholder(user) && !host.is_empty() {
                true => Found::Secret { hold: from, bytes: from..from + colon },
                false => Found::Nothing,
            };
        }
        let number = password.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let after = password.get(number).copied();
        let is_port = (1..=5).contains(&number)
            && match after {
                None => user == b"localhost" || user.contains(&b'.') || user.starts_with(b"["),
                Some(byte) => b"?#',;)|&]}\"\\".contains(&byte) && !user.is_empty(),
            };
        // An IPv6 address contains colons.
        let is_none = is_port || user.starts_with(b"[") || is_placeholder(password);
        match is_none || host.is_empty() || is_format(password) {
            true => Found::Nothing,
            false => Found::Secret { hold: from, bytes: from + colon + 1..from + at },
        }
    }

    /// Tells whether an address is written without quotes.
    fn is_bare(&self, scheme_end: usize) -> bool {
        let near = self.line_before(scheme_end, 24);
        let scheme = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
        let len = near.iter().rev().take_while(scheme).count();
        near[..near.len() - len].last().is_none_or(|byte| b" \t=".contains(byte))
    }

    /// Tells whether a quote or a backslash at `at` may belong to a password, because it neither
    /// ends a list or an object nor begins an escape.
    fn is_in_password(&self, at: usize) -> bool {
        let next = self.byte(at + 1).unwrap_or(b' ');
        match self.byte(at) {
            Some(b'"') => next > b' ' && !b",:;}])>".contains(&next),
            Some(b'\\') => next > b' ' && !b"nrtu\"'\\/".contains(&next),
            _ => false,
        }
    }

    /// Returns the quote that begins an address, and the number of backslashes before it.
    fn opening(&self, scheme_end: usize) -> Option<(u8, usize)> {
        let near = self.line_before(scheme_end, 32);
        let scheme = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+-.:".contains(byte);
        let len = near.iter().rev().take_while(scheme).count();
        let (quote, before) = near[..near.len() - len].split_last()?;
        let slashes = before.iter().rev().take_while(|byte| **byte == b'\\').count();
        b"\"'`".contains(quote).then_some((*quote, slashes))
    }

    /// Returns the end of an escaped quote or backslash at `at`, in a string with this quote.
    /// Returns `Err` if the answer depends on bytes that have not arrived yet.
    fn escaped(&self, at: usize, (quote, slashes): (u8, usize)) -> Result<Option<usize>, ()> {
        let (end, goes_on) = self.run(at, |byte| byte == b'\\', 16);
        if goes_on {
            return Err(());
        }
        let len = end - at;
        let is_quote = self.byte(end) == Some(quote);
        // An escaped backslash has twice as many backslashes as the escape of a quote.
        let is_backslash = len >= 2 * (slashes + 1) && len.is_multiple_of(2);
        Ok(match len > slashes {
            true if is_quote => Some(end + 1),
            true if is_backslash => Some(end),
            _ => None,
        })
    }

    /// Returns the byte that ends an address, from the quote or bracket before its scheme.
    fn quote_before(&self, scheme_end: usize) -> Option<u8> {
        let near = self.line_before(scheme_end, 24);
        let scheme = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
        let len = near.iter().rev().take_while(scheme).count();
        near[..near.len() - len].last().copied().filter(|byte| b"'(".contains(byte)).map(|byte| {
            match byte {
                b'(' => b')',
                quote => quote,
            }
        })
    }

    /// Finds the secret part of an address that needs no password. `from` is the end of the fixed
    /// part.
    pub(super) fn webhook(&self, from: usize, least: usize) -> Found {
        let (end, goes_on) = self.class(from, Class::Path, LONGEST);
        if goes_on {
            return Found::Undecided(from);
        }
        let text = &self.text[from..end];
        // The first part of the path names the kind of the webhook and stays readable.
        let head = judged(text);
        let kind = memchr::memchr(b'/', head).filter(|len| *len < 16).map_or(0, |len| len + 1);
        match text.len() - kind >= least && head.iter().any(u8::is_ascii_digit) {
            true => Found::secret(from + kind..end),
            false => Found::Nothing,
        }
    }

    /// Finds the signature of a signed address. `from` is the end of `sig=`.
    pub(super) fn signature(&self, at: usize, from: usize) -> Found {
        if !self.last(at).is_some_and(|byte| b"?&;-".contains(&byte)) {
            return Found::Nothing;
        }
        let (end, goes_on) = self.class(from, Class::Signature, LONGEST);
        if goes_on {
            return Found::Undecided(from);
        }
        match end - from >= 30 && is_random(judged(&self.text[from..end]), 30) {
            true => Found::secret(from..end),
            false => Found::Nothing,
        }
    }
}

/// Tells whether a line ends with a scheme that has no login.
fn is_image(line: &[u8]) -> bool {
    let len =
        line.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
    IMAGES.contains(&&line[line.len() - len..])
}

/// Tells whether a password is a placeholder of a template: `{{ x }}`, `${x}`, `%s`, `#{x}`.
fn is_format(password: &[u8]) -> bool {
    password.starts_with(b"{{")
        || is_variable(password)
        || password == b"%s"
        || password.starts_with(b"#{")
}

/// Tells whether a password is `${x}` without text after it that could be a password.
fn is_variable(password: &[u8]) -> bool {
    password.starts_with(b"${")
        && memchr::memrchr(b'}', password)
            .is_none_or(|end| password.len() - end < 5 || !has_both(&password[end..]))
}
