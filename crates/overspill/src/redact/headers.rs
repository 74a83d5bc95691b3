//! Finds secrets in headers, in options of commands and in lines of `.pgpass`.

use super::context::{Found, LONGEST, Window};
use super::names::{blank, in_name};
use super::runs::{Class, judged};
use super::value::{contains, is_basic, is_code, is_mixed, is_path, is_placeholder, is_random};

impl Window<'_> {
    /// Finds the value of an `Authorization` header, after its scheme.
    pub(super) fn authorization(&self, at: usize) -> Found {
        let (open, goes_on) = self.run(at, |byte| b"\"'\\`".contains(&byte), 4);
        if goes_on {
            return Found::Undecided(at);
        }
        let (word, goes_on) =
            self.run(open, |byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte), 24);
        if goes_on {
            return Found::Undecided(open);
        }
        let (mut start, goes_on) = self.run(word, blank, 16);
        if goes_on {
            return Found::Undecided(open);
        }
        let scheme =
            if start > word { self.text[open..word].to_ascii_lowercase() } else { Vec::new() };
        if scheme.is_empty() {
            start = open;
        }
        let is_rest =
            scheme.starts_with(b"digest") || scheme.starts_with(b"aws4") || scheme == b"hawk";
        let class = if is_rest { Class::Line } else { Class::Credential };
        let (end, goes_on) = self.class(start, class, LONGEST);
        if goes_on {
            return Found::Undecided(open);
        }
        let text = judged(&self.text[start..end]);
        let is_known = matches!(
            &*scheme,
            b"basic"
                | b"bearer"
                | b"token"
                | b"bot"
                | b"apikey"
                | b"negotiate"
                | b"ssws"
                | b"splunk"
                | b"key"
                | b"geniekey"
        );
        let is_one = !is_placeholder(text)
            && !text.starts_with(b"$(")
            && !is_path(text)
            && match is_rest {
                true => contains(text, b"=") && text.len() >= 24,
                false if scheme == b"basic" => is_basic(text) || is_random(text, 8),
                false if is_known => text.len() >= 8 && is_mixed(text) && !is_code(text),
                false => is_random(text, 16),
            };
        if is_one { Found::secret(start..end) } else { Found::Nothing }
    }

    /// Finds the values of cookies, if one of them looks random.
    pub(super) fn cookie(&self, at: usize, is_set: bool) -> Found {
        let (at, goes_on) = self.run(at, |byte| b"\"'\\".contains(&byte), 4);
        if goes_on {
            return Found::Undecided(at);
        }
        let class = if is_set { Class::Cookie } else { Class::Cookies };
        let (end, goes_on) = self.class(at, class, LONGEST);
        if goes_on {
            return Found::Undecided(at);
        }
        let head = judged(&self.text[at..end]);
        let Some(sign) = memchr::memchr(b'=', head) else { return Found::Nothing };
        let is_named = head[..sign].iter().all(|byte| in_name(*byte) || *byte == b'%');
        let is_session = |part: &[u8]| is_random(part, 16) || part.len() >= 24 && is_mixed(part);
        match is_named && self.has_session(at, end, class, is_session) {
            true => Found::secret(at + sign + 1..end),
            false => Found::Nothing,
        }
    }

    /// Finds the password in a line of `.pgpass`. `from` is the end of the port.
    pub(super) fn pgpass(&self, from: usize) -> Found {
        let (end, goes_on) = self.run(from, |byte| byte > b' ' && byte < 0x7f, 256);
        if goes_on {
            return Found::Undecided(from);
        }
        let text = &self.text[from..end];
        let mut fields = text.splitn(3, |byte| *byte == b':');
        let (base, user, password) = (fields.next(), fields.next(), fields.next());
        let is_plain = |field: Option<&[u8]>| {
            field.is_some_and(|field| {
                field.iter().all(|byte| in_name(*byte) || *byte == b'*') && !field.is_empty()
            })
        };
        match password {
            Some(password)
                if is_plain(base)
                    && is_plain(user)
                    && password.len() >= 3
                    && !is_placeholder(password) =>
            {
                Found::secret(end - password.len()..end)
            }
            _ => Found::Nothing,
        }
    }

    /// Finds the password of `curl -u user:password`.
    pub(super) fn user(&self, at: usize, from: usize) -> Found {
        let line = self.line_before(at, 192);
        if !contains(line, b"curl") && !contains(line, b"http") && !contains(line, b"wget") {
            return Found::Nothing;
        }
        let (start, goes_on) = self.run(from, |byte| b" =\"'".contains(&byte), 4);
        let (end, more) = self.run(start, |byte| byte > b' ' && !b"\"'".contains(&byte), 512);
        if goes_on || more {
            return Found::Undecided(from.min(self.text.len()));
        }
        let text = &self.text[start..end];
        let Some(colon) = memchr::memchr(b':', text) else { return Found::Nothing };
        let password = &text[colon + 1..];
        let is_number =
            password.iter().all(u8::is_ascii_digit) && text[..colon].iter().all(u8::is_ascii_digit);
        let is_one = password.len() >= 3 && !is_number && !is_placeholder(password);
        if is_one { Found::secret(start + colon + 1..end) } else { Found::Nothing }
    }

    /// Finds the password of `mysql -pPASSWORD`, `sshpass -p PASSWORD` and
    /// `docker login -p PASSWORD`.
    pub(super) fn option(&self, at: usize, from: usize) -> Found {
        let line = self.line_before(at, 192);
        let is_glued = contains(line, b"mysql") || contains(line, b"mariadb");
        let is_login = contains(line, b"sshpass")
            || contains(line, b"mongo")
            || contains(line, b"docker login")
            || contains(line, b"podman login");
        let (start, goes_on) = self.run(from, blank, 8);
        let (is_right, start) = match start > from {
            true => (is_login, start),
            false => (is_glued || is_login, start),
        };
        if !is_right {
            return Found::Nothing;
        }
        if goes_on {
            return Found::Undecided(start.min(self.text.len()));
        }
        self.argument(start)
    }

    /// Finds the password of `redis-cli -a PASSWORD`.
    pub(super) fn redis(&self, at: usize, from: usize) -> Found {
        match self.last(at) == Some(b' ') && contains(self.line_before(at, 192), b"redis-cli") {
            true => self.argument(from),
            false => Found::Nothing,
        }
    }

    /// Finds a password that is an argument of a command.
    fn argument(&self, start: usize) -> Found {
        let Some(value) = self.read(start, false) else { return Found::Undecided(start) };
        if value.goes_on {
            return Found::Undecided(start.min(self.text.len()));
        }
        let text = &self.text[value.bytes.clone()];
        let is_one =
            text.len() >= 4 && !text.starts_with(b"-") && !is_placeholder(text) && !is_path(text);
        if is_one { Found::secret(value.bytes) } else { Found::Nothing }
    }
}
