//! Finds out how a name is joined to its value, in source text, options, SQL, tables, plans and
//! objects.

use super::context::Window;
use super::names::{BLANKS, Joint, blank, in_name};
use super::value::contains;

/// The value of an object is searched in this many bytes after its bracket.
const OBJECT: usize = 160;
/// The largest number of bytes that the attributes of a tag may have.
const ATTRIBUTES: usize = 160;
/// The beginning of XML text in which nothing is escaped.
const CDATA: &[u8] = b"<![CDATA[";
/// The largest number of bytes that the account in `Password for admin:` may have.
const ACCOUNT: usize = 48;

/// The joint and the start of the value. `Err` means that the answer depends on bytes that have not
/// arrived yet.
type Joined = Result<Option<(Joint, usize)>, ()>;

impl Window<'_> {
    /// Returns how the name between `start` and `end` is joined to a value, and the start of the
    /// value. Returns `Err` if the answer depends on bytes that have not arrived yet.
    pub(super) fn joint(&self, start: usize, end: usize, is_phrase: bool) -> Joined {
        let mut at = end;
        // Skip the quote after a name, and a bracket.
        let (quote, goes_on) = self.run(at, |byte| b"\"'`\\])".contains(&byte), 6);
        if goes_on {
            return Err(());
        }
        let has_quote = quote > at;
        at = quote;
        let (sign, goes_on) = self.run(at, blank, BLANKS);
        if goes_on {
            return Err(());
        }
        let is_tag = self.is_tag(start);
        let found = match self.byte(sign) {
            Some(b'%' | b'f' | b'v' | b'V') if sign > at && self.is_flag(start) => {
                (sign, Joint::Flag)
            }
            Some(b'=') => {
                let (next, goes_on) = self.run(sign, |byte| b"=>~".contains(&byte), 3);
                if goes_on {
                    return Err(());
                }
                let joint = match sign == at {
                    _ if self.text[sign..next].starts_with(b"==") => Joint::Compared,
                    true => Joint::Tight,
                    false => Joint::Loose,
                };
                (next, joint)
            }
            Some(b':') => {
                let (next, goes_on) = self.run(sign, |byte| b":=".contains(&byte), 3);
                if goes_on {
                    return Err(());
                }
                if next - sign > 1 && self.byte(next - 1) == Some(b':') {
                    return Ok(None);
                }
                (next, Joint::Loose)
            }
            Some(b'%') => match self.begins(sign, b"%3D") {
                None => return Err(()),
                Some(true) => (sign + 3, Joint::Tight),
                Some(false) => return Ok(None),
            },
            Some(b'>') if is_tag => (sign + 1, Joint::Tag),
            Some(_) if is_tag && sign > at => {
                let (end, goes_on) = self.run(sign, |byte| !b"<>\n".contains(&byte), ATTRIBUTES);
                if goes_on {
                    return Err(());
                }
                if self.byte(end) != Some(b'>') || self.byte(end - 1) == Some(b'/') {
                    return Ok(None);
                }
                (end + 1, Joint::Tag)
            }
            Some(b'|') if sign > at => return self.cell(start, sign),
            Some(_) if sign > at && self.is_env(start) => (sign, Joint::Env),
            Some(b'f') if sign > at && at == end => return self.account(sign),
            Some(b',' | b'\n' | b'\r' | b'v' | b'V') if !is_tag => return self.pair(at, has_quote),
            Some(_) if is_phrase && sign > at => (sign, Joint::Flag),
            Some(_) if sign > at && self.is_flag(start) => (sign, Joint::Flag),
            Some(_) if sign > at && self.is_sql(start, end, sign) => (sign, Joint::Loose),
            _ => return Ok(None),
        };
        let (next, joint) = found;
        let (value, goes_on) = self.run(next, blank, BLANKS);
        if goes_on || value == self.text.len() && !self.is_all {
            return Err(());
        }
        if joint == Joint::Tag && self.byte(value) == Some(b'<') {
            return match self.begins(value, CDATA) {
                None => Err(()),
                Some(true) => Ok(Some((joint, value + CDATA.len()))),
                Some(false) => Ok(None),
            };
        }
        if has_quote && self.byte(value) == Some(b'{') {
            return self.object(value);
        }
        Ok(Some((if value > next && joint == Joint::Tight { Joint::Loose } else { joint }, value)))
    }

    /// Tells whether a name is an option of a command, or a keyword of a `.netrc` file.
    fn is_flag(&self, start: usize) -> bool {
        const WORDS: [&[u8]; 5] = [
            b"-storepass",
            b"-keypass",
            b"requirepass",
            b"aws_secret_access_key",
            b"aws-secret-access-key",
        ];
        if WORDS.iter().any(|word| self.text[start..].starts_with(word)) {
            return true;
        }
        let is_option =
            self.text[start..].starts_with(b"--") && !self.last(start).is_some_and(in_name);
        let near = &self.text[start.saturating_sub(128)..start];
        is_option
            || self.text[start..].starts_with(b"password")
                && contains(near, b"login ")
                && contains(near, b"machine ")
    }

    /// Tells whether the name at `start` begins a tag: `<Password`, `<wsse:Password`.
    fn is_tag(&self, start: usize) -> bool {
        if self.last(start) != Some(b':') {
            return self.last(start) == Some(b'<');
        }
        let line = self.line_before(start - 1, 16);
        let len = line.iter().rev().take_while(|byte| in_name(**byte)).count();
        len > 0 && line[..line.len() - len].ends_with(b"<")
    }

    /// Finds the value of `name: NAME, value: …`, as in lists of variables.
    fn pair(&self, at: usize, has_quote: bool) -> Joined {
        let (word, goes_on) = self.run(at, |byte| b" \t\r\n,\"'\\".contains(&byte), BLANKS);
        if goes_on {
            return Err(());
        }
        let fields: [&[u8]; 4] = [b"value", b"Value", b"ParameterValue", b"parameterValue"];
        let mut end = None;
        for field in fields {
            match self.begins(word, field) {
                None => return Err(()),
                Some(false) => {}
                Some(true) => end = Some(word + field.len()),
            }
        }
        let Some(end) = end else { return Ok(None) };
        let (value, goes_on) = self.run(end, |byte| b"\"'\\: \t=".contains(&byte), BLANKS);
        if goes_on {
            return Err(());
        }
        let between = &self.text[end..value];
        let is_joined = between.iter().any(|byte| b":=".contains(byte));
        // A quote belongs to the value.
        let open = between.iter().rev().take_while(|byte| b"\"'\\".contains(byte)).count();
        let is_line = self.text[at..word].contains(&b'\n');
        Ok((is_joined && (has_quote || is_line)).then_some((Joint::Markup, value - open)))
    }

    /// Tells whether the name at `start` follows `ENV`, `setenv` or fish's `set -x`.
    pub(super) fn is_env(&self, start: usize) -> bool {
        let mut words = self.line_before(start, 64).rsplit(|byte| blank(*byte));
        if words.next().is_none_or(|rest| !rest.is_empty()) {
            return false;
        }
        let is_set = |word: &[u8]| word == b"set";
        match words.next() {
            Some(b"ENV" | b"setenv") => true,
            // In prose and in some languages, `set password` does not set a variable.
            Some(b"set") => {
                let name = self.text[start..].iter().take(64).take_while(|byte| in_name(**byte));
                words.next().is_none() && !name.clone().any(u8::is_ascii_lowercase)
            }
            Some([b'-', options @ ..]) => {
                let is_short = options.len() <= 3 && options.iter().all(u8::is_ascii_alphabetic);
                (is_short && options.contains(&b'x') || options == b"-export")
                    && words.next().is_some_and(is_set)
            }
            _ => false,
        }
    }

    /// Tells whether `PASSWORD '…'` belongs to an SQL statement about a user.
    pub(super) fn is_sql(&self, start: usize, end: usize, value: usize) -> bool {
        self.text[start..end].eq_ignore_ascii_case(b"password")
            && matches!(self.byte(value), Some(b'\'' | b'"'))
            && self.is_statement(start)
    }

    /// Tells whether an SQL statement about a user stands before `start`.
    pub(super) fn is_statement(&self, start: usize) -> bool {
        let line = self.line_before(start, 128).to_ascii_lowercase();
        let words: [&[u8]; 3] = [b"user ", b"role ", b"grant "];
        words.iter().any(|word| contains(&line, word))
    }

    /// Finds the value of `| name | value |`. `bar` is the position of the second bar.
    pub(super) fn cell(&self, start: usize, bar: usize) -> Joined {
        if !self.line_before(start, BLANKS).trim_ascii_end().ends_with(b"|") {
            return Ok(None);
        }
        let (value, goes_on) = self.run(bar + 1, blank, BLANKS);
        if goes_on { Err(()) } else { Ok(Some((Joint::Cell, value))) }
    }

    /// Finds the value of `Password for admin: value`. `at` is the position of `for`.
    pub(super) fn account(&self, at: usize) -> Joined {
        match self.begins(at, b"for ") {
            None => return Err(()),
            Some(false) => return Ok(None),
            Some(true) => {}
        }
        let (end, goes_on) =
            self.run(at + 4, |byte| in_name(byte) || b"'@\"".contains(&byte), ACCOUNT);
        if goes_on {
            return Err(());
        }
        if end == at + 4 || self.byte(end) != Some(b':') {
            return if end == self.text.len() && !self.is_all { Err(()) } else { Ok(None) };
        }
        let (value, goes_on) = self.run(end + 1, blank, BLANKS);
        if goes_on { Err(()) } else { Ok((value > end + 1).then_some((Joint::Cell, value))) }
    }

    /// Finds the field `"value"` of the object that begins at `at`, as in the output of
    /// `terraform output -json`.
    pub(super) fn object(&self, at: usize) -> Joined {
        const FIELD: &[u8] = b"\"value\"";
        let rest = &self.text[at + 1..];
        let near = &rest[..rest.len().min(OBJECT)];
        let near = memchr::memchr(b'}', near).map_or(near, |end| &near[..end + 1]);
        let Some(field) = memchr::memmem::find(near, FIELD) else {
            let may_follow = near.len() < OBJECT && !near.ends_with(b"}") && !self.is_all;
            return if may_follow { Err(()) } else { Ok(None) };
        };
        let (value, goes_on) = self.run(
            at + 1 + field + FIELD.len(),
            |byte| byte == b':' || byte.is_ascii_whitespace(),
            BLANKS,
        );
        if goes_on {
            return Err(());
        }
        Ok((self.byte(value) == Some(b'"')).then_some((Joint::Loose, value)))
    }

    /// Returns the name before `"old" -> "new"`, as in a Terraform plan. `at` is the position of
    /// the arrow.
    pub(super) fn changed_name(&self, at: usize) -> Option<std::ops::Range<usize>> {
        let line = self.line_before(at, 192);
        let sign = memchr::memmem::find(line, b" = \"")?;
        let first = at - line.len();
        let name = line[..sign].trim_ascii_end();
        let len = name.iter().rev().take_while(|byte| in_name(**byte)).count();
        let end = first + name.len();
        line.trim_ascii_end().ends_with(b"\"").then_some(end - len..end)
    }
}
