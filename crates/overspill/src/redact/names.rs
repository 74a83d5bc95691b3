//! Finds secrets by the name before them: `DB_PASSWORD=…`, `"api_key": "…"`, `--token …`.

use std::ops::Range;

use super::bare::{is_generated, is_strong};
use super::context::{Found, Window};
use super::runs::{JUDGED, count, judged};
use super::value::{
    contains, has_both, is_basic, is_code, is_mixed, is_open, is_path, is_placeholder, is_random,
};
use super::words::{is_identifier, is_same_name};

/// The largest number of bytes of a name before and after its telling word.
const NAME: usize = 48;
/// The largest number of blanks between a name and its value.
pub(super) const BLANKS: usize = 96;

/// The kind of value that a name announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A password that a person may have chosen.
    Password,
    /// A password, if its form agrees. The values of `first_pass` and `PRIORITY_PASS` are not
    /// passwords.
    Weak,
    /// A token that a machine made.
    Token,
    /// The value of an `Authorization` header, with or without a scheme.
    Authorization,
    /// Base64 of a user and a password.
    Basic,
    Cookie,
    SetCookie,
}

/// Words that may follow the name of a secret.
const ENDINGS: &str = "base64 base b64 value raw plaintext plain production prod dev staging test new old \
    current primary secondary live hex confirmation confirm string";

/// Names of keys that are secret.
const KEYS: &str = "apikey accesskey secretkey privatekey accountkey authkey encryptionkey encryptkey \
    signingkey signkey masterkey sharedkey appkey applicationkey licensekey servicekey \
    adminkey deploykey presharedkey consumerkey subscriptionkey storagekey functionskey \
    hmackey aeskey jwtkey writekey ingestkey ingestionkey integrationkey securitykey \
    servicerolekey rolekey anonkey cipherkey cryptokey clientkeydata userkey globalkey \
    sessionkey authenticationkey webhookkey passkey";

/// Tokens and keys that are not secret: pages of a list, tokens of a parser or of a model.
const HARMLESS: &str = "nexttoken pagetoken continuationtoken continuetoken canceltoken cancellationtoken \
    synctoken starttoken endtoken eostoken bostoken padtoken unktoken septoken clstoken \
    masktoken stoptoken prevtoken previoustoken lasttoken firsttoken unexpectedtoken \
    resumetoken nexttokens imagetoken publickeytoken changetoken xamzcredential xgoogcredential";

/// The way in which a name and its value are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joint {
    /// `name=value`
    Tight,
    /// `name = value`, `name: value`
    Loose,
    /// `--name value`
    Flag,
    /// `<name>value</name>`
    Tag,
    /// `name" value="value`
    Markup,
    /// `name == value`
    Compared,
    /// `ENV name value`
    Env,
    /// `| name | value |`
    Cell,
}

/// Beginnings of names that end in `pass` and announce a password.
const LOGINS: &str = "db user smtp mail email mysql postgres pg redis mongo ldap bind ftp proxy root admin \
    login ssh store key require git docker registry vpn wifi jenkins nexus sonar";

/// A value with its name, for the checks.
struct Candidate<'a> {
    name: &'a [u8],
    text: &'a [u8],
    is_quoted: bool,
    joint: Joint,
    /// The first byte of the name.
    start: usize,
    /// The first byte of the value.
    from: usize,
    /// The byte after the value.
    end: usize,
}

/// Returns the kind of value that a name announces.
fn kind_of(name: &[u8]) -> Option<Kind> {
    let (mut buffer, mut len) = ([0; 3 * NAME], 0);
    for byte in name.iter().filter(|byte| byte.is_ascii_alphanumeric()) {
        *buffer.get_mut(len)? = byte.to_ascii_lowercase();
        len += 1;
    }
    let mut plain = std::str::from_utf8(&buffer[..len]).ok()?;
    match plain {
        "cookie" => return Some(Kind::Cookie),
        "setcookie" => return Some(Kind::SetCookie),
        _ => {}
    }
    if plain.ends_with("authorization") {
        return Some(Kind::Authorization);
    }
    plain = plain.trim_end_matches(|last: char| last.is_ascii_digit());
    plain = match ENDINGS.split(' ').find_map(|ending| plain.strip_suffix(ending)) {
        Some(short) if short.len() >= 3 => short,
        _ => plain,
    };
    let ends = |words: &[&str]| words.iter().any(|word| plain.ends_with(word));
    let is_separate = |word: &str| {
        let word = word.len();
        name.len() > word && b"_-.".contains(&name[name.len() - word - 1])
    };
    if ends(&["password", "passwd", "passphrase", "passwort", "passcode", "pwd"]) {
        return Some(Kind::Password);
    }
    if name.eq_ignore_ascii_case(b"pass") {
        return Some(Kind::Password);
    }
    if plain.ends_with("testpass") {
        return None;
    }
    if plain.ends_with("pass") && name.to_ascii_lowercase().ends_with(b"pass") {
        let before = plain.strip_suffix("pass").unwrap_or(plain);
        let is_login = LOGINS.split(' ').any(|word| before.ends_with(word));
        let weak = is_separate("pass").then_some(Kind::Weak);
        return if is_login { Some(Kind::Password) } else { weak };
    }
    if ends(&["bindpw", "rootpw"]) || ends(&["pw"]) && is_separate("pw") {
        return Some(Kind::Weak);
    }
    // The user chooses the value that AWS stores under this name.
    if name == b"SecretString" {
        return Some(Kind::Password);
    }
    if plain == "auth" {
        return Some(Kind::Basic);
    }
    if HARMLESS.split(' ').any(|word| plain.ends_with(word)) {
        return None;
    }
    let is_env_key = plain.ends_with("key")
        && name.ends_with(b"_KEY")
        && !ends(&[
            "cachekey",
            "publickey",
            "sortkey",
            "partitionkey",
            "primarykey",
            "foreignkey",
            "hostkey",
        ]);
    if ends(&["secret", "token", "credentials", "credential", "securestring", "psk"])
        || KEYS.split(' ').any(|word| plain.ends_with(word))
        || is_env_key
    {
        return Some(Kind::Token);
    }
    None
}

/// Tells whether the value of a variable or field of this name is secret.
pub(super) fn is_secret_name(name: &[u8]) -> bool {
    name.iter().all(|byte| in_name(*byte)) && kind_of(name).is_some()
}

pub(super) fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.".contains(&byte)
}

pub(super) fn blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

impl<'a> Window<'a> {
    /// Finds the value of a name. A word of the name stands between `at` and `from`.
    pub(super) fn name(&self, at: usize, from: usize) -> Found {
        let (end, goes_on) = self.run(from, in_name, NAME);
        if goes_on {
            // A name is not secret and need not wait: the next search sees it again as context.
            return self.prefixed(at, from, end, true);
        }
        let start = at
            - self.text[at.saturating_sub(NAME)..at]
                .iter()
                .rev()
                .take_while(|byte| in_name(**byte))
                .count();
        let trimmed =
            self.text[from..end].iter().rev().take_while(|byte| b".-".contains(byte)).count();
        let name = &self.text[start..end - trimmed];
        let is_phrase = self.text[at..from].contains(&b' ') || name.ends_with(b"SecureString");
        if let found @ Found::Secret { .. } = self.prefixed(at, from, end, false) {
            return found;
        }
        if self.last(start) == Some(b'/') && self.is_checksum(start) {
            return Found::Nothing;
        }
        // Most names have no value. This check is faster than the check of the kind.
        let joint = match self.joint(start, end, is_phrase) {
            Ok(Some(joint)) => joint,
            Ok(None) => return Found::Nothing,
            Err(()) => return Found::Undecided(self.text.len()),
        };
        let kind = if is_phrase { Some(Kind::Password) } else { kind_of(name) };
        let Some(kind) = kind else { return Found::Nothing };
        if kind == Kind::Token && self.is_harmless(start, name) {
            return Found::Nothing;
        }
        // `identified by 'name'` also occurs in prose.
        let is_prose = is_phrase && name.starts_with(b"identified") && !self.is_statement(start);
        if is_prose {
            return Found::Nothing;
        }
        if is_phrase && !self.byte(joint.1).is_some_and(|byte| b"'\"\\".contains(&byte)) {
            return Found::Nothing;
        }
        self.value(kind, name, start, joint)
    }

    /// Tells whether a name and the word before it form a token that is not secret:
    /// `next page token`.
    fn is_harmless(&self, start: usize, name: &[u8]) -> bool {
        let line = self.line_before(start, 24);
        let Some(line) = line.strip_suffix(b" ") else { return false };
        let len = line.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let both = [&line[line.len() - len..], name].concat().to_ascii_lowercase();
        len > 0 && HARMLESS.split(' ').any(|word| word.as_bytes() == both)
    }

    /// Finds a token that begins with a word of a name: `secret_…` of Notion, `key-…` of Mailgun.
    fn prefixed(&self, at: usize, from: usize, end: usize, goes_on: bool) -> Found {
        let word = &self.text[at..from];
        let rest = &self.text[from..end];
        let rest = rest.strip_suffix(b".").unwrap_or(rest);
        let is_begun =
            !self.is_inside_word(at) && !self.last(at).is_some_and(|byte| b"_-".contains(&byte));
        let len = rest.len().saturating_sub(1);
        let inner = rest.get(1..).unwrap_or_default();
        let is_token = match (word, rest.first()) {
            (b"secret", Some(b'_')) => {
                len >= 40 && inner.iter().all(u8::is_ascii_alphanumeric) && is_random(inner, 40)
            }
            (b"key", Some(b'-')) => {
                (31..=33).contains(&len) && inner.iter().all(u8::is_ascii_hexdigit)
            }
            _ => false,
        };
        let may_be = match (word, rest.first()) {
            (b"secret", Some(b'_')) => inner.iter().all(u8::is_ascii_alphanumeric),
            (b"key", Some(b'-')) => inner.iter().all(u8::is_ascii_hexdigit),
            _ => false,
        };
        match is_begun {
            true if goes_on && may_be && len > 0 => Found::Undecided(from + 1),
            true if is_token => Found::secret(from + 1..from + rest.len()),
            _ if goes_on => Found::Undecided(self.text.len()),
            _ => Found::Nothing,
        }
    }

    fn value(&self, kind: Kind, name: &[u8], start: usize, (joint, at): (Joint, usize)) -> Found {
        match kind {
            Kind::Authorization => return self.authorization(at),
            Kind::Cookie | Kind::SetCookie => return self.cookie(at, kind == Kind::SetCookie),
            _ => {}
        }
        let Some(value) = self.read(at, joint == Joint::Tag) else { return Found::Undecided(at) };
        if value.goes_on {
            return Found::Undecided(at);
        }
        // `pass: 12` counts tests. `-passin pass:…` and `"pass": "…"` are passwords.
        if name.eq_ignore_ascii_case(b"pass") {
            let line = self.line_before(start, 16);
            let options: [&[u8]; 3] = [b"-passin ", b"-passout ", b"-pass "];
            let is_option = options.iter().any(|option| line.ends_with(option));
            let is_field = value.is_quoted && is_mixed(&self.text[value.bytes.clone()]);
            if !is_option && !is_field {
                return Found::Nothing;
            }
        }
        let is_bare =
            !value.is_quoted && matches!(joint, Joint::Tight | Joint::Loose | Joint::Flag);
        let widest = match is_bare.then(|| self.widened(start, &value.bytes)).transpose() {
            Ok(end) => end.unwrap_or(value.bytes.end),
            Err(()) => return Found::Undecided(at),
        };
        let whole = value.bytes.clone();
        if is_bare && kind != Kind::Basic && self.is_generated(start, joint, whole.start..widest) {
            return Found::secret(whole.start..widest);
        }
        let (mut bytes, mut is_cut) = (value.bytes, false);
        if joint == Joint::Tag && self.byte(bytes.end) != Some(b'<') {
            return Found::Nothing;
        }
        if joint == Joint::Tag && self.text[bytes.clone()].ends_with(b"]]>") {
            bytes.end -= 3;
        }
        if !value.is_quoted && kind == Kind::Token {
            // No token contains these characters. Text before a bracket is an expression.
            let stop = judged(&self.text[bytes.clone()])
                .iter()
                .position(|byte| b",()[]{}|".contains(byte));
            if let Some(stop) = stop {
                if b"([{|".contains(&self.text[bytes.start + stop]) {
                    return Found::Nothing;
                }
                bytes.end = bytes.start + stop;
                is_cut = true;
            }
        }
        if !value.is_quoted {
            let trailing = self.text[bytes.clone()]
                .iter()
                .rev()
                .take(JUDGED)
                .take_while(|byte| b",)]}.".contains(byte))
                .count();
            let whole = judged(&self.text[bytes.clone()]);
            // Brackets may belong to a placeholder or to an expression.
            if !is_placeholder(whole) && !is_code(whole) {
                bytes.end -= trailing;
            }
        }
        // The password may stand in brackets.
        if let [b'(', inner @ .., b')'] = &self.text[bytes.clone()]
            && !value.is_quoted
            && inner.iter().all(u8::is_ascii_alphanumeric)
            && is_random(inner, 8)
        {
            bytes.end -= 1;
            bytes.start += 1;
        }
        let text = &self.text[bytes.clone()];
        let text = if value.is_quoted { text } else { judged(text) };
        count(text.len());
        let is_quoted = value.is_quoted;
        let (from, end) = (bytes.start, bytes.end);
        let candidate = Candidate { name, text, is_quoted, joint, start, from, end };
        let head = text.split(|byte| *byte == b',').next().unwrap_or_default();
        // An environment variable is neither a list nor a call.
        let before = self.line_before(start, 64).trim_ascii();
        let is_variable = joint == Joint::Tag
            || joint == Joint::Tight
                && !name.iter().any(u8::is_ascii_lowercase)
                && (before.is_empty() || before == b"export");
        let is_head =
            is_placeholder(head) && !(is_variable && has_both(text) && !text.contains(&b'='));
        let is_one = !is_placeholder(text)
            && (value.is_quoted || !is_head)
            && !is_path(text)
            && self.fits(&candidate)
            && match kind {
                Kind::Basic => is_basic(text) || name.starts_with(b"_") && is_random(text, 8),
                Kind::Token => is_token(&candidate),
                Kind::Weak => text.len() >= 6 && has_both(text) && self.is_password(&candidate),
                _ => self.is_password(&candidate),
            };
        let is_one = is_one || is_aws(name, text);
        let wide = judged(&self.text[whole.start..widest]);
        match is_one {
            true if widest > whole.end && !is_cut => Found::secret(bytes.start..widest),
            true => Found::secret(bytes),
            false if is_variable && is_open(wide) => Found::secret(whole.start..widest),
            false if is_bare && kind != Kind::Basic && is_strong(wide) && !is_placeholder(wide) => {
                Found::secret(whole.start..widest)
            }
            false => Found::Nothing,
        }
    }

    /// Tells whether a value without quotes has the position and the form of a generated password.
    fn is_generated(&self, start: usize, joint: Joint, value: Range<usize>) -> bool {
        let before = self.line_before(start, 64).trim_ascii();
        let is_first = matches!(before, b"" | b"export" | b"-" | b"+" | b"ENV");
        let (end, _) = self.run(value.end, |byte| b",;.)]}".contains(&byte), 4);
        let is_alone = matches!(self.byte(end), None | Some(b'\n' | b'\r'));
        let text = judged(&self.text[value]);
        let fits = match joint {
            Joint::Tight => is_first,
            Joint::Loose => is_first && is_alone,
            _ => true,
        };
        fits && is_generated(text) && !is_placeholder(text)
    }

    /// Finds the value after the arrow of `name = "old" -> "new"`. `from` is the position of its
    /// quote.
    pub(super) fn changed(&self, at: usize, from: usize) -> Found {
        let Some(name) = self.changed_name(at) else { return Found::Nothing };
        let start = name.start;
        let name = &self.text[name];
        match kind_of(name) {
            Some(kind @ (Kind::Password | Kind::Weak | Kind::Token)) => {
                self.value(kind, name, start, (Joint::Loose, from))
            }
            _ => Found::Nothing,
        }
    }

    /// Tells whether the position of a value allows a secret of any kind.
    fn fits(&self, value: &Candidate) -> bool {
        let &Candidate { name, text, is_quoted, joint, start, end, .. } = value;
        let is_constant = text.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'_');
        if is_same_name(name, text) || is_constant && text.contains(&b'_') && is_identifier(text) {
            return false;
        }
        match joint {
            Joint::Compared => return is_quoted && text.len() >= 6 && has_both(text),
            Joint::Cell => return is_random(text, 8) && !is_code(text),
            Joint::Env => return is_quoted || has_both(text),
            Joint::Tag | Joint::Markup | Joint::Flag => return true,
            Joint::Tight | Joint::Loose => {}
        }
        if is_quoted {
            return true;
        }
        // In a declaration only a string is a secret. Everything else is a type or an expression.
        if self.is_declared(start) && !is_random(text, 20) {
            return false;
        }
        let before = self.line_before(start, 64).trim_ascii();
        let is_first = before.is_empty() || before == b"-";
        let is_listed = self.byte(end).is_some_and(|byte| b",)".contains(&byte));
        let is_field = is_first && !is_listed && self.text[start..end].contains(&b':');
        // The value of `pwd` may be a directory.
        if name == b"pwd" && joint == Joint::Loose && !is_field && !has_both(text) {
            return false;
        }
        let is_variable = name.iter().any(u8::is_ascii_lowercase)
            && !is_field
            && (joint == Joint::Loose || is_listed);
        !(is_variable && is_identifier(text))
    }

    /// Tells whether source text declares the name at `start`: `pub password: Text`.
    fn is_declared(&self, start: usize) -> bool {
        const FIRST: &str = "pub let const static fn def func function var val";
        const LAST: &str = "pub let mut const static var val final private public protected";
        let has = |words: &str, word: &[u8]| words.split(' ').any(|it| it.as_bytes() == word);
        let line = self.line_before(start, 96);
        // A string may contain a command or an address with a password.
        if !line.ends_with(b" ") || line.iter().any(|byte| b"\"'`".contains(byte)) {
            return false;
        }
        let mut words = line.split(|byte| blank(*byte)).filter(|word| !word.is_empty());
        let first = words.next().unwrap_or_default();
        let first = match first {
            b"+" | b"-" => words.next().unwrap_or_default(),
            _ => first.strip_prefix(b"+").or(first.strip_prefix(b"-")).unwrap_or(first),
        };
        has(FIRST, first) || words.next_back().is_some_and(|last| has(LAST, last))
    }

    /// Tells whether the name at `start` is part of `checksum/name`.
    fn is_checksum(&self, start: usize) -> bool {
        let line = self.line_before(start - 1, 32);
        let len = line.iter().rev().take_while(|byte| in_name(**byte)).count();
        let word = line[line.len() - len..].to_ascii_lowercase();
        let kinds: [&[u8]; 5] = [b"checksum", b"hash", b"digest", b"sha256", b"fingerprint"];
        kinds.iter().any(|kind| contains(&word, kind))
    }

    /// Tells whether a value is a password that a person may have chosen.
    fn is_password(&self, value: &Candidate) -> bool {
        let &Candidate { name, text, is_quoted, joint, start, from, end } = value;
        if text.len() < 3 || text.iter().all(u8::is_ascii_digit) && text.len() < 4 {
            return false;
        }
        let has_blank = text.iter().any(|byte| blank(*byte));
        if is_quoted {
            let mut words = text.split(|byte| blank(*byte));
            let is_set = joint == Joint::Tight && !name.iter().any(u8::is_ascii_lowercase);
            let is_sentence = has_blank
                && match is_set {
                    // An environment variable does not contain a message.
                    true => text.ends_with(b".") || !words.any(has_both),
                    false => !is_mixed(text) || text.ends_with(b".") || words.any(is_placeholder),
                };
            return !is_sentence
                && !text.starts_with(b"$(")
                && !contains(text, b"${")
                && !contains(text, b"{{");
        }
        if is_code(text) {
            return false;
        }
        match joint {
            Joint::Tight => !text.iter().all(u8::is_ascii_digit) || text.len() >= 4,
            Joint::Markup | Joint::Tag | Joint::Cell | Joint::Compared => true,
            Joint::Flag => is_mixed(text) && !text.starts_with(b"-") && !text.starts_with(b"["),
            Joint::Env => text.len() >= 6,
            // The value is a list or an object of source text.
            Joint::Loose if matches!(text, [b'[' | b'{', ..]) && !has_both(text) => false,
            // A word after a colon is a message, unless the line has nothing else, as in YAML.
            Joint::Loose => {
                // The end of a sentence is not part of a password.
                let end_marks = text.iter().rev().take_while(|byte| b"?!.:".contains(byte));
                let inner = &text[..text.len() - end_marks.count()];
                let before = self.line_before(start, 64).trim_ascii();
                let is_alone = matches!(self.byte(end), None | Some(b'\n' | b'\r'));
                let is_field =
                    before.is_empty() || before == b"-" || before == b"\"" || before == b"'";
                // `module:function/2` has no blank.
                let is_spaced = self.last(from).is_some_and(blank) || !text.contains(&b'/');
                is_spaced
                    && (is_mixed(inner) && inner.len() >= 5
                        || is_field && is_alone && text.len() >= 6)
            }
        }
    }
}

/// Tells whether a value is a token or a key that a machine made.
fn is_token(value: &Candidate) -> bool {
    let &Candidate { text, is_quoted, joint, .. } = value;
    let is_place = text.contains(&b'/') && text.contains(&b'.');
    if is_place || text.iter().any(|byte| blank(*byte)) || !is_quoted && is_code(text) {
        return false;
    }
    match joint {
        Joint::Loose | Joint::Flag if !is_quoted => is_random(text, 12),
        _ => is_random(text, 8) || text.len() >= 8 && has_symbols(text),
    }
}

/// Tells whether a value is a secret key of AWS. Some have too few digits to look random.
fn is_aws(name: &[u8], text: &[u8]) -> bool {
    let letters = name.iter().filter(|byte| byte.is_ascii_alphanumeric());
    let name: Vec<u8> = letters.map(u8::to_ascii_lowercase).collect();
    text.len() == 40
        && name.ends_with(b"secretaccesskey")
        && text.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/".contains(byte))
        && is_mixed(text)
}

/// Tells whether a text has letters, digits and symbols.
fn has_symbols(text: &[u8]) -> bool {
    let symbols = text.iter().any(|byte| b"!@#^*~?+=".contains(byte));
    symbols && text.iter().any(u8::is_ascii_digit) && text.iter().any(u8::is_ascii_alphabetic)
}
